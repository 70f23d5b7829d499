import {
  type CallContext,
  createApiRequests,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type Zone,
} from '@zoneproof/core';
import type { NewRow, Row } from './changes.ts';
import { baseUrl, credentialProblem, type EdgednsConfig, loginOf } from './config.ts';
import { type Asked, answerError } from './errors.ts';
import { nameFilter } from './name-filter.ts';
import { type Envelope, type ListedZone, openSdk, type RecordResponse, type Sdk, type SdkRequest } from './sdk.ts';
import { toContent, toValue } from './txt-content.ts';

export interface Batch {
  /** Ids of records. */
  readonly deletes: readonly string[];
  readonly posts: readonly NewRow[];
}

/** What the answer to a batch says was done. */
export interface BatchResult {
  readonly deleted: readonly string[];
  readonly created: readonly Row[];
}

/** The three calls of Cloudflare's API that are used. All throw ProviderError. */
export interface Client {
  /** GET /zones, every page: https://developers.cloudflare.com/api/resources/zones/methods/list/ */
  zones(call: CallContext): Promise<readonly ListedZone[]>;
  /**
   * GET /zones/ID/dns_records, every page: at least the TXT records at `names`.
   * https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/list/
   */
  rows(zone: Zone, names: readonly string[], call: CallContext): Promise<readonly Row[]>;
  /**
   * POST /zones/ID/dns_records/batch: all of it or nothing, deletes first.
   * https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/batch/
   */
  batch(zone: Zone, batch: Batch, call: CallContext): Promise<BatchResult>;
}

const zonesPerPage = 50; // the most that is allowed
const rowsPerPage = 5000;
// A row of TXT is 500 to 3,000 octets of JSON.
const maxBytes = 16 * 1024 * 1024;

export function createClient(config: EdgednsConfig, host: ProviderHost): Client {
  const { providerName, clock } = host;
  const base = baseUrl(config);
  const at = `${providerName}: ${new URL(base).host}`;
  const login = loginOf(config);
  const ref = 'token' in login ? login.token : login.key;
  const secret = host.secret(ref);
  const requests = createApiRequests(host, config.caBundle ? host.egress.withCaBundle(config.caBundle) : host.egress);

  async function credentials(): Promise<Readonly<Record<string, string>>> {
    const text = (await secret.get()).text();
    const problem = credentialProblem(login, text);
    if (problem !== undefined)
      throw new ProviderError({
        kind: 'auth',
        message: `${providerName}: entry "${ref.key}" of Secret "${ref.name}" ${problem}.`,
      });
    return 'token' in login ? { authorization: `Bearer ${text}` } : { 'x-auth-email': login.email, 'x-auth-key': text };
  }

  /** One request and its envelope, which is a success. */
  async function send({ method, path, body }: SdkRequest, what: string, call: CallContext): Promise<Envelope> {
    const asked: Asked = { at, what, isWrite: method === 'POST' };
    const headers = { accept: 'application/json', ...(await credentials()) };
    const request = { method, url: `${base}${path}`, headers, maxBytes };
    const answer = await requests.send(
      body === undefined
        ? request
        : { ...request, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
      what,
      call,
    );
    const envelope = parsed(answer.body);
    const isSuccess = answer.status >= 200 && answer.status <= 299 && hasResult(envelope, asked.isWrite);
    if (!isSuccess) throw answerError(answer, envelope, asked, clock.now());
    return envelope;
  }

  function connect(what: string, call: CallContext): Promise<Sdk> {
    return openSdk((request) => send(request, what, call).catch((error) => Promise.reject(ofRead(error, request))));
  }

  return {
    async zones(call) {
      const { zones } = await connect('the list of zones', call);
      return everyPage(zonesPerPage, (page) => zones.list(page));
    },
    async rows(zone, names, call) {
      const { records } = await connect(`the TXT records of zone ${zone.name}`, call);
      const filter = { zone_id: zone.id, type: 'TXT' as const, name: nameFilter(names) };
      const rows = await everyPage(rowsPerPage, (page) => records.list({ ...filter, ...page }));
      return rows.flatMap(toRow);
    },
    async batch(zone, { deletes, posts }, call) {
      const what = batchText(deletes.length + posts.length, zone);
      const { records } = await connect(what, call);
      const answer = await records.batch({
        zone_id: zone.id,
        ...(deletes.length > 0 && { deletes: deletes.map((id) => ({ id })) }),
        ...(posts.length > 0 && { posts: posts.map(toPost) }),
      });
      const lacks =
        (deletes.length > 0 && !Array.isArray(answer.deletes)) || (posts.length > 0 && !Array.isArray(answer.posts));
      if (lacks) throw withoutResult(`${at} answered ${what} without telling what was done`);
      return {
        deleted: (answer.deletes ?? []).flatMap((row) => (isText(row?.id) ? [row.id] : [])),
        created: (answer.posts ?? []).flatMap(toRow),
      };
    },
  };
}

/** A question that got no answer has changed nothing. */
function ofRead(error: unknown, { method }: SdkRequest): unknown {
  if (method !== 'GET' || !isProviderError(error) || error.details.sent !== true) return error;
  return new ProviderError({ ...error.details, sent: false });
}

/** `a batch of 3 changes in zone example.com` */
function batchText(changes: number, { name }: Zone): string {
  return `a batch of ${changes} ${changes === 1 ? 'change' : 'changes'} in zone ${name}`;
}

function withoutResult(what: string): ProviderError {
  return new ProviderError({ kind: 'unavailable', message: `${what}. It is looked at again.`, sent: true });
}

function parsed(body: Uint8Array): Partial<Envelope> {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return {};
  }
}

