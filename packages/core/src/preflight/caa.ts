import { type CaaData, type CaaVerdict, type DnsName, isWithin, judgeCaa, labelsOf, parentOf } from '@zoneproof/dns';
import { readReply } from '../selfcheck/reply.ts';
import { createSharedCache } from '../selfcheck/shared-cache.ts';
import { LocateError, type Location } from '../selfcheck/types.ts';
import type { CheckContext } from './context.ts';
import type { Verdict } from './finding.ts';

/** The CAA RRset that counts for a name (RFC 8659 3). */
export type CaaObservation =
  | {
      /** Where it stands: the name, or the nearest above it that has one; undefined: none has. */
      readonly owner?: DnsName;
      /** The name that a CNAME of `owner` led to. */
      readonly alias?: DnsName;
      readonly properties: readonly CaaData[];
    }
  | { readonly problem: string };

/** Who is going to issue. */
export interface CaaIssuance {
  readonly name: DnsName;
  readonly wildcard: boolean;
  readonly issuers: readonly string[];
  readonly accountUrl?: string;
}

/**
 * Climbs from the name to the top-level domain and stops at the first CAA RRset, as CAs do; a name that cannot be asked
 * for ends the climb. Only authoritative servers are asked: a resolver would remember that a name does not exist, and
 * then that nothing below it does (RFC 8020), which hides the challenge's value. What is found is kept for a minute.
 *
 * `near` is where the challenge name leads; its servers are asked first for what its zone may hold.
 */
export function createCaaObserver({ selfCheck, ask, cuts, clock, within }: CaaInputs) {
  const known = createSharedCache<FoundCaa | string>(clock, maxNames);

  async function caaFrom(
    name: DnsName,
    { target, zone, servers, listed }: Pick<Location, 'target' | 'zone' | 'servers' | 'listed'>,
    signal: AbortSignal,
  ): Promise<FoundCaa | string | 'elsewhere'> {
    if (listed !== undefined) return `${listed.reason}, and a resolver would keep it if ${target} does not exist`;
    const reply = await ask.first(
      servers,
      { name: target, type: 'CAA' },
      ({ message }) => readReply(message, target, zone).kind !== 'lame',
      signal,
    );
    if ('problem' in reply) return reply.problem;
    if (!['none', 'values'].includes(readReply(reply.message, target, zone).kind)) return 'elsewhere';
    const properties = reply.message.answers.flatMap((record) =>
      record.type === 'CAA' && record.name === target ? [record.data] : [],
    );
    return { owner: name, ...(target !== name && { alias: target }), properties };
  }

  async function caaAt(name: DnsName, near: Location | undefined, signal: AbortSignal): Promise<FoundCaa | string> {
    if (near !== undefined && isWithin(name, near.zone)) {
      const found = await caaFrom(name, { ...near, target: name }, signal);
      if (found !== 'elsewhere') return found;
    }
    try {
      // Where a CNAME leads to, its CAA records count (RFC 8659 3), but not those above it.
      const isTop = labelsOf(name).length === 1;
      const place = isTop
        ? { target: name, ...(await cuts.servers(name, signal)) }
        : await selfCheck.locate(name, signal);
      const found = await caaFrom(name, place, signal);
      return found === 'elsewhere' ? `the servers of ${place.zone} send elsewhere for it` : found;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LocateError)) throw error;
      // A CNAME into nowhere is an empty answer, and a top-level domain that nobody delegates has no CAA records.
      if (error.kind === 'cname-dangling' || (error.kind === 'unreachable' && labelsOf(name).length === 1))
        return { owner: name, properties: [] };
      return error.message;
    }
  }

  return async function observeCaa(
    name: DnsName,
    near: Location | undefined,
    signal: AbortSignal,
  ): Promise<CaaObservation> {
    for (let at: DnsName | undefined = name; at !== undefined && labelsOf(at).length > 0; at = parentOf(at)) {
      const owner = at;
      const found = await known.load(owner, signal, async (shared) => {
        const value = await within<FoundCaa | string>(
          shared,
          (ends) => caaAt(owner, near, ends),
          (problem) => problem,
          quickMs,
        );
        return { value, ttlMs: typeof value === 'string' ? retryMs : keepMs };
      });
      if (typeof found === 'string') return { problem: `the CAA records of ${owner} could not be asked for: ${found}` };
      if (found.properties.length > 0) return found;
    }
    return { properties: [] };
  };
}

type CaaInputs = Pick<CheckContext, 'selfCheck' | 'ask' | 'cuts' | 'clock' | 'within'>;

type FoundCaa = Extract<CaaObservation, { properties: unknown }> & { readonly owner: DnsName };

const maxNames = 10_000;
const keepMs = 60_000;
const retryMs = 10_000;
const quickMs = 8_000;

/** Whether the CA may issue, for this account and by dns-01 (RFC 8659, RFC 8657). Pure. */
export function judgeCaaFor(seen: CaaObservation, { name, wildcard, issuers, accountUrl }: CaaIssuance): Verdict {
  const asked = wildcard ? `*.${name}` : name;
  if ('problem' in seen) return { result: 'unknown', detail: seen.problem, facts: { name: asked } };
  if (seen.owner === undefined)
    return {
      result: 'ok',
      detail: `no CAA record at ${name} or above restricts who may issue`,
      facts: { name: asked },
    };
  const request = { issuers, wildcard, method: 'dns-01', ...(accountUrl !== undefined && { accountUrl }) };
  const verdict: CaaVerdict = judgeCaa(seen.properties, request);
  const owner = seen.alias === undefined ? seen.owner : `${seen.owner} (a CNAME to ${seen.alias})`;
  const facts = {
    name: asked,
    owner: seen.owner,
    issuers,
    properties: seen.properties.map(({ flags, tag, value }) => ({ flags, tag, value: printable(value) })),
    decision: verdict.decision,
    ...(verdict.decision === 'denied' && { reason: verdict.reason }),
  };
  if (verdict.decision === 'allowed') return { result: 'ok', detail: `${asked}: at ${owner}, ${verdict.text}`, facts };
  if (issuers.length === 0 && verdict.reason === 'issuer')
    return {
      result: 'unknown',
      detail: `${asked}: ${owner} has CAA records, and the CA does not tell by which names it goes in them (caaIdentities of its directory)`,
      facts,
    };
  if (verdict.reason === 'account' && (accountUrl === undefined || isOldForm(verdict.property)))
    return {
      result: 'warning',
      detail: `${asked}: at ${owner}, ${verdict.text}; compare the account URL in the record with that of the account that will ask`,
      facts,
    };
  const cure =
    verdict.reason === 'account'
      ? `write accounturi=${accountUrl} there, or remove the parameter`
      : verdict.reason === 'method'
        ? 'add dns-01 to validationmethods there'
        : `add CAA 0 ${wildcard ? 'issuewild' : 'issue'} "${issuers[0]}" there`;
  return { result: 'failed', detail: `${asked}: at ${owner}, ${verdict.text}; ${cure}`, facts };
}

/** Let's Encrypt takes the account URLs of its first protocol too (boulder, va/caa.go). */
function isOldForm({ value }: CaaData): boolean {
  return value.includes('/acme/reg/');
}

function printable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
