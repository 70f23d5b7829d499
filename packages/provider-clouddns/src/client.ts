import {
  type CallContext,
  createApiRequests,
  type HttpRequest,
  isProviderError,
  ProviderError,
  type ProviderHost,
  retryAfterMs,
} from '@zoneproof/core';
import { createAccessTokens } from './access-tokens.ts';
import { readAnswer } from './answers.ts';
import type { ClouddnsConfig } from './config.ts';
import { readCredentials } from './credentials.ts';
import { type Asked, apiError, clockWords } from './errors.ts';
import type { SetChange, TxtSet } from './rrset.ts';
import { isGoogle } from './service-account.ts';
import { serverTimeOf } from './token-requests.ts';

/**
 * The requests of the Cloud DNS API that are used; https://cloud.google.com/dns/docs/reference/rest/v1
 *
 * `@google-cloud/dns` builds them (zones, changes, record sets, URLs, the query of the next page) and reads their
 * answers. It does not send them: its own HTTP layer takes neither agent nor signal, repeats a 503 three times whatever
 * its options say, and reads HTTPS_PROXY. `makeAuthenticatedRequest`, where it hands over a finished request, is
 * replaced for each call by one request through the egress.
 */
export interface Client {
  /** managedZones.list, every page; managedZones.get for a block that names its zone. */
  zones(call: CallContext): Promise<readonly ZoneResource[]>;
  /** changes.create; the change's id, where the answer has one. */
  createChange(zone: string, sets: readonly SetChange[], call: CallContext): Promise<string | undefined>;
  /** resourceRecordSets.list: the TXT sets of these names (final dot), as far as they exist. */
  txtSets(zone: string, names: readonly string[], call: CallContext): Promise<ReadonlyMap<string, TxtSet>>;
  /** changes.get: `pending` or `done`. */
  changeStatus(zone: string, change: string, call: CallContext): Promise<unknown>;
  /** Minutes and direction by which this machine's clock is off; '' when it is right, or nothing was answered yet. */
  clock(): string;
}

/** https://cloud.google.com/dns/docs/reference/rest/v1/managedZones; only what is used, and any of it may be missing. */
export interface ZoneResource {
  readonly name?: unknown;
  readonly dnsName?: unknown;
  readonly visibility?: unknown;
  readonly forwardingConfig?: unknown;
  readonly peeringConfig?: unknown;
}

