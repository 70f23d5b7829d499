import { type AnyDnsServer, type DnsMessage, type DnsName, formatServer, isWithin } from '@zoneproof/dns';
import { type Ask, noAnswerReason, type Question } from './ask.ts';
import { type Failure, firstUsable } from './first-usable.ts';
import type { Gate } from './gate.ts';
import type { StartingServers } from './starting-servers.ts';
import { LocateError } from './types.ts';

/**
 * The listed servers of one moment: resolvers, or servers that are themselves authoritative. `ask` is for zones and for
 * addresses of name servers only, never for a challenge's name or anything below it, since a resolver keeps the
 * negative answer (RFC 2308) and would then hide the value from everyone behind it.
 */
export interface Resolvers {
  readonly servers: readonly AnyDnsServer[];
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
  let servers: readonly AnyDnsServer[];
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
    servers,
    // A host name gives its addresses in another order each time.
    key: names.toSorted().join(','),
    text: names.join(', '),
    async ask(question, signal) {
      const attempt = async (server: AnyDnsServer, attemptSignal: AbortSignal) => {
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
          'check that this machine can reach them, or set --dns01-self-check-nameservers',
        outcome.failures[0]?.error,
      );
    },
  };
}

/** What an answer to a TXT question says, its CNAMEs followed. */
export interface ListedTxt {
  /** Of the last name of the chain (RFC 6604 3). */
  readonly rcode: DnsMessage['rcode'];
  /** The resolver has proven all of it (DNSSEC); worth what the way to the resolver is worth. */
  readonly ad: boolean;
  /** The names passed, the asked one first; a chain that loops or has more than 10 hops ends where that shows. */
  readonly chain: readonly DnsName[];
  /** The TXT values at the last name, each the joined octets of its strings. */
  readonly values: readonly string[];
  /** Seconds that the resolver will go on giving these values: the least TTL on the way. */
  readonly ttl?: number;
  /** Seconds that it may go on saying that there is nothing (RFC 2308 5): the lesser of the SOA's TTL and MINIMUM. */
  readonly negativeTtl?: number;
}

/**
 * Reads a listed server's answer to `name TXT`, the one question that may plant a negative answer: to be asked only when
 * the value has to be visible there, or when what may be remembered has run out (`negativeTtl`). Records
 * of other names, in any order and number, do not count.
 */
export function readListedTxt(message: DnsMessage, name: DnsName): ListedTxt {
  const chain = [name];
  let ttl = Number.POSITIVE_INFINITY;
  for (let at = name; chain.length <= maxHops; ) {
    const alias = message.answers.find((record) => record.type === 'CNAME' && record.name === at);
    if (alias?.type !== 'CNAME' || chain.includes(alias.data)) break;
    chain.push(alias.data);
    ttl = Math.min(ttl, alias.ttl);
    at = alias.data;
  }
  const end = chain.at(-1) as DnsName;
  const values: string[] = [];
  for (const record of message.answers) {
    if (record.type !== 'TXT' || record.name !== end) continue;
    values.push(record.data.join(''));
    ttl = Math.min(ttl, record.ttl);
  }
  const { rcode, ad } = message;
  if (values.length > 0) return { rcode, ad, chain, values, ttl };
  const soa = message.authorities.find((record) => record.type === 'SOA' && isWithin(end, record.name));
  if (soa?.type !== 'SOA' || (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')) return { rcode, ad, chain, values };
  return { rcode, ad, chain, values, negativeTtl: Math.min(soa.ttl, soa.data.minimum) };
}

const maxHops = 10;

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

function reasons(failures: readonly Failure<AnyDnsServer>[]): string {
  return failures.map(({ candidate, error }) => `${formatServer(candidate)}: ${noAnswerReason(error)}`).join('; ');
}
