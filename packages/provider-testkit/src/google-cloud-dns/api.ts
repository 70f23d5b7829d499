import type { DnsName } from '@zoneproof/dns';
import type { ApiAnswer, ApiRequest } from '../emulator/index.ts';
import { apiDisabled, forbidden, invalid, notFound, scopeTooNarrow, unauthenticated } from './answers.ts';
import { type Limits, objection, publishedLimits, readChange, type WantedChange } from './changes.ts';
import { Identities } from './identities.ts';
import { dnsScope } from './token-endpoint.ts';
import type { Change, ManagedZone, ResourceRecordSet } from './zones.ts';

/** What a role for DNS01 has to grant: https://cloud.google.com/dns/docs/access-control#permissions */
export const rolePermissions = [
  'dns.changes.create',
  'dns.changes.get',
  'dns.changes.list',
  'dns.managedZones.list',
  'dns.resourceRecordSets.create',
  'dns.resourceRecordSets.delete',
  'dns.resourceRecordSets.get',
  'dns.resourceRecordSets.list',
  'dns.resourceRecordSets.update',
] as const;

// assumed: "If unspecified, the server decides how many results to return", and no maximum is named
const [defaultPage, longestPage] = [100, 1_000];

/** The part of the Cloud DNS API v1 that a DNS01 client needs: https://cloud.google.com/dns/docs/reference/rest/v1 */
export class CloudDnsApi {
  readonly project: string;
  readonly zones: ManagedZone[] = [];
  readonly identities = new Identities();
  readonly permissions = new Set<string>(rolePermissions);
  readonly limits: Limits = { ...publishedLimits };
  readonly pendingPolls: number;
  /** Called with the names of a change that has become `done`. */
  readonly onDone: (names: readonly DnsName[]) => void;
  enabled = true;
  #zoneIds = 0;

  constructor(project: string, pendingPolls: number, onDone: (names: readonly DnsName[]) => void) {
    this.project = project;
    this.pendingPolls = pendingPolls;
    this.onDone = onDone;
  }

  newZoneId(): string {
    this.#zoneIds++;
    return String(7_000_000_000_000_000_000n + BigInt(this.#zoneIds));
  }

  answer(request: ApiRequest, action: string, now: number, pretend: boolean): ApiAnswer {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined) return unauthenticated('required');
    const scopes = this.identities.scopesOf(bearer, now);
    if (scopes === undefined) return unauthenticated('authError');
    if (!scopes.some((scope) => scope === dnsScope || scope.endsWith('/cloud-platform'))) return scopeTooNarrow();
    const [, project = '', name = '', id = ''] = pathOf(request);
    if (!this.enabled) return apiDisabled(project);
    const zone = this.zones.find((one) => one.name === name || one.id === name);
    // Before the permission is asked for: time passes also for those who may not look.
    const change = zone?.changes.find((one) => one.id === id);
    if (action === 'dns.changes.get' && change) this.#passTime(change);
    if (project !== this.project || !this.permissions.has(action)) return forbidden();
    if (action === 'dns.managedZones.list') return this.#listZones(request.query);
    if (zone === undefined) return notFound('parameters.managedZone', name);
    switch (action) {
      case 'dns.managedZones.get':
        return { status: 200, body: zone.resource() };
      case 'dns.resourceRecordSets.list':
        return listSets(zone, request.query);
      case 'dns.changes.create':
        return this.#createChange(zone, request.body, now, pretend);
      case 'dns.changes.get':
        return change ? { status: 200, body: changeResource(change) } : notFound('parameters.changeId', id);
      default:
        return {
          status: 404,
          headers: { 'content-type': 'text/html' },
          body: '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>',
        };
    }
  }

  #listZones(query: URLSearchParams): ApiAnswer {
    const dnsName = query.get('dnsName');
    const found = this.zones.filter((zone) => dnsName === null || `${zone.dnsName}.` === dnsName);
    return page(
      query,
      found.map((zone) => zone.resource()),
      'managedZones',
      'dns#managedZonesListResponse',
    );
  }

