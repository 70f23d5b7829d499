import { isPrivate } from './private-address.ts';
import { shown } from './reply.ts';
import type { Evidence, ServerEvidence } from './types.ts';

/** What is known beside the answers. */
export interface SummaryFacts {
  /** How many values were looked for. */
  readonly wanted: number;
  /** The zone's SOA, where an answer told it. */
  readonly soa?: { readonly mname: string; readonly refresh: number };
  /** Why only listed servers were asked. */
  readonly reason?: string;
}

/** One sentence for people: how many servers, which of them are in the way and how they answered, and the next step. */
export function summarise(seen: Omit<Evidence, 'at' | 'summary'>, facts: SummaryFacts): string {
  const { wanted } = facts;
  const value = wanted === 1 ? 'the value' : `all ${wanted} values`;
  const total = seen.servers.length;
  const of = servesOf(seen, facts);
  const having = (finding: ServerEvidence['finding']) => seen.servers.filter((server) => server.finding === finding);
  const poor = [...having('lame'), ...having('unreachable')];
  switch (seen.verdict) {
    case 'visible': {
      const good = having('has').length;
      const has = `${good} ${of} ${good === 1 ? 'has' : 'have'} ${value} at ${seen.target}`;
      if (good === total) return has;
      // A server that answers at another address is, as a rule, one with IPv6, and this machine has none.
      const bad = poor.filter((one) => one.finding === 'lame' || !having('has').some(isSameServer(one)));
      if (seen.by === 'resolver' || bad.length === 0)
        return `${has}; no usable answer from ${described(poor)}${bad.length === 0 ? otherAddresses : ''}`;
      const it = bad.length === 1 ? 'it' : 'them';
      return (
        `${has}; no usable answer from ${described(bad)}: repair ${it} or take ${it} out of the zone's NS records, ` +
        'since the CA may ask there'
      );
    }
    case 'missing': {
      const lacking = having('lacks');
      const lacks = wanted === 1 ? 'the value' : `one or more of ${wanted} values`;
      return (
        `${lacking.length} ${of} ${lacking.length === 1 ? 'lacks' : 'lack'} ${lacks} at ${seen.target} ` +
        `(${described(lacking)}); ${missingStep(seen, lacking, facts)}`
      );
    }
    case 'unreachable':
      return (
        `${having('has').length === 0 ? 'none' : `only ${having('has').length}`} ${of} can be seen to have ${value} ` +
        `at ${seen.target} (${described(poor)}); ${unusableStep(seen, poor)}`
      );
  }
}

const otherAddresses = ', but from their other addresses: nothing to do if only this machine has no way there';

function isSameServer(one: ServerEvidence) {
  return ({ server }: ServerEvidence): boolean => server === one.server;
}

/** `of 4 authoritative servers of example.com`. */
function servesOf({ servers, zone, by }: Pick<Evidence, 'servers' | 'zone' | 'by'>, { reason }: SummaryFacts): string {
  const plural = servers.length === 1 ? '' : 's';
  if (by === 'resolver')
    return `of ${servers.length} listed server${plural}, by resolver only${reason === undefined ? '' : ` (${reason})`},`;
  return `of ${servers.length} authoritative server${plural} of ${shown(zone)}`;
}

function missingStep(
  { zone, servers, by }: Pick<Evidence, 'zone' | 'servers' | 'by'>,
  lacking: readonly ServerEvidence[],
  { soa }: SummaryFacts,
): string {
  if (lacking.some(({ alias }) => alias !== undefined))
    return 'a CNAME hides the value there: remove it, or wait until its removal or our value has reached every server';
  if (by === 'resolver')
    return 'a resolver keeps a negative answer for the negative TTL of the zone; nothing to do unless this lasts longer';
  const period = soa === undefined ? "the zone's SOA refresh" : `the zone's SOA refresh (${soa.refresh} s)`;
  if (lacking.length < servers.length) return someLack(lacking, servers, period);
  if (lacking.every(({ address }) => isPrivate(address)))
    return (
      'these are inner addresses, and the CA asks the servers of the public DNS: unless they are the same, list public ' +
      'name servers in --dns01-self-check-nameservers or selfCheck.nameservers (split view)'
    );
  if (soa !== undefined && !servers.some(({ server }) => server === soa.mname))
    return (
      `if this lasts beyond ${period}, check that the primary ${soa.mname}, which is none of them, takes what the ` +
      `provider writes to ${shown(zone)} and passes it on`
    );
  return `if this lasts beyond ${period}, check that the zone ${zone} that the provider writes to is the one these servers serve`;
}

function someLack(lacking: readonly ServerEvidence[], servers: readonly ServerEvidence[], period: string): string {
  const listed = lacking.find(({ server }) => server.includes(':'));
  if (listed && lacking.length === 1)
    return (
      `the listed server ${listed.server} serves another copy of the zone than the servers of its NS records: take it ` +
      'off the list, or bring the value there too (split view)'
    );
  const newest = newestSerial(servers.filter(({ finding }) => finding === 'has'));
  const [late] = lacking.filter(({ serial }) => serial !== undefined);
  if (newest !== undefined && late?.serial !== undefined)
    return isOlder(late.serial, newest)
      ? `${late.server} still serves serial ${late.serial} while others have ${newest}: its zone transfer is late; ` +
          `look at NOTIFY and transfers there if this lasts beyond ${period}`
      : `${late.server} serves serial ${late.serial} like the others but not the value: it serves another copy of the ` +
          'zone; compare its zone with that of the others';
  return `nothing to do unless this lasts beyond ${period}`;
}

function unusableStep({ zone, by }: Pick<Evidence, 'zone' | 'by'>, poor: readonly ServerEvidence[]): string {
  if (by === 'resolver') return 'check that this machine reaches the listed servers';
  if (poor.some(({ finding }) => finding === 'unreachable'))
    return 'check that this machine reaches port 53 of these servers over UDP and TCP';
  return `check that these servers serve ${zone}, or correct its NS records`;
}

function newestSerial(servers: readonly ServerEvidence[]): number | undefined {
  return servers.reduce<number | undefined>(
    (newest, { serial }) =>
      serial !== undefined && (newest === undefined || isOlder(newest, serial)) ? serial : newest,
    undefined,
  );
}

/** RFC 1982: serials go round. */
function isOlder(one: number, other: number): boolean {
  return one !== other && (other - one) >>> 0 < 2 ** 31;
}

const maxDescribed = 3;

/** `ns3.example.com 198.51.100.7, udp, 12 ms, NOERROR`. */
function described(servers: readonly ServerEvidence[]): string {
  const texts = servers.slice(0, maxDescribed).map((one) => {
    const { server, address, transport, rttMs, rcode, values, detail } = one;
    const isNamedByAddress = address === '' || server.includes(address);
    const facts = [isNamedByAddress ? server : `${server} ${address}`];
    if (address !== '') facts.push(transport);
    if (rttMs !== undefined) facts.push(`${Math.round(rttMs)} ms`);
    if (rcode !== undefined) facts.push(rcode);
    if (values !== undefined && values.length > 0)
      facts.push(`has ${values.length === 1 ? 'another value' : `${values.length} other values`}`);
    if (detail !== undefined) facts.push(detail);
    return facts.join(', ');
  });
  if (servers.length > maxDescribed) texts.push(`and ${servers.length - maxDescribed} more`);
  return texts.join('; ');
}
