import { randomBytes } from 'node:crypto';
import { type DnsName, formatTxt, isWithin, toDnsName } from '@zoneproof/dns';
import {
  type ApiAnswer,
  type ApiRequest,
  type EmulatedZones,
  type EmulatorServer,
  type PublishedTxt,
  startEmulatorServer,
} from '../emulator/index.ts';
import { Refusal, refused } from './answers.ts';
import { type ApiState, actionOf, answerCall } from './api.ts';
import { authenticate, type CloudflarePermission, type Credentials } from './credentials.ts';
import { RateLimit, tooMany } from './rate-limit.ts';
import { logicalValue } from './txt-content.ts';
import { EmulatedZone, newId, planLimits, type ZoneLimits } from './zone.ts';

export type { CloudflarePermission } from './credentials.ts';

export interface CloudflareOptions {
  /** Names of active zones; more by `addZone`. */
  readonly zones?: readonly string[];
  /** Of the API token; default: the two that issuing certificates needs. */
  readonly permissions?: readonly CloudflarePermission[];
  /** Default 1,200, as published. */
  readonly requestsPer5Minutes?: number;
  /** Epoch milliseconds; default the system's clock. */
  readonly now?: () => number;
}

export interface AddedZone {
  readonly name: string;
  /** Default `active`. */
  readonly status?: 'initializing' | 'pending' | 'active' | 'moved';
  /** Default `full`; `internal` is a private zone. */
  readonly type?: 'full' | 'partial' | 'secondary' | 'internal';
  /** Default `pro`: 3,500 operations a batch and 3,500 records. */
  readonly plan?: 'free' | 'pro';
  /** Instead of the plan's. */
  readonly maxRecords?: number;
}

/** The part of Cloudflare's API that DNS01 needs: zones, their records, batches of changes. */
export interface CloudflareEmulator extends EmulatorServer, EmulatedZones {
  /** The base URL: `https://127.0.0.1:PORT/client/v4`. */
  readonly endpoint: string;
  /** A user's e-mail address with the Global API Key, which may do everything. */
  readonly email: string;
  readonly apiKey: string;
  readonly apiToken: string;
  /** Of the token; may be changed at any time. */
  readonly permissions: Set<CloudflarePermission>;
  /** The token is refused from now on; the result takes it back. */
  expireToken(): () => void;
  /** The new zone's id. */
  addZone(zone: AddedZone): string;
  removeZone(id: string): void;
  /** Another client adds a record beside or instead of TXT. */
  plantCname(name: DnsName, target: DnsName): void;
  /** Another client adds a value in the form given, quoted or not. */
  plantContent(name: DnsName, content: string, ttl: number): void;
  /** Another client gives the record of a value another content; its id stays. */
  edit(name: DnsName, value: string, content: string): void;
  /** Another client removes a value. */
  uproot(name: DnsName, value: string): void;
}

