import type { DnsName } from '@zoneproof/dns';
import type { Capabilities } from '../contract/index.ts';
import type { WriteOutcome, WriteRequest } from './writer.ts';

/** One request on its way: settled record by record. */
export class Waiter {
  readonly request: WriteRequest;
  readonly records: readonly WaitingRecord[];
  readonly settled: Promise<readonly WriteOutcome[]>;
  readonly #outcomes: (WriteOutcome | undefined)[];
  readonly #resolve: (outcomes: readonly WriteOutcome[]) => void;
  #open: number;

  constructor(request: WriteRequest) {
    this.request = request;
    this.records = request.records.map(({ name, value }, at) => ({ waiter: this, at, name, value }));
    this.#outcomes = request.records.map(() => undefined);
    this.#open = request.records.length;
    const { promise, resolve } = deferred<readonly WriteOutcome[]>();
    this.settled = promise;
    this.#resolve = resolve;
    if (this.done) resolve([]);
  }

  get done(): boolean {
    return this.#open === 0;
  }

  isOpen(record: WaitingRecord): boolean {
    return this.#outcomes[record.at] === undefined;
  }

  /** The first outcome of a record counts. */
  settle(record: WaitingRecord, outcome: WriteOutcome): void {
    if (!this.isOpen(record)) return;
    this.#outcomes[record.at] = outcome;
    this.#open--;
    if (this.#open === 0) this.#resolve(this.#outcomes.filter((known) => known !== undefined));
  }

  settleAll(outcome: WriteOutcome): void {
    for (const record of this.records) this.settle(record, outcome);
  }
}

export interface WaitingRecord {
  readonly waiter: Waiter;
  /** Its place in the request. */
  readonly at: number;
  readonly name: DnsName;
  readonly value: string;
}

/** Identifies a value within a zone. */
export function valueKey(record: { readonly name: DnsName; readonly value: string }): string {
  return `${record.name} ${record.value}`;
}

export interface NextBatch {
  readonly records: readonly WaitingRecord[];
  /** What stays in the queue, in order: everything that is open and not in the batch. */
  readonly queue: readonly Waiter[];
}

/**
 * Takes the next batch from a queue, oldest first:
 *
 * - no more values and octets than declared; requests for the same value share one change;
 * - the records of one request together, unless they alone exceed the limits;
 * - per name in the order of asking: what has to wait (its name is busy, or the batch wants the other state of the
 *   same value) holds back everything behind it at its names.
 */
export function takeBatch(
  queue: readonly Waiter[],
  limits: Capabilities['batch'],
  isBusy: (name: DnsName) => boolean,
): NextBatch {
  const records: WaitingRecord[] = [];
  const rest: Waiter[] = [];
  const states = new Map<string, 'present' | 'absent'>();
  const held = new Set<DnsName>();
  let bytes = 0;
  let full = false;
  let block: string | undefined;

  for (const waiter of queue) {
    const open = waiter.records.filter((record) => waiter.isOpen(record));
    if (open.length === 0) continue;
    const { state } = waiter.request;
    const own = blockKey(waiter.request);
    const fresh = distinct(open).filter((record) => !states.has(valueKey(record)));
    const freshBytes = fresh.reduce((sum, record) => sum + Buffer.byteLength(record.value), 0);
    const mustWait =
      full ||
      (block !== undefined && block !== own) ||
      open.some((record) => held.has(record.name) || isBusy(record.name)) ||
      open.some((record) => (states.get(valueKey(record)) ?? state) !== state);
    const fits =
      states.size + fresh.length <= limits.maxChanges && bytes + freshBytes <= (limits.maxValueBytes ?? Infinity);

    if (!mustWait && fits) {
      for (const record of fresh) states.set(valueKey(record), state);
      records.push(...open);
      bytes += freshBytes;
      block = own;
      continue;
    }
    if (!mustWait && records.length === 0) {
      const part = new Set(firstThatFit(fresh, limits).map(valueKey));
      for (const key of part) states.set(key, state);
      records.push(...open.filter((record) => part.has(valueKey(record))));
      block = own;
    }
    if (!mustWait) full = true;
    rest.push(waiter);
    for (const record of open) held.add(record.name);
  }
  return { records, queue: rest };
}

/** True when the queue fills a batch, so that there is nothing to wait for. */
export function fillsBatch(queue: readonly Waiter[], limits: Capabilities['batch']): boolean {
  const values = new Set<string>();
  let bytes = 0;
  for (const waiter of queue)
    for (const record of waiter.records) {
      if (!waiter.isOpen(record) || values.has(valueKey(record))) continue;
      values.add(valueKey(record));
      bytes += Buffer.byteLength(record.value);
      if (values.size >= limits.maxChanges || bytes >= (limits.maxValueBytes ?? Infinity)) return true;
    }
  return false;
}

function firstThatFit(records: readonly WaitingRecord[], limits: Capabilities['batch']): readonly WaitingRecord[] {
  let bytes = 0;
  let count = 0;
  for (const record of records) {
    bytes += Buffer.byteLength(record.value);
    if (count === limits.maxChanges || (count > 0 && bytes > (limits.maxValueBytes ?? Infinity))) break;
    count++;
  }
  return records.slice(0, count);
}

function distinct(records: readonly WaitingRecord[]): readonly WaitingRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => {
    const isNew = !seen.has(valueKey(record));
    seen.add(valueKey(record));
    return isNew;
  });
}

/** Two blocks may share an account and still hold different Secrets: one batch is sent with one block's credentials. */
function blockKey({ provider: { block } }: WriteRequest): string {
  return `${block.issuer} ${block.name} ${JSON.stringify(block.config)}`;
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((toResolve) => {
    resolve = toResolve;
  });
  return { promise, resolve };
}
