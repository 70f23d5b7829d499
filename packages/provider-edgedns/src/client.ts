import {
  type CallContext,
  createApiRequests,
  jsonObject,
  ProviderError,
  type ProviderHost,
  type Zone,
} from '@zoneproof/core';
import { baseUrl, credentialProblem, type EdgednsConfig, loginOf } from './config.ts';
import { type Asked, answerError } from './errors.ts';
import { nameFilter } from './name-filter.ts';
import { everyPage } from './pages.ts';
import { type DeletedRow, type Post, type Row, toDeletedRow, toRow } from './rows.ts';
import { type Envelope, type ListedZone, openSdk, type RecordBatchParams, type Sdk, type SdkRequest } from './sdk.ts';

export interface Batch {
  /** Ids of records. */
  readonly deletes: readonly string[];
  readonly posts: readonly Post[];
}

/** What the answer to a batch says was done. */
export interface BatchResult {
  readonly deleted: readonly DeletedRow[];
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
  const where = `entry "${ref.key}" of Secret "${ref.name}"`;
  const requests = createApiRequests(host, config.caBundle ? host.egress.withCaBundle(config.caBundle) : host.egress);

  async function credentials(): Promise<Readonly<Record<string, string>>> {
    const text = (await secret.get()).text();
    const problem = credentialProblem(login, text);
    if (problem !== undefined)
      throw new ProviderError({
        kind: 'auth',
        message: `${providerName}: ${where} ${problem}.`,
      });
    return 'token' in login ? { authorization: `Bearer ${text}` } : { 'x-auth-email': login.email, 'x-auth-key': text };
  }

  /** One request and its envelope, which is a success. */
  async function send({ method, path, body }: SdkRequest, what: string, call: CallContext): Promise<Envelope> {
    const asked: Asked = { at, what, ofZone: path.startsWith('/zones/'), secret: where, isWrite: method === 'POST' };
    const headers = { accept: 'application/json', ...(await credentials()) };
    const request = { method, url: `${base}${path}`, headers, maxBytes };
    const answer = await requests.send(
      body === undefined
        ? request
        : { ...request, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
      what,
      call,
    );
    const envelope = jsonObject(answer.body) ?? {};
    const isSuccess = answer.status >= 200 && answer.status <= 299 && hasResult(envelope, asked.isWrite);
    if (!isSuccess) throw answerError(answer, envelope, asked, clock.now());
    return envelope;
  }

  function connect(what: string, call: CallContext): Promise<Sdk> {
    return openSdk((request) => send(request, what, call));
  }

  return {
    async zones(call) {
      const what = 'the list of zones';
      const { zones } = await connect(what, call);
      const listed = await everyPage(zonesPerPage, (page) => zones.list(page));
      if (listed === undefined) throw inPieces(what);
      return listed;
    },
    async rows(zone, names, call) {
      const what = `the TXT records of zone ${zone.name}`;
      const { records } = await connect(what, call);
      const filter = { zone_id: zone.id, type: 'TXT' as const, name: nameFilter(names) };
      const listed = await everyPage(rowsPerPage, (page) => records.list({ ...filter, ...page }));
      if (listed === undefined) throw inPieces(what);
      const rows = listed.flatMap((record) => toRow(record) ?? []);
      if (rows.length < listed.length) throw unreadable(`${at} answered ${what} with records that lack fields`, false);
      return rows;
    },
    async batch(zone, { deletes, posts }, call) {
      const what = batchText(deletes.length + posts.length, zone);
      const { records } = await connect(what, call);
      const answer = await records.batch({
        zone_id: zone.id,
        ...(deletes.length > 0 && { deletes: deletes.map((id) => ({ id })) }),
        // The SDK has a type for each type of record.
        ...(posts.length > 0 && { posts: posts as NonNullable<RecordBatchParams['posts']> }),
      });
      const read = {
        deleted: listOf(answer.deletes).flatMap((record) => toDeletedRow(record) ?? []),
        created: listOf(answer.posts).flatMap((record) => toRow(record) ?? []),
      };
      const isWhole =
        isReadWhole(deletes, answer.deletes, read.deleted) && isReadWhole(posts, answer.posts, read.created);
      if (!isWhole) throw unreadable(`${at} answered ${what} without telling what was done`, true);
      return read;
    },
  };

  function inPieces(what: string): ProviderError {
    const message = `${at}: ${what} changed while its pages were read. It is read again.`;
    return new ProviderError({ kind: 'unavailable', message });
  }
}

function listOf<T>(answered: readonly T[] | undefined): readonly T[] {
  return Array.isArray(answered) ? answered : [];
}

/** An answer that does not list what was asked for, or in a form that cannot be read. */
function isReadWhole(asked: readonly unknown[], answered: unknown, read: readonly unknown[]): boolean {
  return asked.length === 0 || (Array.isArray(answered) && answered.length === read.length);
}

/** `a batch of 3 changes in zone example.com` */
function batchText(changes: number, { name }: Zone): string {
  return `a batch of ${changes} ${changes === 1 ? 'change' : 'changes'} in zone ${name}`;
}

function unreadable(what: string, sent: boolean): ProviderError {
  return new ProviderError({ kind: 'unavailable', message: `${what}. It is looked at again.`, sent });
}

/** A page of some proxy must not be taken for an empty list. */
function hasResult(envelope: Readonly<Record<string, unknown>>, isWrite: boolean): envelope is Envelope {
  const { success, result } = envelope;
  return success === true && (isWrite ? typeof result === 'object' && result !== null : Array.isArray(result));
}
