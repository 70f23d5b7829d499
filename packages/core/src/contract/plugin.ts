import type { DnsName } from '@zoneproof/dns';
import type { Capabilities } from './capabilities.ts';
import type { DnsProvider, ProviderHost } from './provider.ts';
import type { SecretRef, SecretValue } from './secret.ts';
import type { Static, TObject } from './type.ts';

/** A problem of a provider block that the schema cannot say. `path` is relative to the block: `tsigKeyName`. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** Reads one Secret entry offline; undefined when it is not there. */
export type ReadSecret = (ref: SecretRef) => SecretValue | undefined;

/**
 * What a provider package exports, made with {@link defineProvider}.
 *
 * P1  `key` equals the marker `zoneproof.provider` of the package's package.json.
 * P2  `account(config)` is the same for configurations that share limits at the vendor, and holds no secret.
 */
export interface ProviderPlugin<Schema extends TObject = TObject> {
  readonly apiVersion: 1;
  /** The block's key in an Issuer: `rfc2136`. */
  readonly key: string;
  /** The vendor's name for people: `RFC 2136 dynamic update`. */
  readonly displayName: string;
  /** TypeBox, limited to what a structural schema of a CRD allows; every field described. */
  readonly schema: Schema;
  readonly capabilities: Capabilities;
  /** The smallest block that works, shown by `zoneproof providers KEY` and run by tests. */
  readonly example: Static<Schema>;
  /** Pure: no I/O, no clock. Called only with a config that satisfies `schema`. */
  problems?(config: Static<Schema>): readonly ConfigProblem[];
  /** Pure: what is wrong with the contents of the Secrets that the block refers to; those missing are not asked about. */
  secretProblems?(config: Static<Schema>, read: ReadSecret): readonly ConfigProblem[];
  /** Pure: whether the block can hold challenges of `domain`, where that can be told without asking the service. */
  serves?(config: Static<Schema>, read: ReadSecret, domain: DnsName): boolean | undefined;
  /** Stable, no secret: access key id, project, host, server + key name. Pure. */
  account(config: Static<Schema>): string;
  /** Constructs without I/O; the vendor SDK is imported on the first call that needs it. */
  create(config: Static<Schema>, host: ProviderHost): DnsProvider;
}

const brand = Symbol.for('zoneproof.ProviderPlugin');

/** Marks an object as a provider plugin of contract version 1. */
export function defineProvider<const Schema extends TObject>(
  plugin: Omit<ProviderPlugin<Schema>, 'apiVersion'>,
): ProviderPlugin<Schema> {
  return Object.defineProperty({ apiVersion: 1 as const, ...plugin }, brand, { value: true });
}

/** True for a plugin made by any copy of this package. */
export function isProviderPlugin(value: unknown): value is ProviderPlugin {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
