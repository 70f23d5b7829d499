import type { DnsName } from '@zoneproof/dns';
import type { AdmissionRule } from './admission.ts';
import type { Capabilities } from './capabilities.ts';
import type { ProviderErrorKind } from './error.ts';
import type { DnsProvider, ProviderHost } from './provider.ts';
import type { SecretRef, SecretValue } from './secret.ts';
import type { Static, TObject } from './type.ts';

/** A problem of a provider block that the schema cannot say. `path` is relative to the block: `tsigKeyName`. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** A right that the credentials need at the vendor. */
export interface Permission {
  /** In the vendor's words: `route53:ChangeResourceRecordSets`. */
  readonly name: string;
  /** On what: `arn:aws:route53:::hostedzone/*`. */
  readonly on: string;
  readonly need: 'always' | 'optional';
  /** What it is for and, when optional, what happens without it. */
  readonly why: string;
}

/** A row of the docs: what a person may see, and what to do. */
export interface KnownError {
  readonly kind: ProviderErrorKind;
  /** The vendor's code or words: `InvalidClientTokenId`. */
  readonly seen: string;
  readonly advice: string;
}

/** What an access policy document is made for. */
export interface PolicyOptions {
  /** Only this zone; all zones of the account when left out. */
  readonly zoneId?: string;
  readonly region?: string;
  /** Also what is needed to write beside other writers at one name. */
  readonly merge?: boolean;
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
  /** The field of the block that names its zone, where there is one: `hostedZoneID`. Named when two zones have one name. */
  readonly zoneField?: string;
  /** For the docs and `zoneproof providers KEY`. */
  readonly permissions?: readonly Permission[];
  /** For the docs and `zoneproof providers KEY`: the errors that users meet. */
  readonly errors?: readonly KnownError[];
  /**
   * Fields that people take for those of this block, and what to say instead of "unknown field"; completes
   * `clientTokenSecretRef ...`: `belongs to Akamai: use fastdns`.
   */
  readonly misplacedFields?: Readonly<Record<string, string>>;
  /** What of `problems` an API server can tell when an Issuer is applied. */
  readonly admission?: readonly AdmissionRule[];
  /** The vendor's document that grants `permissions`, where it has such: a value to be printed as JSON. Pure. */
  policy?(options: PolicyOptions): object;
  /** Pure: no I/O, no clock. Called only with a config that satisfies `schema`. */
  problems?(config: Static<Schema>): readonly ConfigProblem[];
  /** Pure: what is wrong with the contents of the Secrets that the block refers to; those missing are not asked about. */
  secretProblems?(config: Static<Schema>, read: ReadSecret): readonly ConfigProblem[];
  /** Pure: whether the block can hold challenges of `domain`, where that can be told without asking the service. */
  serves?(config: Static<Schema>, read: ReadSecret, domain: DnsName): boolean | undefined;
  /**
   * Pure: whether the block asks for ambient credentials (E7): those of the environment, the machine or the cloud that
   * the process runs in. The host refuses such a block to those who may not use them. Left out: never.
   */
  ambient?(config: Static<Schema>): boolean;
  /**
   * Stable, no secret: access key id, project, host, server + key name. Pure. Where only a Secret reference tells
   * accounts apart, `namespace` (where the Secret is) has to be part of it.
   */
  account(config: Static<Schema>, namespace: string): string;
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
