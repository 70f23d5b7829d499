import { type CaaData, type CaaVerdict, type DnsName, judgeCaa, labelsOf, parentOf } from '@zoneproof/dns';
import { readReply } from '../selfcheck/reply.ts';
import { LocateError, type SelfCheck } from '../selfcheck/types.ts';
import type { AskServer } from './ask-server.ts';
import type { Verdict } from './finding.ts';
import type { ZoneCuts } from './zone-cuts.ts';

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
 * then that nothing below it does (RFC 8020), which hides the challenge's value.
 */
export async function observeCaa(
  name: DnsName,
  selfCheck: Pick<SelfCheck, 'locate'>,
  ask: AskServer,
  cuts: ZoneCuts,
  signal: AbortSignal,
): Promise<CaaObservation> {
  for (let at: DnsName | undefined = name; at !== undefined && labelsOf(at).length > 0; at = parentOf(at)) {
    const found = await caaAt(at, selfCheck, ask, cuts, signal);
    if (typeof found === 'string') return { problem: `the CAA records of ${at} could not be asked for: ${found}` };
    if (found.properties.length > 0) return found;
  }
  return { properties: [] };
}

async function caaAt(
  name: DnsName,
  selfCheck: Pick<SelfCheck, 'locate'>,
  ask: AskServer,
  cuts: ZoneCuts,
  signal: AbortSignal,
): Promise<{ readonly owner: DnsName; readonly alias?: DnsName; readonly properties: readonly CaaData[] } | string> {
  try {
    // Where a CNAME leads to, its CAA records count (RFC 8659 3), but not those above it.
    const place =
      labelsOf(name).length === 1
        ? { target: name, ...(await cuts.servers(name, signal)) }
        : await selfCheck.locate(name, signal);
    const { target, zone, servers } = place;
    const reply = await ask.first(
      servers.map(({ address }) => address),
      { name: target, type: 'CAA' },
      ({ message }) => ['none', 'values'].includes(readReply(message, target, zone).kind),
      signal,
    );
    if ('problem' in reply) return reply.problem;
    const properties = reply.message.answers.flatMap((record) =>
      record.type === 'CAA' && record.name === target ? [record.data] : [],
    );
    return { owner: name, ...(target !== name && { alias: target }), properties };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof LocateError)) throw error;
    // A CNAME into nowhere is an empty answer, and a top-level domain that nobody delegates has no CAA records.
    if (error.kind === 'cname-dangling' || (error.kind === 'unreachable' && labelsOf(name).length === 1))
      return { owner: name, properties: [] };
    return error.message;
  }
}

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
  if (verdict.reason === 'account' && accountUrl === undefined)
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

function printable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