/** A page of some proxy must not be taken for an empty list. */
function hasResult(envelope: Partial<Envelope> | null, isWrite: boolean): envelope is Envelope {
  if (typeof envelope !== 'object' || envelope === null) return false;
  const { success, result } = envelope as { readonly success?: unknown; readonly result?: unknown };
  return success === true && (isWrite ? typeof result === 'object' && result !== null : Array.isArray(result));
}

interface PageOf<T> {
  readonly result: readonly T[];
  readonly result_info: object;
}

const pagesAtOnce = 4; // one after the other, 5,000 zones would take the 30 s of a call

/** The SDK's own iterator asks for one page more, an empty one, and for each after the other. */
async function everyPage<T>(
  perPage: number,
  read: (page: { readonly page: number; readonly per_page: number }) => Promise<PageOf<T>>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let next = 1, last = 1; next <= last; ) {
    const numbers = Array.from({ length: Math.min(pagesAtOnce, last - next + 1) }, (_, at) => next + at);
    const pages = await Promise.all(numbers.map((page) => read({ page, per_page: perPage })));
    rows.push(...pages.flatMap(({ result }) => result));
    next += pages.length;
    last = lastPage(pages.at(-1) as PageOf<T>, next, perPage);
  }
  return rows;
}

/** The number of the last page; without `total_pages` a full page is followed by another. An empty one ends all. */
function lastPage({ result, result_info }: PageOf<unknown>, next: number, perPage: number): number {
  const { total_pages: pages } = result_info as { readonly total_pages?: unknown };
  if (result.length === 0) return 0;
  if (typeof pages === 'number') return pages;
  return result.length >= perPage ? next : 0;
}

function toPost({ name, value, ttl }: NewRow): { type: 'TXT'; name: string; content: string; ttl: number } {
  return { type: 'TXT', name, content: toContent(value), ttl };
}

function toRow(record: Partial<RecordResponse> | null): readonly Row[] {
  const { id, name, content, ttl } = (record ?? {}) as Readonly<Record<string, unknown>>;
  if (!isText(id) || !isText(name) || !isText(content)) return [];
  return [{ id, name: name.toLowerCase(), value: toValue(content), ttl: typeof ttl === 'number' ? ttl : 1 }];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
