import {
  DnsExchangeError,
  type DnsName,
  type DnsServer,
  type DnsTransport,
  type Exchange,
  exchange,
} from '@zoneproof/dns';
import type { RandomBytes } from '../contract/index.ts';

export interface Question {
  readonly name: DnsName;
  readonly type: 'TXT' | 'NS' | 'A' | 'AAAA';
}

/** Asks one server one question over UDP, then TCP. @throws DnsExchangeError, or the signal's reason */
export type Ask = (
  question: Question,
  server: DnsServer,
  how: { readonly rd: boolean; readonly signal: AbortSignal },
) => Promise<Exchange>;

export function createAsk(options: {
  readonly transport: DnsTransport;
  readonly random: RandomBytes;
  readonly tryTimeoutMs: number;
}): Ask {
  const { transport, random, tryTimeoutMs: timeoutMs } = options;
  return async (question, server, { rd, signal }) => {
    try {
      return await exchange(question, server, { transport, signal, rd, timeoutMs, tries: 2, random });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
}

/** Why there was no answer, without the server. */
export function noAnswerReason(error: unknown): string {
  if (error instanceof DnsExchangeError) return error.problem;
  return error instanceof Error ? error.message : 'no answer';
}
