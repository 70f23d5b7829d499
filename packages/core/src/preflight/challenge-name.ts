import { child, type DnsName, DnsNameError, parentOf } from '@zoneproof/dns';
import type { RandomBytes } from '../contract/index.ts';
import { type Reply, readReply } from '../selfcheck/reply.ts';
import type { LocateError, Location } from '../selfcheck/types.ts';
import type { AskServer } from './ask-server.ts';
import type { Verdict } from './finding.ts';

/** What is at the place of the value now, and what a name beside it that nobody has made is answered with. */
export interface ChallengeObservation {
  readonly location: Location;
  readonly there: Reply | undefined;
  readonly sibling: Reply | undefined;
}

/** Asks for TXT only, and authoritative servers only. */
export async function observeChallenge(
  location: Location,
  ask: AskServer,
  random: RandomBytes,
  signal: AbortSignal,
): Promise<ChallengeObservation> {
  const look = async (name: DnsName | undefined): Promise<Reply | undefined> => {
    if (name === undefined) return undefined;
    const usable = (message: Parameters<typeof readReply>[0]) =>
      readReply(message, name, location.zone).kind !== 'lame';
    const reply = await ask.first(location.servers, { name, type: 'TXT' }, ({ message }) => usable(message), signal);
    return 'message' in reply ? readReply(reply.message, name, location.zone) : undefined;
  };
  const [there, sibling] = await Promise.all([look(location.target), look(siblingOf(location.target, random))]);
  return { location, there, sibling };
}

/** Where the value has to be, or why that cannot be told. Pure. */
export function judgeLocation(name: DnsName, seen: Location | LocateError): Verdict {
  if (seen instanceof Error) return { result: 'failed', detail: seen.message, facts: { name, problem: seen.kind } };
  const facts = { name, chain: seen.chain, target: seen.target, zone: seen.zone };
  const hops = seen.chain.length - 1;
  if (seen.listed !== undefined && hops === 0)
    return {
      result: 'unknown',
      detail: `the value belongs to zone ${seen.zone}, and whether a CNAME leads ${name} elsewhere is not known: ${seen.listed.reason}, and a resolver is not asked for it before a value is there`,
      facts,
    };
  if (hops === 0) return { result: 'ok', detail: `the value belongs to ${name} in zone ${seen.zone}`, facts };
  const path = `${name} leads to ${seen.target} in zone ${seen.zone}`;
  // Resolvers of CAs give up on long chains: unbound follows 11, and each hop is one more zone that can fail.
  if (hops > 3)
    return {
      result: 'warning',
      detail: `${path} by ${hops} CNAMEs (${seen.chain.join(' -> ')}); point the first at the last`,
      facts,
    };
  return { result: 'ok', detail: path, facts };
}

/** Whether a wildcard answers for the name. Pure. */
export function judgeWildcard({ location: { target }, sibling }: ChallengeObservation): Verdict {
  const wildcard = `*.${parentOf(target) ?? ''}`;
  const cover = `as long as ${target} has no value of its own (RFC 4592)`;
  switch (sibling?.kind) {
    case 'alias':
      return {
        result: 'warning',
        detail: `${wildcard} is a CNAME to ${sibling.target} and answers for ${target} ${cover}: servers that get the value late send the CA there; keep any TXT record at ${target}, or narrow the wildcard`,
        facts: { wildcard, alias: sibling.target },
      };
    case 'values':
      return {
        result: 'ok',
        detail: `${wildcard} has TXT values that answer for ${target} ${cover}; a CA reads over them`,
        facts: { wildcard, values: sibling.values.length },
      };
    case undefined:
    case 'lame':
      return { result: 'unknown', detail: `no server could be asked for a name beside ${target}`, facts: {} };
    default:
      return { result: 'ok', detail: `no wildcard answers for ${target}`, facts: {} };
  }
}

/** TXT values that somebody else has, or left, where ours will be. `slots`: the service keeps old ones by design. Pure. */
export function judgeLeftovers(
  { location: { target }, there, sibling }: ChallengeObservation,
  slots: boolean,
): Verdict {
  if (there === undefined || there.kind === 'lame')
    return { result: 'unknown', detail: `no server could be asked for the values at ${target}`, facts: {} };
  const isWild = sibling?.kind === 'values';
  const values = there.kind === 'values' && !isWild ? there.values : [];
  const facts = { target, values: values.map(shortened) };
  if (values.length === 0) return { result: 'ok', detail: `there is no value at ${target} yet`, facts };
  const seen = `${values.length} TXT ${values.length === 1 ? 'value is' : 'values are'} at ${target} already (${facts.values.slice(0, 4).join(', ')})`;
  if (slots && values.length <= 2)
    return { result: 'ok', detail: `${seen}; the service keeps old ones until newer ones replace them`, facts };
  return {
    result: 'warning',
    detail: `${seen}: another ACME client is at work there, or left them; they do no harm while they are few, remove those that nobody needs`,
    facts,
  };
}

function siblingOf(name: DnsName, random: RandomBytes): DnsName | undefined {
  const parent = parentOf(name);
  if (parent === undefined) return undefined;
  try {
    return child(Buffer.from(random(7)).toString('hex'), parent);
  } catch (error) {
    if (error instanceof DnsNameError) return undefined;
    throw error;
  }
}

/** Foreign values may hold anything, and this is printed. */
function shortened(value: string): string {
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return `"${printable.length > 12 ? `${printable.slice(0, 11)}~` : printable}"`;
}
