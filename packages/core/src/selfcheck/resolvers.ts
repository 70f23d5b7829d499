import { type DnsMessage, type DnsName, type DnsServer, formatServer } from '@zoneproof/dns';
import { type Ask, noAnswerReason, type Question } from './ask.ts';
import { type Failure, firstUsable } from './first-usable.ts';
import type { Gate } from './gate.ts';
import type { StartingServers } from './starting-servers.ts';
import { LocateError } from './types.ts';

/**
 * The listed servers of one moment: resolvers, or servers that are themselves authoritative. They are asked for zones
 * and for addresses of name servers only, never for a challenge's name or anything below it, since a resolver keeps
 * the negative answer (RFC 2308) and would then hide the value from everyone behind it.
 */
export interface Resolvers {
  /** Tells sets of servers apart: what one set says is never taken for another's word. */
  readonly key: string;
  /** Where it was asked, for messages. */
  readonly text: string;
  /**
   * NOERROR or NXDOMAIN of the first server that gives one of them; a text when each answers something else.
   *
   * @throws LocateError `unreachable` when no server answers at all
   */
  ask(question: Question, signal: AbortSignal): Promise<DnsMessage | string>;
}

/** @throws LocateError `no-resolver` */
export async function listResolvers(list: StartingServers, ask: Ask, gate: Gate, hedgeMs: number): Promise<Resolvers> {
  let servers: readonly DnsServer[];
  try {
    servers = await list();
  } catch (error) {
    throw new LocateError(
      'no-resolver',
      `no name server to start from: ${noAnswerReason(error).replaceAll('\n', '; ')}`,
      error,
    );
  }
  if (servers.length === 0)
    throw new LocateError(
      'no-resolver',
      'no name server to start from: list one in /etc/resolv.conf or set --dns01-self-check-nameservers HOST:PORT,...',
    );
  const names = servers.map(formatServer);
  return {
    key: names.join(','),
    text: names.join(', '),
    async ask(question, signal) {
      const attempt = async (server: DnsServer, attemptSignal: AbortSignal) => {
        const { message } = await ask(question, server, { rd: true, signal: attemptSignal });
        if (message.rcode === 'NOERROR' || message.rcode === 'NXDOMAIN') return message;
        throw new Unhelpful(message.rcode);
      };
      const outcome = await gate.run(() => firstUsable(servers, hedgeMs, signal, attempt), signal);
      if (outcome.answer) return outcome.answer;
      if (outcome.failures.some(({ error }) => error instanceof Unhelpful)) return reasons(outcome.failures);
      throw new LocateError(
        'unreachable',
        `none of the name servers to start from answers (${reasons(outcome.failures)}); ` +
          'check that this machine can reach them on UDP and TCP, or set --dns01-self-check-nameservers',
        outcome.failures[0]?.error,
      );
    },
  };
}

/** Addresses in an answer, a CNAME on the way included. */
export function addressesIn(message: DnsMessage | string, type: 'A' | 'AAAA'): string[] {
  if (typeof message === 'string') return [];
  return message.answers.flatMap((record) =>
    record.type === type && !record.empty && typeof record.data === 'string' ? [record.data] : [],
  );
}

/** True when a challenge's name or something below it would be asked for. */
export function isOffLimits(host: DnsName, challengeName: DnsName): boolean {
  return host === challengeName || host.endsWith(`.${challengeName}`);
}

class Unhelpful extends Error {}

function reasons(failures: readonly Failure<DnsServer>[]): string {
  return failures.map(({ candidate, error }) => `${formatServer(candidate)}: ${noAnswerReason(error)}`).join('; ');
}
