import { type AccountKey, AccountKeyError, type AcmeClient, createAcmeClient, readAccountKey } from '@zoneproof/acme';
import {
  type BoundProvider,
  bindProvider,
  type CallContext,
  type Clock,
  createZoneFinder,
  type Egress,
  type LedgerEntry,
  type ProviderBlock,
  type ProviderCalls,
  type ProviderHost,
  type ProviderRegistry,
  type RandomBytes,
  type RecordTarget,
  type Timers,
  type Zone,
  type ZoneFinder,
} from '@zoneproof/core';
import type { RunEffect } from '../effects/effects.ts';
import { Problem } from '../reconcile/problem.ts';
import type { IssuerProvider, IssuerSession, Sessions } from '../reconcile/services.ts';
import type { Issuer, ProviderSpec } from '../resources/types.ts';
import type { Store } from '../store/index.ts';
import type { Tenancy } from '../tenancy/index.ts';
import { Credentials } from './credentials.ts';
import type { Observer } from './observer.ts';

export interface SessionOptions {
  readonly store: Pick<Store, 'get' | 'readSecret'>;
  readonly registry: ProviderRegistry;
  readonly tenancy: Tenancy;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timers: Timers;
  readonly calls: ProviderCalls;
  readonly run: RunEffect;
  /** See Services.changes. */
  readonly changes: () => number;
  readonly userAgent: string;
  /** Where the Secrets of a ClusterIssuer live. */
  readonly clusterResourceNamespace: string;
  readonly warn: (issuer: string, message: string) => void;
  readonly observer?: Observer;
}

interface CachedSession extends IssuerSession {
  readonly keyPem: string;
  readonly server: string;
  readonly caBundle: string | undefined;
  /** When the account key was read, and after how many changes by people. */
  readonly readAt: number;
  readonly changes: number;
}

/** A mounted file may change unseen: the account key is read again after this time. */
const keyAgeMs = 60_000;

