import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, type RandomBytes, systemClock, systemRandom } from '../inputs.ts';
import { resourcesAt } from './directory.ts';
import { createFaults, type Faults } from './faults.ts';
import { createIssuer } from './issue.ts';
import { createNonces } from './nonces.ts';
import { orderStatus } from './orders.ts';
import { createRequestListener } from './requests.ts';
import type { Ca, CaCounts, CaSettings, IssuedCertificate } from './state.ts';
import { createValidate, type ValidationDns } from './validate.ts';

export interface CaOptions extends Partial<CaSettings> {
  readonly dns: ValidationDns;
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** HMAC keys by key id; when given, accounts are opened with an external account binding only. */
  readonly eab?: Readonly<Record<string, Uint8Array>>;
  /** Name to description, as the directory shows them. */
  readonly profiles?: Readonly<Record<string, string>>;
  readonly termsOfService?: string;
  /** 127.0.0.1 unless said. */
  readonly address?: string;
  /** A free one unless said. */
  readonly port?: number;
}

export interface SandboxCa {
  readonly directoryUrl: string;
  /** The throw-away root of the CA's HTTPS certificate and of every certificate it issues. */
  readonly rootPem: string;
  /** Changes count from the next request on. */
  readonly settings: CaSettings;
  readonly faults: Faults;
  readonly counts: Readonly<CaCounts>;
  /** The newest last. */
  issued(): readonly IssuedCertificate[];
  orders(): readonly { readonly names: readonly string[]; readonly status: string }[];
  /** Ends every connection and validation. */
  close(): Promise<void>;
}

const day = 24 * 60 * 60 * 1000;

/** Starts an ACME CA (RFC 8555) over HTTPS that validates dns-01 against the DNS it is given. */
export async function startAcmeCa(options: CaOptions): Promise<SandboxCa> {
  const { clock = systemClock, random = systemRandom, address = '127.0.0.1' } = options;
  const settings: CaSettings = {
    certificateLifetimeMs: options.certificateLifetimeMs ?? 90 * day,
    orderLifetimeMs: options.orderLifetimeMs ?? 7 * day,
    authorizationLifetimeMs: options.authorizationLifetimeMs ?? 30 * day,
    processingMs: options.processingMs ?? 0,
    nonceRejectPercent: options.nonceRejectPercent ?? 0,
    authzReuse: options.authzReuse ?? 'none',
    retryAfter: options.retryAfter,
  };
  const issuer = await createIssuer(random);
  const tls = await issuer.serverCertificate({ addresses: [address], hosts: ['localhost'] });
  const closing = new AbortController();
  const server = createServer({ ...tls, keepAliveTimeout: 60_000 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, address, resolve);
  });
  const origin = `https://${address.includes(':') ? `[${address}]` : address}:${(server.address() as AddressInfo).port}`;

  let lastId = 0;
  const ca: Ca = {
    clock,
    random,
    settings,
    faults: createFaults(),
    counts: {
      requests: 0,
      badNonces: 0,
      accounts: 0,
      orders: 0,
      validations: 0,
      failedValidations: 0,
      certificates: 0,
    },
    resources: resourcesAt(origin),
    issuer,
    validate: createValidate(options.dns, closing.signal),
    termsOfService: options.termsOfService,
    profiles: options.profiles,
    eab: options.eab,
    accounts: new Map(),
    accountsByThumbprint: new Map(),
    orders: new Map(),
    authorizations: new Map(),
    challenges: new Map(),
    latestAuthorization: new Map(),
    latestOrder: new Map(),
    certificates: new Map(),
    nextId: () => ++lastId,
  };
  const nonces = createNonces(random, () => settings.nonceRejectPercent);
  server.on('request', createRequestListener(ca, nonces, origin));

  return {
    directoryUrl: ca.resources.directory,
    rootPem: issuer.rootPem,
    settings,
    faults: ca.faults,
    counts: ca.counts,
    issued: () => [...ca.certificates.values()],
    orders: () =>
      [...ca.orders.values()].map((order) => ({ names: order.names, status: orderStatus(order, clock.now()) })),
    async close() {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