export async function startCloudflare(options: CloudflareOptions = {}): Promise<CloudflareEmulator> {
  const now = options.now ?? Date.now;
  const listeners: ((change: PublishedTxt) => void)[] = [];
  const zones = new Map<string, EmulatedZone>();
  const limit = options.requestsPer5Minutes ?? 1200;
  const rate = new RateLimit(limit);
  const credentials: Credentials = {
    email: 'admin@example.com',
    apiKey: randomBytes(19).toString('hex').slice(0, 37),
    apiToken: randomBytes(30).toString('base64url'),
    tokenExpiresAt: Number.POSITIVE_INFINITY,
    permissions: new Set(options.permissions ?? ['Zone:Zone:Read', 'Zone:DNS:Edit']),
  };
  const state: ApiState = { zones, now, published: tell };

  /** Active public zones alone are served: https://developers.cloudflare.com/dns/zone-setups/reference/domain-status/ */
  function zoneFor(name: DnsName): EmulatedZone | undefined {
    const served = [...zones.values()].filter((zone) => zone.status === 'active' && zone.type === 'full');
    return served
      .filter((zone) => isWithin(name, zone.name))
      .sort((a, b) => b.name.length - a.name.length)
      .at(0);
  }

  function published(name: DnsName): PublishedTxt {
    const rows = (zoneFor(name)?.rows() ?? []).filter((row) => row.name === name && row.type === 'TXT');
    const values = rows.map(({ content }) => logicalValue(content) ?? content);
    const [ttl] = rows.map((row) => (row.ttl === 1 ? automaticTtl : row.ttl)).sort((a, b) => a - b);
    return { name, values, ttl };
  }

  function tell(names: readonly string[]): void {
    for (const name of names) for (const listener of listeners) listener(published(toDnsName(name)));
  }

  function plantRow(name: DnsName, row: { readonly type: string; readonly content: string; readonly ttl: number }) {
    const zone = zoneFor(name);
    if (zone === undefined) throw new Error(`no zone holds ${name}`);
    tell(zone.transact(now(), (draft) => draft.add({ name, ...row })).changed);
  }

  function rowOf(name: DnsName, value: string) {
    const zone = zoneFor(name);
    const row = zone?.rows().find((one) => one.name === name && logicalValue(one.content) === value);
    if (zone === undefined || row === undefined) throw new Error(`${name} has no such value`);
    return { zone, row };
  }

  function answer(request: ApiRequest, pretend: boolean): ApiAnswer {
    try {
      rate.take(now());
      const may = authenticate(request, credentials, now());
      return answerCall({ request, pretend, may }, state);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.status === 429 ? throttled(rate.secondsLeft(now())) : refused(error);
    }
  }

  function throttled(retryAfterSeconds: number | undefined): ApiAnswer {
    const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return { ...refused(tooMany(limit)), headers: wait };
  }

  /** https://developers.cloudflare.com/fundamentals/reference/cloudflare-ray-id/ */
  function withHeaders(to: ApiAnswer): ApiAnswer {
    return { ...to, headers: { 'cf-ray': `${newId().slice(0, 16)}-FRA`, ...rate.headers(now()), ...to.headers } };
  }

  const server = await startEmulatorServer({
    actionOf,
    isWrite: (action) => action === 'BatchDnsRecords',
    answer: (request, { pretend }) => withHeaders(answer(request, pretend)),
    throttled: (retryAfterSeconds) => withHeaders(throttled(retryAfterSeconds)),
    // assumed: the code.
    unavailable: () => withHeaders(refused(new Refusal(503, 7010, 'Service unavailable'))),
  });

  function addZone({ name, status = 'active', type = 'full', plan = 'pro', maxRecords }: AddedZone): string {
    const limits: ZoneLimits = { ...planLimits[plan], ...(maxRecords !== undefined && { records: maxRecords }) };
    const zone = new EmulatedZone(toDnsName(name), status, type, limits);
    zones.set(zone.id, zone);
    return zone.id;
  }
  for (const name of options.zones ?? []) addZone({ name });

  return {
    ...server,
    endpoint: `${server.origin}/client/v4`,
    email: credentials.email,
    apiKey: credentials.apiKey,
    apiToken: credentials.apiToken,
    permissions: credentials.permissions,
    expireToken() {
      credentials.tokenExpiresAt = now();
      return () => {
        credentials.tokenExpiresAt = Number.POSITIVE_INFINITY;
      };
    },
    addZone,
    removeZone: (id) => void zones.delete(id),
    published,
    plant: (name, value, ttl) => plantRow(name, { type: 'TXT', content: formatTxt(value), ttl }),
    plantContent: (name, content, ttl) => plantRow(name, { type: 'TXT', content, ttl }),
    plantCname: (name, target) => plantRow(name, { type: 'CNAME', content: target, ttl: 300 }),
    edit(name, value, content) {
      const { zone, row } = rowOf(name, value);
      tell(zone.transact(now(), (draft) => draft.edit(row.id, content)).changed);
    },
    uproot(name, value) {
      const { zone, row } = rowOf(name, value);
      tell(zone.transact(now(), (draft) => draft.remove(row.id)).changed);
    },
    onPublish(listener) {
      listeners.push(listener);
    },
  };
}

// https://developers.cloudflare.com/dns/manage-dns-records/reference/ttl/
const automaticTtl = 300;