type Sdk = typeof import('@google-cloud/dns');
type Sender = InstanceType<Sdk['DNS']>['makeAuthenticatedRequest'];
/** What the SDK hands over. */
interface FinishedRequest {
  readonly method?: string;
  readonly uri: string;
  readonly qs?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const pageSize = 1_000;
const maxBytes = 16 * 1024 * 1024; // a page of full record sets
const timeoutMs = 30_000;

export function createClient(config: ClouddnsConfig, host: ProviderHost): Client {
  const { providerName: at, clock } = host;
  const { project, endpoint } = config;
  const plain = createApiRequests(host);
  const bundled =
    config.caBundle === undefined ? plain : createApiRequests(host, host.egress.withCaBundle(config.caBundle));
  // With an endpoint of its own, `caBundle` is of that world; Google's own hosts keep to the system's roots.
  const requestsFor = (url: string) => (endpoint !== undefined && isGoogle(new URL(url).hostname) ? plain : bundled);
  const tokens = createAccessTokens(at, () => clock.now(), readCredentials(config, host, requestsFor));
  let clockIs = '';

  async function send(request: HttpRequest, asked: Asked, call: CallContext): Promise<object> {
    const { token, isFresh } = await tokens.get(call);
    const headers = {
      ...request.headers,
      authorization: `Bearer ${token.value.text()}`,
      ...(token.quotaProject !== undefined && { 'x-goog-user-project': token.quotaProject }),
    };
    const answer = await bundled.send({ ...request, headers, timeoutMs, maxBytes }, asked.what, call);
    const serverTime = serverTimeOf(answer.headers);
    clockIs = clockWords(clock.now(), serverTime);
    const body = Buffer.from(answer.body).toString('utf8');
    if (answer.status >= 200 && answer.status <= 299) return readAnswer(body, asked);
    const pause = retryAfterMs(answer.headers['retry-after'], clock.now());
    const error = apiError(asked, { status: answer.status, body, retryAfterMs: pause, serverTime });
    if (answer.status !== 401) throw error;
    tokens.drop(token);
    if (isFresh) throw error;
    // A token may end before its time; the next attempt gets another, so nobody has to act.
    const message = `${at}: Google does not take the access token any more (401) for ${asked.what}. The next attempt fetches another.`;
    throw new ProviderError({ ...error.details, kind: 'unavailable', message });
  }

  /** A client of the SDK for one request, or for the pages of one list. */
  async function open(what: string, permission: string, call: CallContext) {
    const { DNS } = await import('@google-cloud/dns');
    const apiEndpoint = (endpoint ?? 'https://dns.googleapis.com').replace(/^https:\/\/|\/+$/g, '');
    const dns = new DNS({ projectId: project, apiEndpoint });
    const sender = (finished: FinishedRequest, done: (error: Error | null, body?: object) => void): void => {
      const isWrite = finished.method === 'POST';
      send(toHttp(finished), { at, what, permission, project, isWrite }, call).then((body) => done(null, body), done);
    };
    dns.makeAuthenticatedRequest = sender as unknown as Sender;
    return dns;
  }

  return {
    async zones(call) {
      if (config.managedZone !== undefined) {
        const what = `the question for managed zone ${config.managedZone} of project ${project}`;
        const dns = await open(what, 'dns.managedZones.get', call);
        const [zone] = await dns.zone(config.managedZone).getMetadata();
        return [zone as ZoneResource];
      }
      const dns = await open(`the list of managed zones of project ${project}`, 'dns.managedZones.list', call);
      const zones: ZoneResource[] = [];
      for await (const page of pages((query) => dns.getZones(query)))
        zones.push(...page.map(({ metadata }) => metadata));
      return zones;
    },

    async createChange(zone, sets, call) {
      const dns = await open(`a change of ${setsOf(sets)} in managed zone ${zone}`, writePermissions(sets), call);
      const managed = dns.zone(zone);
      const record = ({ name, ttl, rrdatas }: TxtSet) => managed.record('TXT', { name, ttl, rrdatas: [...rrdatas] });
      const [{ id }] = await managed.createChange({
        add: sets.flatMap(({ addition }) => (addition ? [record(addition)] : [])),
        delete: sets.flatMap(({ deletion }) => (deletion ? [record(deletion)] : [])),
      });
      return typeof id === 'string' && id !== '' ? id : undefined;
    },

    async txtSets(zone, names, call) {
      const dns = await open(`the question what stands in managed zone ${zone}`, 'dns.resourceRecordSets.list', call);
      const managed = dns.zone(zone);
      const found = new Map<string, TxtSet>();
      const wanted = new Set(names);
      const keep = (records: readonly { readonly metadata: object }[]) => {
        for (const set of records.flatMap(({ metadata }) => readTxtSet(metadata)))
          if (wanted.has(set.name)) found.set(set.name, set);
      };
      try {
        // Whichever takes fewer requests: the zone in pages, or name by name (the API filters by one name only).
        let pagesLeft = wanted.size <= 2 ? 0 : wanted.size;
        let isWhole = false;
        if (pagesLeft > 0) {
          isWhole = true;
          for await (const page of pages((query) => managed.getRecords(query))) {
            keep(page);
            pagesLeft--;
            isWhole = pagesLeft > 0;
            if (!isWhole) break;
          }
        }
        if (isWhole) return found;
        for (const name of [...wanted].filter((one) => !found.has(one)))
          for await (const page of pages((query) => managed.getRecords({ ...query, name, type: 'TXT' }))) keep(page);
        return found;
      } catch (error) {
        // Reading changes nothing, whatever became of it.
        throw isProviderError(error) ? new ProviderError({ ...error.details, sent: false }) : error;
      }
    },

    async changeStatus(zone, change, call) {
      const dns = await open(`the question for change ${change} in managed zone ${zone}`, 'dns.changes.get', call);
      const [metadata] = await dns.zone(zone).change(change).getMetadata();
      return (metadata as { readonly status?: unknown }).status;
    },

    clock: () => clockIs,
  };
}

type Query = { readonly autoPaginate: boolean; readonly maxResults: number; readonly pageToken?: string };

/** Page after page, as the SDK gives out the query of the next one. */
async function* pages<Item>(
  list: (query: Query) => Promise<readonly [readonly Item[], ...unknown[]]>,
): AsyncGenerator<readonly Item[]> {
  let query: Query | undefined = { autoPaginate: false, maxResults: pageSize };
  while (query !== undefined) {
    const [items, next]: readonly [readonly Item[], ...unknown[]] = await list(query);
    yield items;
    // A page that names itself as the next would never end.
    const isNew: boolean = (next as Query | null)?.pageToken !== query.pageToken;
    query = next && isNew ? (next as Query) : undefined;
  }
}

function toHttp({ method = 'GET', uri, qs = {}, json, headers = {} }: FinishedRequest): HttpRequest {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(qs))
    if (name !== 'autoPaginate' && value !== undefined) url.searchParams.set(name, String(value));
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: method as HttpRequest['method'],
    url: url.href,
    headers: {
      ...lower,
      accept: 'application/json',
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
}

function setsOf(sets: readonly SetChange[]): string {
  const name = (sets[0]?.addition ?? sets[0]?.deletion)?.name.replace(/\.$/, '');
  return sets.length === 1 ? `the TXT set ${name}` : `${sets.length} TXT sets`;
}

/** https://cloud.google.com/dns/docs/access-control#permissions */
function writePermissions(sets: readonly SetChange[]): string {
  const rights = new Set(
    sets.map(({ addition, deletion }) => (addition ? (deletion ? 'update' : 'create') : 'delete')),
  );
  return ['dns.changes.create', ...[...rights].map((right) => `dns.resourceRecordSets.${right}`)].join(' and ');
}

function readTxtSet(metadata: object): TxtSet[] {
  const { name, type, ttl, rrdatas, routingPolicy } = metadata as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || type !== 'TXT') return [];
  const isPlain = typeof ttl === 'number' && Array.isArray(rrdatas) && rrdatas.every((one) => typeof one === 'string');
  const isRouted = routingPolicy !== undefined || !isPlain;
  return [
    { name: name.toLowerCase(), ttl: Number(ttl), rrdatas: isRouted ? [] : rrdatas, ...(isRouted && { isRouted }) },
  ];
}
