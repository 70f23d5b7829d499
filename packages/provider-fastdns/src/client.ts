import {
  type CallContext,
  clockOffsetMs,
  createApiRequests,
  type HttpAnswer,
  type HttpRequest,
  isProviderError,
  jsonObject,
  ProviderError,
  type ProviderHost,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import {
  type ChangeListDiff,
  type ChangeListInfo,
  type ListedZone,
  listIn,
  readDiff,
  readList,
  readSets,
  readZone,
  totalOf,
} from './answers.ts';
import { type FastdnsConfig, originOf } from './config.ts';
import { credentialReader } from './credentials.ts';
import { signRequest, type UnsignedRequest } from './edgegrid.ts';
import { answerError, isForeignPage, isNoRecordSet } from './errors.ts';
import type { Page } from './pages.ts';
import type { SetEdit, TxtSet } from './record-set.ts';

/** The operations of the Edge DNS API v2 that are used. Each is one request, and throws ProviderError. */
export interface Client {
  /** One page of the primary zones, from page 1 on; `total` where the API tells it. */
  zones(page: number, pageSize: number, call: CallContext): Promise<ZonePage>;
  zone(zone: string, call: CallContext): Promise<ListedZone>;
  /** All or none; refused with 409 when one of them is there. https://techdocs.akamai.com/edge-dns/reference/post-zones-zone-recordsets */
  createSets(zone: string, sets: readonly TxtSet[], call: CallContext): Promise<void>;
  /** Undefined when there is none. https://techdocs.akamai.com/edge-dns/reference/get-zone-name-type */
  set(zone: string, name: DnsName, call: CallContext): Promise<TxtSet | undefined>;
  /** One page of the TXT sets. https://techdocs.akamai.com/edge-dns/reference/get-zones-zone-recordsets */
  sets(zone: string, page: number, pageSize: number, call: CallContext): Promise<Page<TxtSet>>;
  /** `stale`: in place of a stale one of ours. https://techdocs.akamai.com/edge-dns/reference/post-changelists */
  createList(zone: string, overwrite: 'none' | 'stale', call: CallContext): Promise<ChangeListInfo>;
  list(zone: string, call: CallContext): Promise<ChangeListInfo>;
  /** https://techdocs.akamai.com/edge-dns/reference/get-changelists-zone-diff */
  diff(zone: string, call: CallContext): Promise<ChangeListDiff>;
  stage(zone: string, edit: SetEdit, call: CallContext): Promise<void>;
  submit(zone: string, call: CallContext): Promise<void>;
  dropList(zone: string, call: CallContext): Promise<void>;
}

export interface ZonePage extends Page<ListedZone> {
  /** How far this machine's clock is ahead of Akamai's. */
  readonly clockOffsetMs: number | undefined;
}

const root = '/config-dns/v2';
/** A thousand zones are about 400 KB. */
const maxBytes = 16 * 1024 * 1024;

export function createClient(config: FastdnsConfig, host: ProviderHost): Client {
  const origin = originOf(config);
  const at = `${host.providerName}: ${new URL(origin).host}`;
  const readCredentials = credentialReader(config, host);
  const egress = config.caBundle === undefined ? host.egress : host.egress.withCaBundle(config.caBundle);
  const requests = createApiRequests(host, { http: async (request) => egress.http(await signed(request)) });

  /** The SDK decides how the URL is written: what is sent is what was signed. */
  async function signed(request: HttpRequest): Promise<HttpRequest> {
    const { pathname, search } = new URL(request.url);
    const body = request.body === undefined ? {} : { body: request.body as string };
    const unsigned = { method: request.method as UnsignedRequest['method'], path: pathname + search, ...body };
    const { url, authorization } = signRequest(unsigned, origin, await readCredentials(), host);
    return { ...request, url, headers: { ...request.headers, authorization } };
  }

  async function ask(
    method: UnsignedRequest['method'],
    path: string,
    what: string,
    call: CallContext,
    content?: object,
  ): Promise<HttpAnswer> {
    const url = new URL(root + path, origin);
    if (config.accountSwitchKey !== undefined) url.searchParams.set('accountSwitchKey', config.accountSwitchKey);
    const request = {
      method,
      url: url.href,
      headers: { accept: 'application/json', ...(content && { 'content-type': 'application/json' }) },
      ...(content && { body: JSON.stringify(content) }),
      maxBytes,
    };
    return requests.send(request, what, call);
  }

  /** The object in an answer of the API; empty where it has no body. @throws ProviderError for what is no 2xx or no answer of the API */
  function bodyOf(answer: HttpAnswer, what: string, isWrite: boolean): Readonly<Record<string, unknown>> {
    if (answer.status < 200 || answer.status > 299)
      throw answerError(answer, { what, at, isWrite, now: host.clock.now() });
    const body = answer.body.length === 0 ? {} : jsonObject(answer.body);
    if (isForeignPage(answer) || body === undefined) throw notTheApi(answer.status, what, isWrite);
    return body;
  }

  async function send(...[method, path, what, call, content]: Parameters<typeof ask>): Promise<Answered> {
    const answer = await ask(method, path, what, call, content);
    return { answer, body: bodyOf(answer, what, method !== 'GET') };
  }

  function theirNow(answer: HttpAnswer): number {
    const now = host.clock.now();
    return now - (clockOffsetMs(answer.headers, now) ?? 0);
  }

  function notTheApi(status: number, what: string, isWrite: boolean): ProviderError {
    return new ProviderError({
      kind: 'unavailable',
      message: `${at} answered ${status} to ${what}, but not as the API does. Check serviceConsumerDomain, and proxies on the way. It is asked again later.`,
      httpStatus: status,
      sent: isWrite,
    });
  }

  return {
    async zones(page, pageSize, call) {
      const query = `types=PRIMARY&sortBy=zone&page=${page}&pageSize=${pageSize}`;
      const { answer, body } = await send('GET', `/zones?${query}`, 'the list of zones', call);
      const offset = clockOffsetMs(answer.headers, host.clock.now());
      const all = listIn(body.zones);
      if (!Array.isArray(body.zones)) throw notTheApi(answer.status, 'the list of zones', false);
      return { items: all.flatMap(readZone), length: all.length, total: totalOf(body), clockOffsetMs: offset };
    },

    async zone(zone, call) {
      const { body } = await send('GET', `/zones/${part(zone)}`, `the state of zone ${zone}`, call);
      return readZone({ ...body, zone })[0] as ListedZone;
    },

    async createSets(zone, sets, call) {
      const recordsets = sets.map(({ name, ttl, rdata }) => ({ name, type: 'TXT', ttl, rdata }));
      const what = `${recordsets.length === 1 ? `the new TXT set ${sets[0]?.name}` : `${recordsets.length} new TXT sets`} of zone ${zone}`;
      await send('POST', `/zones/${part(zone)}/recordsets`, what, call, { recordsets });
    },

    async set(zone, name, call) {
      const path = `/zones/${part(zone)}/names/${part(name)}/types/TXT`;
      const what = `the TXT set ${name}`;
      const answer = await ask('GET', path, what, call);
      if (isNoRecordSet(answer)) return undefined;
      const sets = readSets([{ name, ...bodyOf(answer, what, false) }]);
      if (sets === undefined) throw notTheApi(answer.status, what, false);
      return sets[0];
    },

    async sets(zone, page, pageSize, call) {
      const path = `/zones/${part(zone)}/recordsets?types=TXT&sortBy=name%2Ctype&page=${page}&pageSize=${pageSize}`;
      const what = `the TXT sets of zone ${zone}`;
      const { answer, body } = await send('GET', path, what, call);
      const all = listIn(body.recordsets);
      const sets = readSets(all);
      if (sets === undefined || !Array.isArray(body.recordsets)) throw notTheApi(answer.status, what, false);
      return { items: sets, total: totalOf(body), length: all.length };
    },

    async createList(zone, overwrite, call) {
      const path = `/changelists?zone=${part(zone)}${overwrite === 'none' ? '' : `&overwrite=${overwrite}`}`;
      const { answer, body } = await send('POST', path, `a change list of zone ${zone}`, call);
      return readList(body, theirNow(answer));
    },

    async list(zone, call) {
      const { answer, body } = await send('GET', `/changelists/${part(zone)}`, `the change list of zone ${zone}`, call);
      return readList(body, theirNow(answer));
    },

    async diff(zone, call) {
      const what = `what is staged for zone ${zone}`;
      const { answer, body } = await send('GET', `/changelists/${part(zone)}/diff`, what, call);
      const diff = readDiff(body);
      if (diff === undefined) throw notTheApi(answer.status, what, false);
      return diff;
    },

    async stage(zone, edit, call) {
      const path = `/changelists/${part(zone)}/recordsets/add-change`;
      await send('POST', path, `the change of TXT set ${edit.name}`, call, { ...edit, type: 'TXT' });
    },

    async submit(zone, call) {
      await send('POST', `/changelists/${part(zone)}/submit`, `the change list of zone ${zone}`, call);
    },

    async dropList(zone, call) {
      await send('DELETE', `/changelists/${part(zone)}`, `the removal of the change list of zone ${zone}`, call);
    },
  };
}

/** True for an answer of the API with this status. */
export function isRefusal(error: unknown, status: number): error is ProviderError {
  return isProviderError(error) && error.details.httpStatus === status;
}

/** Another change of the zone is under way: https://github.com/dns-aid/dns-aid-core/pull/202 */
export function isConcurrent(error: ProviderError): boolean {
  return /concurrent/i.test(error.details.vendorCode ?? '');
}

interface Answered {
  readonly answer: HttpAnswer;
  readonly body: Readonly<Record<string, unknown>>;
}

const part = encodeURIComponent;
