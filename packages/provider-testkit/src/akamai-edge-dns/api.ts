import type { ApiAnswer, ApiRequest } from '../emulator/index.ts';
import { isOfTypes, page } from './paging.ts';
import { badRequest, listExists, noList, noRecordSet, noZone, staleList } from './problems.ts';
import type { Service } from './service.ts';
import { edited, isAnswer, keyOf, type RecordSet, type StagedEdit, type Zone } from './zone.ts';

/** One call that was authenticated and allowed. */
export interface Call {
  readonly request: ApiRequest;
  readonly user: string;
  readonly params: Readonly<Record<string, string>>;
  readonly pretend: boolean;
  readonly service: Service;
}

/** An operation under its id in the OpenAPI documents of Akamai; the page is `reference/ID` of techdocs.akamai.com/edge-dns. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
  /** Writes need the access level READ-WRITE. assumed: that includes staging in a change list. */
  readonly access: 'READ' | 'WRITE';
  run(call: Call): ApiAnswer;
}

const root = '/config-dns/v2';
const at = (path: string): RegExp => new RegExp(`^${root}${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

export const operations: readonly Operation[] = [
  { id: 'get-zones', method: 'GET', path: at('/zones'), access: 'READ', run: listZones },
  { id: 'get-zone', method: 'GET', path: at('/zones/{zone}'), access: 'READ', run: (call) => inZone(call, getZone) },
  {
    id: 'get-zones-zone-recordsets',
    method: 'GET',
    path: at('/zones/{zone}/recordsets'),
    access: 'READ',
    run: (call) => inZone(call, (zone) => recordSets(call, zone.name, [...zone.sets.values()])),
  },
  {
    id: 'get-zone-name-type',
    method: 'GET',
    path: at('/zones/{zone}/names/{name}/types/{type}'),
    access: 'READ',
    run: (call) => inZone(call, (zone) => recordSet(call, zone.sets)),
  },
  {
    id: 'post-zones-zone-recordsets',
    method: 'POST',
    path: at('/zones/{zone}/recordsets'),
    access: 'WRITE',
    run: (call) => inZone(call, createSets),
  },
  { id: 'get-changelists', method: 'GET', path: at('/changelists'), access: 'READ', run: myLists },
  { id: 'post-changelists', method: 'POST', path: at('/changelists'), access: 'WRITE', run: createList },
  {
    id: 'get-changelists-zone',
    method: 'GET',
    path: at('/changelists/{zone}'),
    access: 'READ',
    run: (call) => inList(call, (list) => ({ status: 200, body: list.describe() })),
  },
  {
    id: 'delete-changelists-zone',
    method: 'DELETE',
    path: at('/changelists/{zone}'),
    access: 'WRITE',
    run: (call) =>
      inList(call, (list) => {
        if (!call.pretend) call.service.dropList(call.user, list.zone.name);
        return { status: 204 };
      }),
  },
  {
    id: 'get-changelists-zone-diff',
    method: 'GET',
    path: at('/changelists/{zone}/diff'),
    access: 'READ',
    run: (call) => inList(call, (list) => ({ status: 200, body: list.diff() })),
  },
  {
    id: 'get-changelists-zone-recordsets',
    method: 'GET',
    path: at('/changelists/{zone}/recordsets'),
    access: 'READ',
    run: (call) => inList(call, (list) => recordSets(call, list.zone.name, list.annotated() as readonly RecordSet[])),
  },
  {
    id: 'get-changelists-zone-names-name-types-type',
    method: 'GET',
    path: at('/changelists/{zone}/names/{name}/types/{type}'),
    access: 'READ',
    run: (call) => inList(call, (list) => recordSet(call, list.sets)),
  },
  {
    id: 'post-changelists-zone-recordsets-add-change',
    method: 'POST',
    path: at('/changelists/{zone}/recordsets/add-change'),
    access: 'WRITE',
    run: (call) => inList(call, (list) => stage(call, list)),
  },
  {
    id: 'post-changelists-zone-submit',
    method: 'POST',
    path: at('/changelists/{zone}/submit'),
    access: 'WRITE',
    run: (call) => inList(call, (list) => submit(call, list)),
  },
];

type List = NonNullable<ReturnType<Service['list']>>;

function inZone(call: Call, run: (zone: Zone, call: Call) => ApiAnswer): ApiAnswer {
  const name = call.params.zone ?? '';
  const zone = call.service.zones.get(name);
  return zone === undefined ? noZone(name) : run(zone, call);
}

function inList(call: Call, run: (list: List) => ApiAnswer): ApiAnswer {
  const zone = call.params.zone ?? '';
  const list = call.service.list(call.user, zone);
  return list === undefined ? noList(zone) : run(list);
}

function listZones({ request: { query }, service }: Call): ApiAnswer {
  const wanted = [...service.zones.values()].filter((zone) => isOfTypes(zone.type, query));
  const { metadata, items } = page(wanted, query);
  return { status: 200, body: { metadata, zones: items.map((zone) => describeZone(zone, service)) } };
}

function getZone(zone: Zone, { service }: Call): ApiAnswer {
  const body = describeZone(zone, service);
  if (zone.pendingLooks > 0) zone.pendingLooks--;
  return { status: 200, body };
}

function describeZone(zone: Zone, service: Service): object {
  const lastModifiedDate = new Date(zone.modifiedAt).toISOString();
  return {
    contractId: zone.contractId,
    zone: zone.name,
    type: zone.type,
    aliasCount: 0,
    signAndServe: false,
    versionId: zone.versionId,
    lastModifiedDate,
    lastModifiedBy: 'jsmith',
    lastActivationDate: lastModifiedDate,
    activationState: service.stateOf(zone),
  };
}

function recordSets({ request: { query } }: Call, zone: string, all: readonly RecordSet[]): ApiAnswer {
  const search = query.get('search')?.toLowerCase();
  const { metadata, items } = page(
    all.filter(
      ({ name, type, rdata }) =>
        isOfTypes(type, query) &&
        (search === undefined || name === search || rdata.some((one) => one.toLowerCase() === search)),
    ),
    query,
  );
  return { status: 200, body: { metadata: { zone, ...metadata }, recordsets: items } };
}

function recordSet({ params: { name = '', type = '' } }: Call, sets: ReadonlyMap<string, RecordSet>): ApiAnswer {
  const set = sets.get(keyOf(name, type));
  return set === undefined ? noRecordSet(name, type) : { status: 200, body: set };
}

function createSets(zone: Zone, { request, service, pretend }: Call): ApiAnswer {
  if (zone.type !== 'PRIMARY') return badRequest(`Zone '${zone.name}' is not a primary zone`);
  const body = json(request) as { readonly recordsets?: readonly RecordSet[] } | undefined;
  if (!Array.isArray(body?.recordsets) || body.recordsets.length === 0)
    return badRequest('No record sets in the request');
  return service.createSets(zone, body.recordsets, pretend);
}

function myLists({ user, service }: Call): ApiAnswer {
  const mine = [...service.lists].filter(([key]) => key.startsWith(`${user} `)).map(([, list]) => list.describe());
  return { status: 200, body: { changeLists: mine } };
}

/** `overwrite`: https://techdocs.akamai.com/edge-dns/reference/post-changelists */
function createList({ request: { query }, user, service, pretend }: Call): ApiAnswer {
  const name = query.get('zone') ?? '';
  const overwrite = query.get('overwrite') ?? 'none';
  const zone = service.zones.get(name);
  if (zone === undefined) return noZone(name);
  if (zone.type !== 'PRIMARY') return badRequest(`Zone '${name}' is not a primary zone`);
  const known = service.list(user, name);
  const mayReplace = overwrite === 'any' || (overwrite === 'stale' && known?.stale === true);
  if (known !== undefined && !mayReplace) return listExists(name);
  if (pretend) return { status: 201, body: known?.describe() ?? {} };
  const headers = { location: `${root}/changelists/${name}` };
  return { status: 201, headers, body: service.createList(user, zone).describe() };
}

function stage({ request, service, pretend }: Call, list: List): ApiAnswer {
  const { zone } = list;
  if (list.stale) return staleList(zone.name);
  const edit = json(request) as StagedEdit | undefined;
  if (edit === undefined || !['ADD', 'EDIT', 'DELETE'].includes(edit.op))
    return badRequest('No operation in the request');
  const sets = edited(list.sets, zone.name, edit, service.limits);
  if (isAnswer(sets)) return sets;
  if (!pretend) list.stage(edit, sets, service.now());
  return { status: 204 };
}

function submit({ user, service, pretend }: Call, list: List): ApiAnswer {
  const { zone } = list;
  if (list.stale) return staleList(zone.name);
  // assumed: a list without changes is refused, and a submitted one is gone.
  if (list.edits.length === 0) return badRequest(`The change list for zone '${zone.name}' is empty`);
  if (!pretend) {
    service.activate(zone, list.sets);
    service.dropList(user, zone.name);
  }
  return { status: 204 };
}

function json({ body }: ApiRequest): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
