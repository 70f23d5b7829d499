import { parseTxt } from '@zoneproof/dns';
import type { ApiAnswer } from '../emulator/index.ts';
import { googleError, invalid } from './answers.ts';
import { storedTxt } from './txt.ts';
import type { ManagedZone, ResourceRecordSet } from './zones.ts';

/** https://cloud.google.com/dns/quotas */
export interface Limits {
  additionsPerChange: number;
  deletionsPerChange: number;
  rrdataBytesPerChange: number;
  recordsPerSet: number;
  setsPerZone: number;
}

export const publishedLimits: Limits = {
  additionsPerChange: 1_000,
  deletionsPerChange: 1_000,
  rrdataBytesPerChange: 100_000,
  recordsPerSet: 100,
  setsPerZone: 10_000,
};

/** What a change asks for, in the form in which it is stored. */
export interface WantedChange {
  readonly additions: readonly ResourceRecordSet[];
  readonly deletions: readonly ResourceRecordSet[];
}

/** Reads the body of changes.create; an answer when it is none. */
export function readChange(body: Buffer): WantedChange | ApiAnswer {
  let parsed: { readonly additions?: unknown; readonly deletions?: unknown };
  try {
    parsed = JSON.parse(body.toString('utf8')) as typeof parsed;
  } catch {
    return googleError(400, 'INVALID_ARGUMENT', [{ reason: 'parseError', message: 'Parse Error' }]);
  }
  const [additions, deletions] = [parsed?.additions ?? [], parsed?.deletions ?? []];
  if (!Array.isArray(additions) || !Array.isArray(deletions)) return invalid("Invalid value for 'entity.change'");
  if (additions.length + deletions.length === 0)
    return googleError(400, 'INVALID_ARGUMENT', [
      { reason: 'required', message: "The 'entity.change' parameter is required but was missing." },
    ]);
  const read = { additions: additions.map(readSet), deletions: deletions.map(readSet) };
  for (const part of ['additions', 'deletions'] as const) {
    const at = read[part].indexOf(undefined);
    if (at >= 0) return invalid(`Invalid value for 'entity.change.${part}[${at}]'`);
  }
  return read as WantedChange;
}

/**
 * Why a change is refused; undefined when it may be carried out. The whole change or none of it:
 * https://cloud.google.com/dns/docs/reference/rest/v1/changes/create
 */
export function objection(zone: ManagedZone, change: WantedChange, limits: Limits): ApiAnswer | undefined {
  return overQuota(zone, change, limits) ?? badSet(zone, change) ?? stale(zone, change) ?? cnameConflict(zone, change);
}

/** https://github.com/kubernetes-sigs/external-dns/issues/1028: 403, every exceeded quota by name. */
function overQuota(zone: ManagedZone, change: WantedChange, limits: Limits): ApiAnswer | undefined {
  const { additions, deletions } = change;
  const bytes = [...additions, ...deletions]
    .flatMap(({ rrdatas }) => rrdatas)
    .reduce((sum, one) => sum + one.length, 0);
  const exceeded = [
    additions.length > limits.additionsPerChange && 'additions per change',
    deletions.length > limits.deletionsPerChange && 'deletions per change',
    bytes > limits.rrdataBytesPerChange && 'total rrdata size per change',
    additions.some(({ rrdatas }) => rrdatas.length > limits.recordsPerSet) && 'resource records per rrset',
    zone.size + additions.length - deletions.length > limits.setsPerZone && 'rrsets per managed zone',
  ].filter((one) => one !== false);
  if (exceeded.length === 0) return undefined;
  const items = exceeded.map((quota) => {
    return { reason: 'quotaExceeded', message: `The change would exceed quota for ${quota}.` };
  });
  return googleError(403, 'PERMISSION_DENIED', items);
}

