import {
  type AnyDnsServer,
  DnsExchangeError,
  type DnsName,
  type DnsTransport,
  type Exchange,
  exchange,
} from '@zoneproof/dns';
import type { RandomBytes } from '../contract/index.ts';
import { spendQuestion } from './budget.ts';

export interface Question {
  readonly name: DnsName;
  readonly type: 'TXT' | 'NS' | 'A' | 'AAAA' | 'SOA' | 'CNAME';
}

export interface Asking {
  readonly rd: boolean;
  readonly signal: AbortSignal;
  /** For a server that has been silent: one try over UDP and one over TCP, each of a third of the usual time. */
  readonly brief?: boolean;
}

/**
 * Asks one server one question: a plain one over UDP, then TCP.
 *
 * @throws DnsExchangeError, the signal's reason, or what the signal's budget names when it is spent
 */
export type Ask = (question: Question, server: AnyDnsServer, how: Asking) => Promise<Exchange>;

export function createAsk(options: {
  readonly transport: DnsTransport;
  readonly random: RandomBytes;
  readonly tryTimeoutMs: number;
  /** Called with each question that was asked. */
  readonly onQuestion?: (outcome: 'answered' | 'unanswered') => void;
}): Ask {
  const { transport, random, tryTimeoutMs, onQuestion } = options;
  return async (question, server, { rd, signal, brief = false }) => {
    spendQuestion(signal);
    const patience = brief
      ? { tries: 1, timeoutMs: Math.ceil(tryTimeoutMs / 3) }
      : { tries: 2, timeoutMs: tryTimeoutMs };
    try {
      const answer = await exchange(question, server, { transport, signal, rd, ad: rd, random, ...patience });
      onQuestion?.('answered');
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      onQuestion?.('unanswered');
      throw error;
    }
  };
}

/** Why there was no answer, without the server. */
export function noAnswerReason(error: unknown): string {
  if (error instanceof DnsExchangeError) return error.problem;
  return error instanceof Error ? error.message : 'no answer';
}
