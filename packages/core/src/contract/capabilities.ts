/**
 * What a provider's service can do, as data. The record writer schedules by it, the docs are generated from it.
 */
export interface Capabilities {
  /**
   * How the service keeps TXT values:
   * record   one row a value
   * rrset    one set a name, replaced as a whole
   * message  adds and deletes by value, applied together by the server
   * slots    a ring of `maxValuesPerName` values: the next write evicts the oldest, and nothing can be deleted
   */
  readonly model: 'record' | 'rrset' | 'message' | 'slots';
  /** How many of our values may live at one name together. */
  readonly maxValuesPerName: number;
  /** The most that one `apply` may hold. `atomic`: one refused change refuses all (the writer then bisects). */
  readonly batch: { readonly maxChanges: number; readonly maxValueBytes?: number; readonly atomic: boolean };
  /** Inside this scope the writer has at most one `apply` in flight. */
  readonly writeScope: 'none' | 'name' | 'zone' | 'account';
  /**
   * The most writes of one value in one `apply`; default 2, an optimistic one and a corrected one. More only where the
   * vendor's rights keep a provider from reading what a refusal was about, or where one write takes several requests.
   */
  readonly writeAttempts?: number;
  /** The service notices a foreign write between our read and our write. */
  readonly compareAndSet: boolean;
  /** Seconds. */
  readonly ttl: { readonly min: number; readonly max: number; readonly default: number };
  /** The service tells when a change has reached its servers: `syncState`. */
  readonly sync: boolean;
  /** Published request limits of the account. The first bucket is the one `permit()` takes from by default. */
  readonly buckets: readonly RateBucket[];
}

/** A token bucket: `burst` requests at once, refilled at `perSecond`. `source` is the page the numbers come from. */
export interface RateBucket {
  readonly name: string;
  readonly burst: number;
  readonly perSecond: number;
  readonly source: string;
}