function badSet(zone: ManagedZone, { additions, deletions }: WantedChange): ApiAnswer | undefined {
  for (const [part, sets] of [
    ['additions', additions],
    ['deletions', deletions],
  ] as const)
    for (const [at, set] of sets.entries()) {
      const where = `entity.change.${part}[${at}]`;
      const name = set.name.replace(/\.$/, '');
      if (!set.name.endsWith('.') || !(name === zone.dnsName || name.endsWith(`.${zone.dnsName}`)))
        return invalid(`Invalid value for '${where}.name': '${set.name}'`);
      if (sets.findIndex(({ name, type }) => name === set.name && type === set.type) !== at)
        return invalid(`The resource record set '${where}' is named twice`);
      if (part === 'deletions') continue;
      const bad = set.rrdatas.findIndex((rrdata) => set.type === 'TXT' && parseTxt(rrdata) === undefined);
      if (bad >= 0) return invalid(`Invalid value for '${where}.rrdata[${bad}]': '${set.rrdatas[bad]}'`);
      // assumed: RFC 2181 5 has no two equal records in a set
      if (new Set(set.rrdatas).size < set.rrdatas.length || set.rrdatas.length === 0)
        return invalid(`Invalid value for '${where}.rrdata'`);
      if (!Number.isInteger(set.ttl) || set.ttl < 0 || set.ttl > 2_147_483_647)
        return invalid(`Invalid value for '${where}.ttl': '${set.ttl}'`);
    }
  return undefined;
}

/**
 * A deletion has to be the stored set to the letter: 404 when there is none (every such deletion is named:
 * https://github.com/kubernetes-sigs/external-dns/issues/2817), 412 when it differs
 * (https://github.com/kubernetes-sigs/external-dns/issues/3311). An addition must not exist: 409
 * (https://github.com/certbot/certbot/issues/8523). assumed: also the order of the records has to be the same.
 */
function stale(zone: ManagedZone, { additions, deletions }: WantedChange): ApiAnswer | undefined {
  const missing = deletions.flatMap((set, at) =>
    zone.get(set.name, set.type)
      ? []
      : [`The 'entity.change.deletions[${at}]' resource named '${set.name} (${set.type})' does not exist.`],
  );
  if (missing.length > 0)
    return googleError(
      404,
      'NOT_FOUND',
      missing.map((message) => ({ reason: 'notFound', message })),
    );
  const differing = deletions.flatMap((set, at) =>
    isSame(zone.get(set.name, set.type), set) ? [] : [`Precondition not met for 'entity.change.deletions[${at}]'`],
  );
  if (differing.length > 0)
    return googleError(
      412,
      'FAILED_PRECONDITION',
      differing.map((message) => ({
        reason: 'conditionNotMet',
        message,
        location: 'If-Match',
        locationType: 'header',
      })),
    );
  const existing = additions.flatMap((set, at) =>
    zone.get(set.name, set.type) && !deletions.some(({ name, type }) => name === set.name && type === set.type)
      ? [`The resource 'entity.change.additions[${at}]' named '${set.name} (${set.type})' already exists`]
      : [],
  );
  if (existing.length === 0) return undefined;
  return googleError(
    409,
    'ALREADY_EXISTS',
    existing.map((message) => ({ reason: 'alreadyExists', message })),
  );
}

/** RFC 1034 3.6.2. */
function cnameConflict(zone: ManagedZone, { additions, deletions }: WantedChange): ApiAnswer | undefined {
  for (const [at, set] of additions.entries()) {
    const others = zone
      .sets(set.name)
      .filter(({ type }) => !deletions.some((gone) => gone.name === set.name && gone.type === type));
    if (!others.some(({ type }) => type !== set.type && (type === 'CNAME' || set.type === 'CNAME'))) continue;
    const message = `The resource record set 'entity.change.additions[${at}]' is invalid because the DNS name '${set.name}' may have either one CNAME resource record set or resource record sets of other types, but not both.`;
    return googleError(400, 'INVALID_ARGUMENT', [{ reason: 'cnameResourceRecordSetConflict', message }]);
  }
  return undefined;
}

function isSame(stored: ResourceRecordSet | undefined, set: ResourceRecordSet): boolean {
  return stored?.ttl === set.ttl && JSON.stringify(stored.rrdatas) === JSON.stringify(set.rrdatas);
}

function readSet(value: unknown): ResourceRecordSet | undefined {
  const { name, type, ttl, rrdatas } = (value ?? {}) as Partial<Record<keyof ResourceRecordSet, unknown>>;
  if (typeof name !== 'string' || typeof type !== 'string' || typeof ttl !== 'number' || !Array.isArray(rrdatas))
    return undefined;
  if (!rrdatas.every((rrdata) => typeof rrdata === 'string')) return undefined;
  const stored = type === 'TXT' ? rrdatas.map(storedTxt) : rrdatas;
  return { name: name.toLowerCase(), type, ttl, rrdatas: stored };
}
