import type { DnsName } from '@zoneproof/dns';
import type { Clock, RandomBytes } from '../inputs.ts';
import type { Resources } from './directory.ts';
import type { FaultSwitches } from './faults.ts';
import type { CertificateIssuer } from './issue.ts';
import type { PublicKey } from './jws.ts';
import type { Problem } from './problem.ts';
import type { Validate } from './validate.ts';

/** What may be changed while the CA runs; each request reads it anew. */
export interface CaSettings {
  /** 90 days unless said. */
  certificateLifetimeMs: number;
  /** Life of an order and of a pending authorization; 7 days. */
  orderLifetimeMs: number;
  /** For how long a valid authorization stays so; 30 days. */
  authorizationLifetimeMs: number;
  /** How long an order stays `processing` after finalize; 0. */
  processingMs: number;
  /** Share of good nonces that is refused all the same; 0. */
  nonceRejectPercent: number;
  /**
   * `none`: each order has authorizations of its own. `valid`: valid ones of the account are used again. `all`: so are
   * pending ones, and an open order for the same names is returned instead of a second one, as Boulder does.
   */
  authzReuse: 'none' | 'valid' | 'all';
  /** Sent with orders and authorizations that are under way; a number is seconds, a text an HTTP date. */
  retryAfter: number | string | undefined;
}

/** What happened so far. */
export interface CaCounts {
  requests: number;
  badNonces: number;
  accounts: number;
  orders: number;
  validations: number;
  failedValidations: number;
  certificates: number;
}

export interface Account {
  readonly id: number;
  readonly key: PublicKey;
  readonly eabKeyId: string | undefined;
  status: 'valid' | 'deactivated';
  contact: readonly string[];
}

export interface Authorization {
  readonly id: number;
  readonly account: Account;
  /** Without `*.`. */
  readonly name: DnsName;
  readonly wildcard: boolean;
  readonly challenges: readonly Challenge[];
  /** `expired` is read off the clock, never stored. */
  status: 'pending' | 'valid' | 'invalid' | 'deactivated';
  expiresAt: number;
}

export interface Challenge {
  readonly id: number;
  readonly type: 'dns-01' | 'http-01';
  readonly token: string;
  status: 'pending' | 'processing' | 'valid' | 'invalid';
  validatedAt?: number;
  error?: Problem;
}

export interface Order {
  readonly id: number;
  readonly account: Account;
  /** In the order asked for, with `*.`. */
  readonly names: readonly string[];
  readonly profile: string | undefined;
  readonly authorizations: readonly Authorization[];
  readonly expiresAt: number;
  /** Set by finalize; seen by the client from `availableAt` on. */
  certificate?: IssuedCertificate;
  availableAt?: number;
  error?: Problem;
}

export interface IssuedCertificate {
  /** Upper-case hexadecimal. */
  readonly serial: string;
  readonly account: Account;
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Leaf and intermediate. */
  readonly pemChain: string;
}

/** Everything the resources of the CA work on. */
export interface Ca {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly settings: CaSettings;
  readonly faults: FaultSwitches;
  readonly counts: CaCounts;
  readonly resources: Resources;
  readonly issuer: CertificateIssuer;
  readonly validate: Validate;
  readonly termsOfService: string | undefined;
  readonly profiles: Readonly<Record<string, string>> | undefined;
  readonly eab: Readonly<Record<string, Uint8Array>> | undefined;
  readonly accounts: Map<number, Account>;
  readonly accountsByThumbprint: Map<string, Account>;
  readonly orders: Map<number, Order>;
  readonly authorizations: Map<number, Authorization>;
  readonly challenges: Map<number, { readonly authorization: Authorization; readonly challenge: Challenge }>;
  /** The newest for an account and a name or set of names: what `authzReuse` looks at. */
  readonly latestAuthorization: Map<string, Authorization>;
  readonly latestOrder: Map<string, Order>;
  readonly certificates: Map<string, IssuedCertificate>;
  nextId(): number;
}

/** A resource's answer before nonce and links are added. `undefined` body: none. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Readonly<Record<string, unknown>>;
}
