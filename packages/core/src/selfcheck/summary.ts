import { shown } from './reply.ts';
import type { Evidence, ServerEvidence } from './types.ts';

/**
 * One sentence for people: how many servers, which of them are in the way and how they answered, and the next step.
 *
 * @param wanted how many values were looked for
 * @param refresh the zone's SOA refresh in seconds, where an answer told it
 */
export function summarise(seen: Omit<Evidence, 'at' | 'summary'>, wanted: number, refresh?: number): string {
  const value = wanted === 1 ? 'the value' : `all ${wanted} values`;
  const total = seen.servers.length;
  const of = `of ${total} authoritative server${total === 1 ? '' : 's'} of ${shown(seen.zone)}`;
  const having = (finding: ServerEvidence['finding']) => seen.servers.filter((server) => server.finding === finding);
  const poor = [...having('lame'), ...having('unreachable')];
  switch (seen.verdict) {
    case 'visible': {
      const good = having('has').length;
      if (good === total) return `${good} ${of} ${good === 1 ? 'has' : 'have'} ${value} at ${seen.target}`;
      return (
        `${good} ${of} ${good === 1 ? 'has' : 'have'} ${value} at ${seen.target}; ` +
        `${described(poor)} gave no usable answer: repair ${poor.length === 1 ? 'it' : 'them'} or take ` +
        `${poor.length === 1 ? 'it' : 'them'} out of the zone's NS records, since the CA may ask there`
      );
    }
    case 'missing': {
      const lacking = having('lacks');
      const lacks = wanted === 1 ? 'the value' : `one or more of ${wanted} values`;
      return (
        `${lacking.length} ${of} ${lacking.length === 1 ? 'lacks' : 'lack'} ${lacks} at ${seen.target} ` +
        `(${described(lacking)}); ${missingStep(seen.zone, lacking, total, refresh)}`
      );
    }
    case 'unreachable':
      return (
        `${having('has').length === 0 ? 'none' : `only ${having('has').length}`} ${of} can be seen to have ${value} ` +
        `at ${seen.target} (${described(poor)}); ${unusableStep(seen.zone, poor)}`
      );
  }
}

function missingStep(zone: string, lacking: readonly ServerEvidence[], total: number, refresh?: number): string {
  const alias = lacking.find(({ detail }) => detail?.includes('a CNAME to'));
  if (alias)
    return 'a CNAME hides the value there: remove it, or wait until its removal or our value has reached every server';
  const period = refresh === undefined ? "the zone's SOA refresh" : `the zone's SOA refresh (${refresh} s)`;
  if (lacking.length < total) return `nothing to do unless this lasts beyond ${period}`;
  return `if this lasts beyond ${period}, check that the zone ${zone} that the provider writes to is the one these servers serve`;
}

function unusableStep(zone: string, poor: readonly ServerEvidence[]): string {
  if (poor.some(({ finding }) => finding === 'unreachable'))
    return 'check that this machine reaches port 53 of these servers over UDP and TCP';
  return `check that these servers serve ${zone}, or correct its NS records`;
}

const maxDescribed = 3;

/** `ns3.example.com 198.51.100.7, udp, 12 ms, NOERROR`. */
function described(servers: readonly ServerEvidence[]): string {
  const texts = servers.slice(0, maxDescribed).map(({ server, address, transport, rttMs, rcode, values, detail }) => {
    const facts = [address === '' ? server : `${server} ${address}`];
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
