import { type DnsName, isWithin } from '@zoneproof/dns';
import { type Clock, ProviderError, type RandomBytes } from '../contract/index.ts';
import { onAbort, pause, randomShare, systemTimers, type TimerHandle, type Timers } from '../time/index.ts';
import type { RepeatReason } from './apply.ts';
import { type BatchServices, runBatch } from './batch.ts';
import type { Ledger } from './ledger.ts';
import { createProviderCalls, type ProviderCalls } from './provider-calls.ts';
import { fillsBatch, takeBatch, Waiter, type WaitingRecord } from './queue.ts';
import { RetryTimes } from './retry-times.ts';
import { SlotKeeper } from './slot-keeper.ts';
import type { RecordWriter, WriteOutcome, WriteRequest, WriterEvent } from './writer.ts';

export interface RecordWriterOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timers?: Timers;
  /** Shared with everything else that calls providers, so that all keep to one limit an account. */
  readonly calls?: ProviderCalls;
  /** A batch leaves this long after the last arrival; default 100. */
  readonly windowMs?: number;
  /** And at the latest this long after the first; default 1000. */
  readonly maxWindowMs?: number;
  /** Deadline of one `apply`; default 30 000. */
  readonly callTimeoutMs?: number;
  onEvent?(event: WriterEvent): void;
}

export function createRecordWriter(options: RecordWriterOptions): RecordWriter {
  const { ledger, clock, random, timers = systemTimers, windowMs = 100, maxWindowMs = 1_000 } = options;
  const calls = options.calls ?? createProviderCalls(clock, timers);
  const listeners: ((owner: string) => void)[] = [];
  const lanes = new Map<string, Lane>();
  const busy = new Set<string>();
  const running = new Set<Promise<void>>();
  const waiting = new Set<Waiter>();
  const closing = new AbortController();
  const slots = new SlotKeeper(clock, timers, (owner) => {
    for (const listener of listeners) listener(owner);
  });
  const services: BatchServices = {
    ledger,
    clock,
    calls,
    slots,
    retryTimes: new RetryTimes(clock, random),
    callTimeoutMs: options.callTimeoutMs ?? 30_000,
    closing: closing.signal,
    pauseBeforeRepeat: (why, attempt, signal) =>
      pause(timers, repeatPauseMs[why] * attempt * (0.5 + randomShare(random)), signal),
    onEvent: (event) => options.onEvent?.(event),
  };

  function write(request: WriteRequest): Promise<readonly WriteOutcome[]> {
    const waiter = new Waiter(request);
    const wrong = request.records.find((record) => !isWithin(record.name, request.zone.name));
    if (wrong !== undefined) waiter.settleAll({ status: 'failed', error: outsideZone(request, wrong.name) });
    else if (request.signal.aborted || closing.signal.aborted) waiter.settleAll(stopped(request));
    if (waiter.done) return waiter.settled;

    const forget = onAbort(request.signal, () => waiter.settleAll(stopped(request)));
    waiting.add(waiter);
    void waiter.settled.then(() => {
      waiting.delete(waiter);
      forget();
    });
    arrive(waiter);
    return waiter.settled;
  }

  function arrive(waiter: Waiter): void {
    const { request } = waiter;
    const key = `${request.provider.account} ${request.zone.id}`;
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(key, request);
      lanes.set(key, lane);
    }
    const now = clock.now();
    lane.push(waiter);
    lane.firstAt ??= now;
    // It leaves when the batch under way has ended.
    if (lane.due && busy.has(lane.scopeKey)) return;
    if (lane.due || (lane.mayFillBatch && fillsBatch(lane.queue, lane.capabilities.batch))) {
      leave(lane);
      return;
    }
    const leaveAt = Math.min(now + windowMs, lane.firstAt + maxWindowMs);
    timers.clearTimeout(lane.timer);
    lane.timer = timers.setTimeout(() => leave(lane), leaveAt - now);
  }

  /** Sends all that is queued, as far as the write scope lets it. */
  function leave(lane: Lane): void {
    timers.clearTimeout(lane.timer);
    lane.due = true;
    while (!busy.has(lane.scopeKey)) {
      const next = takeBatch(lane.queue, lane.capabilities.batch, (name) => busy.has(lane.nameKey(name)));
      lane.queue = [...next.queue];
      if (next.records.length === 0) break;
      start(lane, next.records);
    }
    lane.queue = lane.queue.filter((waiter) => !waiter.done);
    if (lane.queue.length > 0) return;
    lane.reset();
    if (lane.inFlight === 0) lanes.delete(lane.key);
  }

  function start(lane: Lane, records: readonly WaitingRecord[]): void {
    const keys = lane.keysOf(records);
    for (const key of keys) busy.add(key);
    lane.inFlight++;
    const batch = runBatch(records, services)
      .catch((cause: unknown) => {
        for (const record of records) record.waiter.settle(record, broken(record.waiter.request, cause));
      })
      .finally(() => {
        running.delete(batch);
        for (const key of keys) busy.delete(key);
        lane.inFlight--;
        // Behind the other zones of the account, which may have waited for the same lock.
        lanes.delete(lane.key);
        lanes.set(lane.key, lane);
        for (const other of [...lanes.values()])
          if (other.account === lane.account && (other.due || other.queue.length === 0)) leave(other);
      });
    running.add(batch);
  }

  return {
    write,
    onSlotFree(listener) {
      listeners.push(listener);
    },
    async close() {
      closing.abort(new Error('the record writer was closed'));
      slots.close();
      for (const lane of lanes.values()) timers.clearTimeout(lane.timer);
      for (const waiter of waiting) waiter.settleAll(stopped(waiter.request));
      await Promise.allSettled([...running]);
    },
  };
}

