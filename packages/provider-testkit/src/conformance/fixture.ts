import type { Egress, RecordTarget, RequiredAction } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';

/** Secret contents: name -> entry -> text. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What stands at a name, seen without the provider: by a DNS query, or in the emulator's own zone. */
export interface Observed {
  readonly values: readonly string[];
  /** Seconds; left out where the service has one fixed TTL. */
  readonly ttl?: number | undefined;
}

/** A running service and a block that works with it. Made once for a whole suite; every step takes names of its own. */
export interface Fixture {
  /** The provider's block. */
  readonly config: object;
  /** What the block refers to. Read at each use, so that `newTarget` may add to it. */
  readonly secrets: Secrets;
  /** Texts in `secrets` that may be printed nowhere; every entry as a whole counts anyway. */
  readonly canaries?: readonly string[];
  /** The same entries with contents that the service refuses. */
  readonly wrongSecrets?: Secrets;
  /** A name that the provider can write and nothing stands at yet; another one each time. */
  newTarget(): Promise<RecordTarget>;
  /** The independent observer. */
  observe(name: DnsName): Promise<Observed>;
  /** Another writer adds a value of its own. */
  plant(name: DnsName, value: string, ttl: number): Promise<void>;
  /** Names and the zones that hold them; `undefined` where no zone of these credentials does. */
  readonly zones: readonly { readonly target: RecordTarget; readonly zone: string | undefined }[];
  /** A target for which a person has to create a record first. */
  readonly personFirst?: { readonly target: RecordTarget; readonly action: RequiredAction };
  /** While it is on, the service answers a write as done and does not do it. */
  pretendWrites?(on: boolean): void;
  /** The way out that the kit wraps; a real one when left out. */
  readonly egress?: Egress;
  close(): Promise<void>;
}
