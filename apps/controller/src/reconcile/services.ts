import type { AccountKey, AcmeClient } from '@zoneproof/acme';
import type {
  BoundProvider,
  Clock,
  Ledger,
  LedgerEntry,
  Preflight,
  RandomBytes,
  RecordTarget,
  RecordWriter,
  SelfCheck,
  SyncSignal,
  Zone,
} from '@zoneproof/core';
import type { RunEffect } from '../effects/effects.ts';
import type { Certificate, Issuer, Kind, ProviderSpec } from '../resources/types.ts';
import type { Store } from '../store/index.ts';
import type { Reason } from './reasons.ts';

/** One line about one object, for the log and the progress display. Holds no secret. */
export interface Report {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly reason: Reason;
  readonly message: string;
  /** When it is tried again, where that is known. */
  readonly retryAt?: number;
}

/** One element of an Issuer's providers, ready to use. */
export interface IssuerProvider {
  readonly spec: ProviderSpec;
  readonly bound: BoundProvider;
}

/** What an Issuer stands for at run time. Rebuilt when its spec or its account key changes. */
export interface IssuerSession {
  readonly key: AccountKey;
  readonly acme: AcmeClient;
}

export interface Sessions {
  /** Where the Secrets live that the Issuer refers to. */
  secretNamespace(issuer: Issuer): string;
  /** @throws Problem `KeyMissing` when there is no account key, `AccountKeyUnreadable` when it cannot be used */
  open(issuer: Issuer): Promise<IssuerSession>;
  /** The CA's own account that ours is to be bound to. @throws ProviderError when its Secret is missing */
  externalAccount(issuer: Issuer): Promise<{ readonly keyId: string; readonly hmacKey: Uint8Array } | undefined>;
  /** The Issuer's providers; one that is invalid or not installed is a Problem in its place. */
  providers(
    issuer: Issuer,
  ): Promise<readonly (IssuerProvider | { readonly spec: ProviderSpec; readonly problem: Error })[]>;
  /** The provider that a value was written through, from the ledger alone. @throws */
  providerOf(entry: LedgerEntry): Promise<BoundProvider>;
  /** The zone of `target` at one provider, cached. @throws ProviderError */
  findZone(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<Zone>;
  /** What is known of this provider's zones does not hold any more. */
  forgetZones(bound: BoundProvider): void;
}

/** Everything that reconcilers work with. */
export interface Services {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly writer: RecordWriter;
  readonly ledger: Ledger;
  /** What providers say themselves of their propagation. */
  readonly sync: SyncSignal;
  /** The self check as this Issuer wants it. */
  selfCheckOf(issuer: Issuer): SelfCheck;
  /** In the same way. */
  preflightOf(issuer: Issuer): Pick<Preflight, 'denials'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly run: RunEffect;
  readonly report: (report: Omit<Report, 'at'>) => void;
  /** Ends when the controller stops. */
  readonly signal: AbortSignal;
  /** Grows with each change a person made: a Problem that waits for a change is then tried again. */
  changes(): number;
  /** Called when a new certificate was stored; once more when a crash makes its last steps be repeated. */
  issued(certificate: Certificate): void;
  /** Looks at the object again as soon as a worker is free. */
  wake(key: string): void;
  /** Runs work that nobody waits for, then looks at the object again. */
  inBackground(key: string, work: () => Promise<void>): void;
}

/** A random number in [0, 1). */
export function fraction(random: RandomBytes): number {
  return Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
}