/** One account's zone: what is queued for it and what is under way. */
class Lane {
  readonly key: string;
  readonly account: string;
  readonly capabilities: WriteRequest['provider']['capabilities'];
  queue: Waiter[] = [];
  firstAt: number | undefined;
  /** The window has passed: what is queued leaves as soon as it may. */
  due = false;
  timer: TimerHandle | undefined;
  inFlight = 0;
  #arrived = 0;
  #arrivedBytes = 0;

  constructor(key: string, request: WriteRequest) {
    this.key = key;
    this.account = request.provider.account;
    this.capabilities = request.provider.capabilities;
  }

  push(waiter: Waiter): void {
    this.queue.push(waiter);
    this.#arrived += waiter.records.length;
    for (const { value } of waiter.records) this.#arrivedBytes += Buffer.byteLength(value);
  }

  /** Nothing is queued any more. */
  reset(): void {
    this.due = false;
    this.firstAt = undefined;
    this.#arrived = 0;
    this.#arrivedBytes = 0;
  }

  /** Cheap to tell at each of thousands of arrivals; values wanted twice count twice. */
  get mayFillBatch(): boolean {
    const { maxChanges, maxValueBytes = Number.POSITIVE_INFINITY } = this.capabilities.batch;
    return this.#arrived >= maxChanges || this.#arrivedBytes >= maxValueBytes;
  }

  /** What at most one batch may hold; scopes `none` and `name` lock names only. */
  get scopeKey(): string {
    return this.capabilities.writeScope === 'account' ? `account ${this.account}` : `zone ${this.key}`;
  }

  nameKey(name: DnsName): string {
    return `name ${this.key} ${name}`;
  }

  keysOf(records: readonly WaitingRecord[]): readonly string[] {
    const { writeScope } = this.capabilities;
    // Even where the service needs no lock: present and absent of one value must not overtake each other.
    if (writeScope === 'none' || writeScope === 'name')
      return [...new Set(records.map((record) => this.nameKey(record.name)))];
    return [this.scopeKey];
  }
}

const repeatPauseMs: Readonly<Record<RepeatReason, number>> = { conflict: 40, unknown: 250, bisection: 0 };

function stopped({ provider, zone }: WriteRequest): WriteOutcome {
  const message = `${provider.displayName}: waiting for a write to zone ${zone.name} was stopped`;
  return { status: 'failed', error: new ProviderError({ kind: 'aborted', message }) };
}

function outsideZone({ provider, zone }: WriteRequest, name: DnsName): ProviderError {
  const message = `${provider.displayName}: ${name} does not lie in zone ${zone.name}`;
  return new ProviderError({ kind: 'invalid', message });
}

function broken({ provider, zone }: WriteRequest, cause: unknown): WriteOutcome {
  const reason = cause instanceof Error ? cause.message : 'no reason given';
  const message = `${provider.displayName}: writing to zone ${zone.name} broke off (${reason})`;
  return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message, cause }) };
}
