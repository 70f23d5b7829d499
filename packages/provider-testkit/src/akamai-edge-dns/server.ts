import { randomBytes } from 'node:crypto';
import {
  type ApiAnswer,
  type ApiRequest,
  type EmulatedZones,
  type EmulatorServer,
  startEmulatorServer,
} from '../emulator/index.ts';
import { operations } from './api.ts';
import { type EdgeGridClient, verifyEdgeGrid } from './edgegrid.ts';
import { apiProblem, busyZone, forbidden, gatewayProblem } from './problems.ts';
import { Service } from './service.ts';
import { type ActivationState, edited, isAnswer, keyOf, type StagedEdit } from './zone.ts';

export interface AkamaiEdgeDnsOptions {
  /** The clock of Akamai; default the system's. */
  readonly clock?: { now(): number };
  /** How many looks at a zone say PENDING after a change; default 1. The name servers have it at once. */
  readonly pendingLooks?: number;
  /** Record sets in a zone; default 50,000. assumed: the number, since no page names one. */
  readonly maxRecordSets?: number;
}

/** Edge DNS API v2 (https://techdocs.akamai.com/edge-dns/reference/api) behind EdgeGrid. */
export interface AkamaiEdgeDnsEmulator extends EmulatorServer, EmulatedZones {
  /** The API client that is there from the start, with READ-WRITE on all zones. */
  readonly client: EdgeGridClient;
  /** One more API client; that of the same `user` shares its change lists. */
  addClient(user: string): EdgeGridClient;
  /** "Inactive client token". */
  deactivate(client: EdgeGridClient): void;
  /** Added to the emulator's clock. */
  skewMs: number;
  addZone(name: string, options?: { type?: 'PRIMARY' | 'SECONDARY' | 'ALIAS'; state?: ActivationState }): void;
  removeZone(name: string): void;
  setState(zone: string, state: ActivationState): void;
  /** The grant of an API client lacks this access level, or this operation; the result gives it back. */
  deny(what: 'READ' | 'WRITE' | string): () => void;
  /** The client's role may only read in the group of this zone; the result gives it back. */
  forbidWrites(zone: string): () => void;
  /** The next writes of a version find the zone in use: 409 concurrentZoneModification. */
  busy(zone: string, times?: number): void;
  /** Changes stop on the way to the name servers, and the zones say PENDING, until the result is called. */
  holdPropagation(): () => void;
  /** Another writer's rdata as it is. */
  plantRdata(name: Parameters<EmulatedZones['plant']>[0], rdata: string, ttl: number): void;
  /** Another writer removes the TXT set. */
  uproot(name: Parameters<EmulatedZones['plant']>[0]): void;
  /** A record set of another type. */
  plantOther(name: string, type: string, rdata: string): void;
  /** What `user` (default: that of `client`) has staged; undefined without a change list. */
  staged(zone: string, user?: string): readonly StagedEdit[] | undefined;
  /** Somebody stages one more edit in the change list of `user` (default: that of `client`). */
  stage(zone: string, edit: StagedEdit, user?: string): void;
  /** Somebody makes a change list with these edits in place of that of `user` (default: that of `client`). */
  takeList(zone: string, edits: readonly StagedEdit[], user?: string): void;
  /** All change lists were last modified this much earlier. */
  ageLists(ms: number): void;
  /** The rdata at a name as it was sent. */
  rdata(name: string): readonly string[];
  /** At most as many record sets in a zone; the result takes it back. */
  limitRecordSets(most: number): () => void;
}