/** The accounts and providers of all Issuers as live objects, made when first needed and kept while nothing changes. */
export class IssuerSessions implements Sessions {
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, CachedSession>();
  readonly #bound = new Map<string, Promise<BoundProvider>>();
  readonly #warned = new Set<string>();
  readonly #zones: ZoneFinder;
  readonly #credentials: Credentials;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#zones = createZoneFinder(options);
    this.#credentials = new Credentials(options.store);
  }

  secretNamespace(issuer: {
    readonly kind: Issuer['kind'];
    readonly metadata: { readonly namespace: string };
  }): string {
    return issuer.kind === 'ClusterIssuer' ? this.#options.clusterResourceNamespace : issuer.metadata.namespace;
  }

  async open(issuer: Issuer): Promise<IssuerSession> {
    const { server, caBundle, privateKeySecretRef } = issuer.spec.acme;
    const path = pathOf(issuer);
    const namespace = this.secretNamespace(issuer);
    const known = this.#sessions.get(path);
    const { clock, changes } = this.#options;
    const isSame = known !== undefined && known.server === server && known.caBundle === caBundle;
    const isFresh = isSame && known.changes === changes() && clock.now() - known.readAt < keyAgeMs;
    if (isFresh) return known;
    const keyPem = await this.#accountKeyPem(namespace, privateKeySecretRef.name);
    const read = { readAt: clock.now(), changes: changes() };
    if (isSame && known.keyPem === keyPem) {
      const session = { ...known, ...read };
      this.#sessions.set(path, session);
      return session;
    }
    const key = await readKey(keyPem, `${namespace}/${privateKeySecretRef.name}`);
    // Another look may have made the client meanwhile, and registered with it.
    const made = this.#sessions.get(path);
    if (made?.server === server && made.caBundle === caBundle && made.keyPem === keyPem) return made;
    const acme = this.#acmeClient(issuer, key);
    const session = { key, acme, keyPem, server, caBundle, ...read };
    this.#sessions.set(path, session);
    return session;
  }

  async externalAccount(issuer: Issuer): Promise<{ readonly keyId: string; readonly hmacKey: Uint8Array } | undefined> {
    const binding = issuer.spec.acme.externalAccountBinding;
    if (binding === undefined) return undefined;
    const value = await this.#credentials.handle(this.secretNamespace(issuer), binding.keySecretRef).get();
    return { keyId: binding.keyID, hmacKey: Buffer.from(value.text().trim(), 'base64url') };
  }

  async providers(
    issuer: Issuer,
  ): Promise<readonly (IssuerProvider | { readonly spec: ProviderSpec; readonly problem: Error })[]> {
    return Promise.all(
      issuer.spec.acme.dns01.providers.map(async (spec) => {
        try {
          return { spec, bound: await this.#bind(blockOf(issuer, spec)) };
        } catch (problem) {
          return { spec, problem: problem as Error };
        }
      }),
    );
  }

  async providerOf(entry: LedgerEntry): Promise<BoundProvider> {
    // As it is now, where that is still the same account: its credentials may have moved to another Secret since.
    const current = this.#currentBlock(entry.provider);
    const bound = current && (await this.#bind(current).catch(() => undefined));
    return bound?.account === entry.account ? bound : this.#bind(entry.provider);
  }

  #currentBlock({ issuer: path, name, key }: ProviderBlock): ProviderBlock | undefined {
    const [kind, namespace, issuerName] = path.split('/') as [Issuer['kind'], string, string];
    const issuer = this.#options.store.get(kind, namespace, issuerName);
    const spec = issuer?.spec.acme.dns01.providers.find((provider) => provider.name === name && key in provider);
    return issuer && spec && blockOf(issuer, spec);
  }

  findZone(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<Zone> {
    return this.#zones.find(bound, target, signal);
  }

  forgetZones(bound: BoundProvider): void {
    this.#zones.forget(bound);
  }

  /** After a change by a person: credentials may see other zones now. */
  async forgetAllZones(): Promise<void> {
    for (const bound of await Promise.allSettled(this.#bound.values()))
      if (bound.status === 'fulfilled') this.#zones.forget(bound.value);
  }

  async close(): Promise<void> {
    const bound = await Promise.allSettled(this.#bound.values());
    await Promise.all(
      bound.map((result) => (result.status === 'fulfilled' ? result.value.provider.close?.() : undefined)),
    );
  }

  #acmeClient(issuer: Issuer, key: AccountKey): AcmeClient {
    const { server, caBundle } = issuer.spec.acme;
    const account = issuer.status.acme;
    const { egress: way } = this.#options.tenancy.of(issuer.kind);
    const egress = caBundle === undefined ? way : way.withCaBundle(caBundle);
    return createAcmeClient({
      directoryUrl: server,
      http: observedHttp((request) => egress.http(request), server, this.#options),
      key,
      clock: this.#options.clock,
      userAgent: this.#options.userAgent,
      ...(account?.accountURL === undefined || account.server !== server || account.keyThumbprint !== key.thumbprint
        ? {}
        : { accountUrl: account.accountURL }),
    });
  }

  /** One object for one block, however many Issuers, orders and ledger entries speak of it. */
  #bind(block: ProviderBlock): Promise<BoundProvider> {
    const key = JSON.stringify(block);
    const known = this.#bound.get(key);
    if (known !== undefined) return known;
    const bound = this.#newProvider(block);
    this.#bound.set(key, bound);
    bound.catch(() => this.#bound.delete(key));
    return bound;
  }

  async #newProvider(block: ProviderBlock): Promise<BoundProvider> {
    const { registry, tenancy } = this.#options;
    const plugin = await registry.load(block.key);
    const errors = (await registry.validate(block.key, block.config)).filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      const told = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
      throw new Problem('ProviderInvalid', `${block.key} "${block.name}": ${told}`, 'change');
    }
    const egress = tenancy.of(kindOf(block)).egressOf(plugin, block);
    const bound = bindProvider(plugin, block, this.#host(block, egress));
    return { ...bound, provider: this.#withEffects(bound.provider) };
  }

  /** Each `apply` is one effect: a crash test stops before and after it. */
  #withEffects(provider: BoundProvider['provider']): BoundProvider['provider'] {
    const { run } = this.#options;
    return Object.create(provider, {
      apply: {
        value: (zone: Zone, changes: Parameters<typeof provider.apply>[1], call: CallContext) => {
          const isWrite = changes.some(({ state }) => state === 'present');
          return run(isWrite ? 'order.present' : 'order.remove-values', () =>
            this.#credentials.during(isWrite ? 'write' : 'remove', () => provider.apply(zone, changes, call)),
          );
        },
      },
    });
  }

  #host(block: ProviderBlock, egress: Egress): Omit<ProviderHost, 'providerName'> {
    const { clock, random, warn } = this.#options;
    const namespace =
      kindOf(block) === 'ClusterIssuer'
        ? this.#options.clusterResourceNamespace
        : (block.issuer.split('/')[1] as string);
    return {
      egress,
      dns: egress.dns,
      clock,
      random,
      secret: (ref) => this.#credentials.handle(namespace, ref),
      warn: (message) => {
        const text = `${block.key} "${block.name}": ${message}`;
        if (this.#warned.has(text)) return;
        this.#warned.add(text);
        warn(block.issuer, text);
      },
    };
  }

  async #accountKeyPem(namespace: string, name: string): Promise<string> {
    const secret = await this.#options.store.readSecret(namespace, name);
    if (secret === undefined)
      throw new Problem('KeyMissing', `Secret ${namespace}/${name} does not exist yet.`, 'change');
    const pem = secret.data.get('tls.key');
    if (pem === undefined)
      throw new Problem(
        'AccountKeyUnreadable',
        `Secret ${namespace}/${name} has no entry tls.key. Put the account key there, or delete the Secret to get a new account.`,
        'change',
      );
    return Buffer.from(pem).toString('utf8');
  }
}

type Http = Egress['http'];

/** By the host that the Issuer names: a CA may lead its requests to any number of others. */
function observedHttp(http: Http, server: string, { observer, clock }: SessionOptions): Http {
  if (observer === undefined) return http;
  const { host } = new URL(server);
  return async (request) => {
    const startedAt = clock.now();
    let status: number | undefined;
    try {
      const answer = await http(request);
      ({ status } = answer);
      return answer;
    } finally {
      observer.caRequest({ host, durationMs: clock.now() - startedAt, ...(status === undefined ? {} : { status }) });
    }
  };
}

async function readKey(pem: string, secret: string): Promise<AccountKey> {
  try {
    return await readAccountKey(pem);
  } catch (error) {
    if (!(error instanceof AccountKeyError)) throw error;
    throw new Problem(
      'AccountKeyUnreadable',
      `Entry tls.key of Secret ${secret}: ${error.message} It is not overwritten; correct it, or delete the Secret to get a new account.`,
      'change',
      undefined,
      error,
    );
  }
}

function pathOf(issuer: Issuer): string {
  return `${issuer.kind}/${issuer.metadata.namespace}/${issuer.metadata.name}`;
}

function kindOf({ issuer }: ProviderBlock): Issuer['kind'] {
  return issuer.startsWith('ClusterIssuer/') ? 'ClusterIssuer' : 'Issuer';
}

function blockOf(issuer: Issuer, spec: ProviderSpec): ProviderBlock {
  const { name, selector: _selector, ...blocks } = spec;
  const [key, config] = Object.entries(blocks)[0] ?? ['', {}];
  return { issuer: pathOf(issuer), name, key, config: config as object };
}