  #createChange(zone: ManagedZone, body: Buffer, now: number, pretend: boolean): ApiAnswer {
    const wanted = readChange(body);
    if ('status' in wanted) return wanted;
    if (!needed(wanted).every((permission) => this.permissions.has(permission))) return forbidden();
    const refused = objection(zone, wanted, this.limits);
    if (refused !== undefined) return refused;
    const change: Change = {
      ...wanted,
      id: String(zone.changes.length + 1),
      startTime: new Date(now).toISOString(),
      pendingPolls: this.pendingPolls,
    };
    if (pretend) return { status: 200, body: changeResource(change, 'pending') };
    for (const set of wanted.deletions) zone.remove(set);
    for (const set of wanted.additions) zone.put(set);
    zone.countUp();
    zone.changes.push(change);
    // The answer to create says `pending` in any case.
    const answer = { status: 200, body: changeResource(change, 'pending') };
    if (change.pendingPolls === 0) this.#done(change);
    return answer;
  }

  #passTime(change: Change): void {
    change.pendingPolls--;
    if (change.pendingPolls === -1 && this.pendingPolls > 0) this.#done(change);
  }

  #done({ additions, deletions }: Change): void {
    const sets = [...additions, ...deletions].filter(({ type }) => type === 'TXT');
    this.onDone([...new Set(sets.map(({ name }) => name.replace(/\.$/, '') as DnsName))]);
  }
}

/** The action of a request to the API: the permission that it is guarded by. */
export function actionOfApi(request: ApiRequest): string {
  const [, , zone, change] = pathOf(request);
  const { method, path } = request;
  if (path.includes('/changes'))
    return method === 'POST' ? 'dns.changes.create' : change ? 'dns.changes.get' : 'dns.changes.list';
  if (path.endsWith('/rrsets')) return 'dns.resourceRecordSets.list';
  if (zone) return 'dns.managedZones.get';
  return path.endsWith('/managedZones') ? 'dns.managedZones.list' : 'unknown';
}

/** `/dns/v1/projects/P/managedZones/Z/changes/C` */
function pathOf({ path }: ApiRequest): readonly string[] {
  const match =
    /^\/dns\/v1\/projects\/([^/]+)\/managedZones(?:\/([^/]+))?(?:\/(?:changes(?:\/([^/]+))?|rrsets))?$/.exec(path);
  return (match ?? []).map((part) => decodeURIComponent(part ?? ''));
}

/** https://cloud.google.com/dns/docs/access-control#permissions: by what happens to each set. */
function needed({ additions, deletions }: WantedChange): readonly string[] {
  const key = ({ name, type }: ResourceRecordSet) => `${name} ${type}`;
  const [added, deleted] = [new Set(additions.map(key)), new Set(deletions.map(key))];
  return [
    ...(additions.some((set) => !deleted.has(key(set))) ? ['dns.resourceRecordSets.create'] : []),
    ...(deletions.some((set) => !added.has(key(set))) ? ['dns.resourceRecordSets.delete'] : []),
    ...(additions.some((set) => deleted.has(key(set))) ? ['dns.resourceRecordSets.update'] : []),
  ];
}

/** https://cloud.google.com/dns/docs/reference/rest/v1/resourceRecordSets/list: `type` needs `name`. */
function listSets(zone: ManagedZone, query: URLSearchParams): ApiAnswer {
  const [name, type] = [query.get('name') ?? undefined, query.get('type') ?? undefined];
  if (type !== undefined && name === undefined)
    return invalid("Invalid value for 'parameters.type': 'name' must be set");
  if (name !== undefined && !name.endsWith('.')) return invalid(`Invalid value for 'parameters.name': '${name}'`);
  const sets = zone.sets(name, type).map((set) => ({ kind: 'dns#resourceRecordSet', ...set, signatureRrdatas: [] }));
  return page(query, sets, 'rrsets', 'dns#resourceRecordSetsListResponse');
}

function page(query: URLSearchParams, items: readonly object[], member: string, kind: string): ApiAnswer {
  const wanted = Number(query.get('maxResults') ?? defaultPage);
  const start = Number(Buffer.from(query.get('pageToken') ?? '', 'base64url').toString('latin1'));
  if (!Number.isInteger(wanted) || wanted < 1) return invalid("Invalid value for 'parameters.maxResults'");
  if (!Number.isInteger(start)) return invalid("Invalid value for 'parameters.pageToken'");
  const end = start + Math.min(wanted, longestPage);
  const nextPageToken = Buffer.from(String(end)).toString('base64url');
  return {
    status: 200,
    body: { kind, [member]: items.slice(start, end), ...(end < items.length && { nextPageToken }) },
  };
}

function changeResource(change: Change, status = change.pendingPolls < 0 ? 'done' : 'pending'): object {
  const { id, startTime, additions, deletions } = change;
  return { kind: 'dns#change', id, startTime, status, isServing: false, additions, deletions };
}