export async function startAkamaiEdgeDns(options: AkamaiEdgeDnsOptions = {}): Promise<AkamaiEdgeDnsEmulator> {
  const { clock = { now: () => Date.now() }, pendingLooks = 1, maxRecordSets = 50_000 } = options;
  const clients: EdgeGridClient[] = [];
  const nonces = new Set<string>();
  const denied = new Set<string>();
  const readOnly = new Set<string>();
  const busy = new Map<string, number>();
  let skewMs = 0;
  const now = (): number => clock.now() + skewMs;
  const service = new Service({ minTtl: 300, maxRecordSets }, now, pendingLooks);

  function addClient(user: string): EdgeGridClient {
    const client: EdgeGridClient = {
      user,
      clientToken: newToken(),
      clientSecret: randomBytes(32).toString('base64'),
      accessToken: newToken(),
    };
    clients.push(client);
    return client;
  }

  function stage(name: string, edit: StagedEdit, user = client.user): void {
    const list = service.list(user, name);
    const sets = list && edited(list.sets, name, edit, service.limits);
    if (list === undefined || sets === undefined || isAnswer(sets))
      throw new Error(`nothing can be staged for ${name}`);
    list.stage(edit, sets, now());
  }

  /** `Date` is that of Akamai's clock. */
  const dated = (answer: ApiAnswer): ApiAnswer => ({
    ...answer,
    headers: { date: new Date(now()).toUTCString(), ...answer.headers },
  });

  function answer(request: ApiRequest, { pretend }: { readonly pretend: boolean }): ApiAnswer {
    const { method, path, headers } = request;
    const about = { instance: `https://${headers.host}${path}`, method, now: now() };
    const client = verifyEdgeGrid(request, clients, now(), nonces);
    if ('detail' in client) return gatewayProblem(client.type, client.detail, about);
    const found = find(request);
    if (found === undefined) {
      const isPath = operations.some((one) => one.path.test(path));
      // https://github.com/akamai/terraform-provider-akamai/issues/616
      if (isPath)
        return apiProblem(
          405,
          'illegalMethod',
          'Illegal request method',
          `Request method '${method}' is not supported`,
        );
      return apiProblem(404, 'notFound', 'Not Found', `No resource at ${path}`);
    }
    const { operation, params } = found;
    // https://github.com/akamai/cli-cps/issues/73
    if (denied.has(operation.id) || denied.has(operation.access))
      return gatewayProblem('pep-authz/deny', 'The client does not have the grant needed for the request', about);
    // https://techdocs.akamai.com/edge-dns/reference/415
    if (request.body.length > 0 && !/^application\/json\b/.test(headers['content-type'] ?? ''))
      return apiProblem(
        415,
        'unsupportedMediaType',
        'Unsupported Media Type',
        'The request body is not application/json',
      );
    const zone = params.zone ?? request.query.get('zone') ?? '';
    if (operation.access === 'WRITE' && readOnly.has(zone)) return forbidden();
    const left = busy.get(zone) ?? 0;
    if (left > 0 && makesVersion.has(operation.id)) {
      busy.set(zone, left - 1);
      return busyZone(zone);
    }
    return operation.run({ request, user: client.user, params, pretend, service });
  }

  const client = addClient('zoneproof');
  const server = await startEmulatorServer({
    actionOf: (request) => find(request)?.operation.id ?? 'unknown',
    isWrite: (action) => operations.find(({ id }) => id === action)?.access === 'WRITE',
    answer: (request, options) => dated(answer(request, options)),
    throttled: (seconds) => dated(tooMany(seconds, now())),
    unavailable: () => dated(apiProblem(503, 'serverError', 'Server error', 'An internal error occurred.')),
  });
  return {
    ...server,
    client,
    addClient,
    deactivate(gone) {
      clients.splice(clients.indexOf(gone), 1);
    },
    get skewMs() {
      return skewMs;
    },
    set skewMs(ms) {
      skewMs = ms;
    },
    addZone: (name, { type, state } = {}) => void service.add(name, type, state),
    removeZone: (name) => service.remove(name),
    setState(name, state) {
      const zone = service.zones.get(name);
      if (zone !== undefined) zone.state = state;
    },
    deny(what) {
      denied.add(what);
      return () => void denied.delete(what);
    },
    forbidWrites(zone) {
      readOnly.add(zone);
      return () => void readOnly.delete(zone);
    },
    busy: (zone, times = 1) => void busy.set(zone, times),
    holdPropagation: () => service.hold(),
    published: (name) => service.published(name),
    onPublish: (listener) => service.onPublish(listener),
    plant: (name, value, ttl) => service.plant(name, value, ttl),
    plantRdata: (name, rdata, ttl) => service.plantRdata(name, rdata, ttl),
    uproot: (name) => service.uproot(name),
    plantOther(name, type, rdata) {
      const zone = service.zoneOf(name);
      if (zone === undefined) throw new Error(`no zone of the emulator holds ${name}`);
      service.createSets(zone, [{ name, type, ttl: 300, rdata: [rdata] }], false);
    },
    staged: (zone, user = client.user) => service.list(user, zone)?.edits,
    stage,
    takeList(name, edits, user = client.user) {
      const zone = service.zones.get(name);
      if (zone === undefined) throw new Error(`there is no zone ${name}`);
      service.createList(user, zone);
      for (const edit of edits) stage(name, edit, user);
    },
    ageLists(ms) {
      for (const list of service.lists.values()) list.modifiedAt -= ms;
    },
    rdata: (name) => service.zoneOf(name)?.sets.get(keyOf(name, 'TXT'))?.rdata ?? [],
    limitRecordSets(most) {
      const { limits } = service;
      service.limits = { ...limits, maxRecordSets: most };
      return () => {
        service.limits = limits;
      };
    },
  };
}

/** "Akamai serializes modifications per zone": https://github.com/dns-aid/dns-aid-core/pull/202 */
const makesVersion = new Set(['post-zones-zone-recordsets', 'post-changelists-zone-submit']);

const newToken = (): string => `akab-${randomBytes(8).toString('hex')}-${randomBytes(8).toString('hex')}`;

function find({ method, path }: ApiRequest) {
  for (const operation of operations) {
    const match = operation.method === method ? operation.path.exec(path) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { operation, params: Object.fromEntries(params) as Record<string, string> };
  }
  return undefined;
}

/** https://techdocs.akamai.com/edge-dns/reference/429; headers as https://techdocs.akamai.com/mtls-edge-truststore/reference/rate-resource-limit */
function tooMany(seconds: number | undefined, now: number): ApiAnswer {
  const refusal = apiProblem(429, 'rateLimitExceeded', 'Rate Limit Exceeded', 'Too many requests for the account');
  const next = new Date(now + (seconds ?? 1) * 1000).toISOString();
  const retryAfter = seconds === undefined ? {} : { 'retry-after': String(seconds), 'x-ratelimit-next': next };
  return { ...refusal, headers: { ...refusal.headers, 'x-ratelimit-remaining': '0', ...retryAfter } };
}
