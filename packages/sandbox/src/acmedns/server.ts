import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type DnsServer, labelsOf, toDnsName } from '@zoneproof/dns';
import { type DnsListener, listenDns } from '../dns/listener.ts';
import { appendLog, type QueryEntry } from '../dns/log.ts';
import { readRequest, writeAnswer } from '../dns/respond.ts';
import { createZone, type PlainRecord, recordsAt, soaOf, type ZoneData, zoneOf } from '../dns/zone-data.ts';
import { type Clock, type RandomBytes, systemClock, systemRandom } from '../inputs.ts';
import { type AcmeDnsAccount, createAccounts } from './accounts.ts';
import { answerAcmeDns } from './answer.ts';
import { type AcmeDnsFault, createApi } from './api.ts';

export interface AcmeDnsOptions {
  /** The zone it serves; its NS is the zone's own name, as acme-dns is usually set up. */
  readonly domain: string;
  /** Address record of that name; the listening address unless said. */
  readonly publishedAddress?: string;
  /** 127.0.0.1 unless said. */
  readonly address?: string;
  /** Free ones unless said. */
  readonly apiPort?: number;
  readonly dnsPort?: number;
  /** Key and chain (PEM): the API is HTTPS then, plain HTTP without. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** False: /register is not there. */
  readonly registration?: boolean;
  readonly clock?: Clock;
  readonly random?: RandomBytes;
}

export interface SandboxAcmeDns {
  /** Base URL of the API, without a final slash. */
  readonly url: string;
  readonly dns: DnsServer;
  readonly domain: string;
  accounts(): readonly AcmeDnsAccount[];
  /** As POST /register. */
  register(allowfrom?: readonly string[]): AcmeDnsAccount;
  /** The live values at a fulldomain. */
  values(fulldomain: string): readonly string[];
  /** Accepted updates, the newest last. */
  readonly updates: readonly { readonly subdomain: string; readonly value: string }[];
  readonly requests: Readonly<Record<AcmeDnsFault['at'], number>>;
  readonly queries: readonly QueryEntry[];
  failNext(fault: AcmeDnsFault): void;
  /** The DNS side answers nothing while this is true. */
  silent: boolean;
  close(): Promise<void>;
}

/** Starts a double of acme-dns: its HTTP API and its DNS server. */
export async function startAcmeDns(options: AcmeDnsOptions): Promise<SandboxAcmeDns> {
  const { address = '127.0.0.1', clock = systemClock, random = systemRandom } = options;
  const domain = toDnsName(options.domain);
  const zone = staticZone(domain, options.publishedAddress ?? address);
  const accounts = createAccounts(domain, clock, random);
  const faults: AcmeDnsFault[] = [];
  const updates: { subdomain: string; value: string }[] = [];
  const requests = { register: 0, update: 0, health: 0 };
  const queries: QueryEntry[] = [];

  const api = createApi({
    accounts,
    registration: options.registration ?? true,
    takeFault(at) {
      const index = faults.findIndex((fault) => fault.at === at);
      return index === -1 ? undefined : faults.splice(index, 1)[0];
    },
    onUpdate(subdomain, value) {
      appendLog(updates, { subdomain, value });
    },
    onRequest(at) {
      requests[at]++;
    },
  });
  const listener: DnsListener = await listenDns(address, options.dnsPort ?? 0, (wire, transport) => {
    if (acmeDns.silent) return undefined;
    const request = readRequest(wire);
    if (!request || request instanceof Uint8Array) return request;
    const [question] = request.questions;
    if (request.opcode !== 'QUERY' || !question) return writeAnswer(request, { rcode: 'NOTIMP' }, transport);
    appendLog(queries, { name: question.name, type: question.type, transport, server: listener.server });
    return writeAnswer(request, answerAcmeDns(question, zone, accounts), transport);
  });

  const http = options.tls ? createHttpsServer(options.tls, api) : createHttpServer(api);
  try {
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject).listen(options.apiPort ?? 0, address, resolve);
    });
  } catch (error) {
    await listener.close();
    throw error;
  }
  const host = address.includes(':') ? `[${address}]` : address;

  const acmeDns: SandboxAcmeDns = {
    url: `${options.tls ? 'https' : 'http'}://${host}:${(http.address() as AddressInfo).port}`,
    dns: listener.server,
    domain,
    accounts: accounts.all,
    register: (allowfrom = []) => accounts.register(allowfrom),
    values: (fulldomain) => accounts.values(labelsOf(toDnsName(fulldomain))[0] ?? '') ?? [],
    updates,
    requests,
    queries,
    failNext: (fault) => void faults.push(fault),
    silent: false,
    async close() {
      await Promise.all([
        listener.close(),
        new Promise<void>((resolve) => {
          http.close(() => resolve());
          http.closeAllConnections();
        }),
      ]);
    },
  };
  return acmeDns;
}

/** The records an acme-dns configuration usually has, with its SOA's TTL of an hour and minimum of a day. */
function staticZone(domain: string, address: string): ZoneData {
  const record: PlainRecord = { name: domain, type: address.includes(':') ? 'AAAA' : 'A', value: address, ttl: 3600 };
  const zone = createZone(domain, [domain], [record]);
  const soa = soaOf(zone);
  const others = recordsAt(zone, zone.apex).filter((one) => one.type !== 'SOA');
  const timers = { refresh: 28_800, retry: 7200, expire: 604_800, minimum: 86_400 };
  return zoneOf(
    zone.apex,
    new Map([[zone.apex, [{ ...soa, ttl: 3600, data: { ...soa.data, ...timers } }, ...others]]]),
  );
}
