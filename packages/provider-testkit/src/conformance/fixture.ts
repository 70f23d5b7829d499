import type { Egress, ProviderErrorKind, RecordTarget, RequiredAction } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';

/** Secret contents: name -> entry -> text. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What stands at a name, seen without the provider: by a DNS query, or in the emulator's own zone. */
export interface Observed {
  /** One character per octet, as in `TxtChange`. */
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
  /** Bad days that this service can have; what it cannot have is set aside with the reason, under `E8 quota-reached`. */
  readonly badDays?: readonly BadDay[];
  /** Names zones until the list has more than one page; undoes it. */
  manyZones?(): Promise<() => void>;
  /** Forbids the question for the state of a change; undoes it. Capability `sync`. */
  forbidSync?(): () => void;
  /** The way out that the kit wraps; a real one when left out. */
  readonly egress?: Egress;
  close(): Promise<void>;
}

/** Days that services have. Each ends in a typed error or in success, with foreign values intact and no secret printed. */
export const badDayNames = [
  'wrong-key',
  'expired-credentials',
  'missing-permission',
  'clock-off',
  'zone-absent',
  'zone-twice-public',
  'zone-public-and-private',
  'zone-only-as-parent',
  'thousand-changes',
  'quota-reached',
  'half-of-batch-refused',
  'answer-lost',
  'throttled',
  'server-error',
  'html-page',
  'answer-lacks-fields',
  'answer-has-more-fields',
  'foreign-writer-in-between',
] as const;
export type BadDayName = (typeof badDayNames)[number];

/** One bad day: how it begins, and how it has to end. */
export interface BadDay {
  readonly name: BadDayName;
  /** Makes the service so. What it returns takes the place of the fixture's own for this day; `undo` ends the day. */
  arrange(): Promise<ArrangedDay> | ArrangedDay;
  /** What a write has to end in: this kind, or `done` when the day must not be noticed. */
  readonly ends: ProviderErrorKind | 'done';
  /** What the message has to say besides. */
  readonly says?: RegExp;
}

export interface ArrangedDay {
  readonly config?: object;
  readonly secrets?: Secrets;
  /** A name to write on this day instead of a fresh one of `newTarget`. */
  readonly target?: RecordTarget;
  undo?(): void | Promise<void>;
}
