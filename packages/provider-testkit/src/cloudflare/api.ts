import type { ApiAnswer, ApiRequest } from '../emulator/index.ts';
import { listed, type Page, Refusal, success } from './answers.ts';
import type { CloudflarePermission } from './credentials.ts';
import type { DnsRow, EmulatedZone } from './zone.ts';

/** What the calls of the API work on. */
export interface ApiState {
  readonly zones: ReadonlyMap<string, EmulatedZone>;
  now(): number;
  /** Names whose records changed. */
  published(names: readonly string[]): void;
}

/** One call, by a caller whose credentials are known. */
export interface ApiCall {
  readonly request: ApiRequest;
  readonly pretend: boolean;
  may(permission: CloudflarePermission): boolean;
}

const base = '/client/v4';

/** The call's name in the API's documentation. */
export function actionOf({ method, path }: ApiRequest): string {
  if (method === 'GET' && path === `${base}/zones`) return 'ListZones';
  if (method === 'GET' && /^\/client\/v4\/zones\/[^/]+\/dns_records$/.test(path)) return 'ListDnsRecords';
  if (method === 'POST' && /^\/client\/v4\/zones\/[^/]+\/dns_records\/batch$/.test(path)) return 'BatchDnsRecords';
  return 'none';
}

/** @throws Refusal */
export function answerCall(call: ApiCall, state: ApiState): ApiAnswer {
  switch (actionOf(call.request)) {
    case 'ListZones':
      return listZones(call, state);
    case 'ListDnsRecords':
      return listRecords(call, state);
    case 'BatchDnsRecords':
      return batchRecords(call, state);
    default:
      throw new Refusal(400, 7000, 'No route for that URI');
  }
}

/** https://developers.cloudflare.com/api/resources/zones/methods/list/: 20 a page, 5 to 50; internal zones when asked for. */
function listZones({ request: { query }, may }: ApiCall, { zones }: ApiState): ApiAnswer {
  // https://github.com/octodns/octodns-cloudflare/issues/60
  if (!may('Zone:Zone:Read')) throw new Refusal(403, 9109, 'Unauthorized to access requested resource');
  const types = query.get('type')?.split(',') ?? ['full', 'partial', 'secondary'];
  const [name, status] = [query.get('name'), query.get('status')];
  const rows = [...zones.values()]
    .filter((zone) => types.includes(zone.type))
    .filter((zone) => (name === null || zone.name === name) && (status === null || zone.status === status))
    .map(({ id, name, status, type }) => ({
      id,
      name,
      status,
      paused: false,
      type,
      development_mode: 0,
      name_servers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
      account: { id: '01a7362d577a6c3019a474fd6f485823', name: 'Example account' },
    }));
  return listed(rows, pageOf(query, { least: 5, most: 50, usual: 20 }));
}

/** https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/list/ */
function listRecords({ request: { path, query }, may }: ApiCall, { zones }: ApiState): ApiAnswer {
  const zone = zoneOf(path, zones);
  if (!may('Zone:DNS:Read')) throw new Refusal(403, 10000, 'Authentication error');
  const filters = filtersOf(query);
  const how = query.get('match') === 'any' ? 'some' : 'every';
  const type = query.get('type');
  const rows = zone
    .rows()
    .filter((row) => type === null || row.type === type)
    .filter((row) => filters.length === 0 || filters[how]((accepts) => accepts(row)));
  // assumed: 5000 a page; the page of the documentation says 5,000,000.
  return listed(rows.map(shown), pageOf(query, { least: 1, most: 5000, usual: 100 }));
}

type RowFilter = (row: DnsRow) => boolean;

/** `name.startswith` and its like, which take no notice of case. */
function filtersOf(query: URLSearchParams): RowFilter[] {
  return [...query].flatMap(([parameter, wanted]): RowFilter[] => {
    const [field, operator = 'exact'] = parameter.split('.');
    if (field !== 'name' && field !== 'content') return [];
    const text = wanted.toLowerCase();
    switch (operator) {
      case 'exact':
        return [(row) => row[field].toLowerCase() === text];
      case 'startswith':
        return [(row) => row[field].toLowerCase().startsWith(text)];
      case 'endswith':
        return [(row) => row[field].toLowerCase().endsWith(text)];
      case 'contains':
        return [(row) => row[field].toLowerCase().includes(text)];
      default:
        return [];
    }
  });
}

/**
 * https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/batch/: one transaction; deletes,
 * patches, puts and posts in this order. Patches and puts are left out here, since nobody needs them.
 */
function batchRecords({ request: { path, body }, pretend, may }: ApiCall, state: ApiState): ApiAnswer {
  const zone = zoneOf(path, state.zones);
  if (!may('Zone:DNS:Edit')) throw new Refusal(403, 10000, 'Authentication error');
  const { deletes, posts, ...others } = bodyOf(body);
  const unknown = Object.keys(others).find((field) => others[field] !== undefined);
  if (unknown !== undefined) throw new Refusal(400, 9207, `Request body is invalid: ${unknown}`);
  // assumed: the code of the refusal.
  if ((deletes?.length ?? 0) + (posts?.length ?? 0) > zone.limits.batch)
    throw new Refusal(400, 9208, `A batch may hold ${zone.limits.batch} operations.`);
  if (pretend) return success({ deletes: deletes ? [] : null, patches: null, puts: null, posts: posts ? [] : null });
  const { result, changed } = zone.transact(state.now(), (draft) => ({
    deletes: deletes?.map((row) => shown(draft.remove((row as { readonly id?: unknown } | null)?.id))) ?? null,
    patches: null,
    puts: null,
    posts: posts?.map((row) => shown(draft.add(row))) ?? null,
  }));
  state.published(changed);
  return success(result);
}

/** Since 2024-11-30 without the zone's id and name: https://github.com/cert-manager/cert-manager/issues/7540 */
function shown(row: DnsRow): object {
  return { ...row, proxiable: false, proxied: false, settings: {}, meta: {}, comment: null, tags: [] };
}

function zoneOf(path: string, zones: ReadonlyMap<string, EmulatedZone>): EmulatedZone {
  const id = path.slice(base.length).split('/')[2] ?? '';
  const zone = zones.get(id);
  if (zone !== undefined) return zone;
  const routed = `Could not route to /zones/${id}/dns_records, perhaps your object identifier is invalid?`;
  throw new Refusal(404, 7003, routed);
}

function bodyOf(body: Buffer): { readonly [field: string]: readonly unknown[] | undefined } {
  let read: unknown;
  try {
    read = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal(400, 9207, 'Request body is invalid.');
  }
  const isBatch =
    typeof read === 'object' && read !== null && Object.values(read).every((field) => Array.isArray(field));
  if (!isBatch) throw new Refusal(400, 9207, 'Request body is invalid.');
  return read as { readonly [field: string]: readonly unknown[] };
}

interface PageLimits {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

function pageOf(query: URLSearchParams, { least, most, usual }: PageLimits): Page {
  const number = (field: string, otherwise: number): number => Number(query.get(field) ?? otherwise);
  const [page, perPage] = [number('page', 1), number('per_page', usual)];
  const isRight = Number.isInteger(page) && page >= 1 && Number.isInteger(perPage) && perPage >= least;
  // assumed: the code of the refusal.
  if (!isRight || perPage > most)
    throw new Refusal(400, 6007, `Invalid list options: page from 1, per_page from ${least} to ${most}`);
  return { page, perPage };
}
