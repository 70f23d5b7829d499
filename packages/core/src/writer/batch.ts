import type { DnsName } from '@zoneproof/dns';
import { type ChangeOutcome, type Clock, isProviderError, ProviderError, type TxtChange } from '../contract/index.ts';
import { onAbort } from '../time/index.ts';
import { applyUntilSettled, type RepeatReason, type SettledOutcome } from './apply.ts';
import { ledgerEntry, ledgerId } from './entry.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { ProviderCalls } from './provider-calls.ts';
import { valueKey, type Waiter, type WaitingRecord } from './queue.ts';
import type { RetryTimes } from './retry-times.ts';
import type { SlotKeeper } from './slot-keeper.ts';
import type { WriteOutcome, WriterEvent } from './writer.ts';

export interface BatchServices {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly calls: ProviderCalls;
  readonly slots: SlotKeeper;
  readonly retryTimes: RetryTimes;
  readonly callTimeoutMs: number;
  /** Fires when the writer is closed. */
  readonly closing: AbortSignal;
  pauseBeforeRepeat(why: RepeatReason, attempt: number, signal: AbortSignal): Promise<void>;
  onEvent(event: WriterEvent): void;
}

/** All records of a batch that want the same of one value. */
interface Group {
  readonly name: DnsName;
  readonly value: string;
  readonly state: 'present' | 'absent';
  readonly records: readonly WaitingRecord[];
}

// A longer pause is told to the callers instead of being waited for.
const longestPauseWaitedMs = 5_000;

/**
 * Carries out one batch: ledger first, then the zone, then the ledger again, and settles every record of it. The
 * caller has made sure that no other batch touches the names meanwhile.
 */
export async function runBatch(records: readonly WaitingRecord[], services: BatchServices): Promise<void> {
  const first = records[0];
  if (first === undefined) return;
  const { provider: bound, zone } = first.waiter.request;
  const { ledger, clock, calls, slots, retryTimes } = services;
  const isSlots = bound.capabilities.model === 'slots';

  const pausedMs = calls.limiter(bound).pausedUntil - clock.now();
  if (pausedMs > longestPauseWaitedMs) {
    const message = `${bound.displayName}: the service asked for a pause of ${Math.ceil(pausedMs / 1000)} s more`;
    const error = new ProviderError({ kind: 'rate-limited', message, retryAfterMs: pausedMs });
    const retryAt = retryTimes.shortlyAfter(calls.limiter(bound).pausedUntil);
    for (const record of records) record.waiter.settle(record, { status: 'failed', error, retryAt });
    return;
  }

  const stop = new AbortController();
  const waiters = [...new Set(records.map((record) => record.waiter))];
  const forget = [
    onAbort(services.closing, () => stop.abort(services.closing.reason)),
    ...waiters.map((waiter) => onAbort(waiter.request.signal, () => stopWhenNobodyWaits(waiters, stop))),
  ];
  try {
    const heldBefore = new Map<DnsName, readonly LedgerEntry[]>();
    for (const { name } of records)
      if (!heldBefore.has(name)) heldBefore.set(name, ledger.held(bound.account, zone.id, name));

    const admitted = isSlots ? slots.admit(records, heldBefore) : [];
    await recordIntents(open(records), heldBefore, admitted, services);

    const groups = group(open(records));
    const settleOnly: Group[] = [];
    const toWrite: Group[] = [];
    for (const one of groups) {
      const entries = heldBefore.get(one.name) ?? [];
      if (one.state === 'absent' && (isSlots || isWantedByOthers(one, entries))) settleOnly.push(one);
      else toWrite.push(one);
    }

    const outcomes = toWrite.length === 0 ? [] : await write(toWrite, heldBefore, stop.signal, services);
    const gone = toWrite.filter((one, at) => one.state === 'absent' && isConfirmed(outcomes[at]));
    await crossOut([...settleOnly, ...gone], services);

    for (const one of settleOnly) settle(one, { status: 'done', changed: false });
    retryTimes.note(bound.account, outcomes);
    toWrite.forEach((one, at) => {
      const outcome = outcomes[at];
      if (outcome !== undefined) settle(one, toWriteOutcome(outcome, one, services));
    });
  } finally {
    for (const one of forget) one();
  }
}

async function recordIntents(
  records: readonly WaitingRecord[],
  heldBefore: ReadonlyMap<DnsName, readonly LedgerEntry[]>,
  admitted: readonly LedgerEntry[],
  { ledger, clock, retryTimes }: BatchServices,
): Promise<void> {
  const entries = new Map(admitted.map((entry) => [entry.id, entry]));
  for (const record of records) {
    if (record.waiter.request.state === 'absent') continue;
    const entry = ledgerEntry(record, clock.now());
    const known = entries.get(entry.id) ?? heldBefore.get(record.name)?.find((other) => other.id === entry.id);
    if (known === undefined) entries.set(entry.id, entry);
    // The block may have changed since: what cleans up later has to use the newer one.
    else if (JSON.stringify(known.provider) !== JSON.stringify(entry.provider))
      entries.set(entry.id, { ...known, provider: entry.provider });
  }
  if (entries.size === 0) return;

  const refused = await recordPerOwner(ledger, [...entries.values()]);
  for (const record of records) {
    const cause = refused.get(record.waiter.request.owner);
    if (cause === undefined || record.waiter.request.state === 'absent') continue;
    const { provider, zone } = record.waiter.request;
    const error = new ProviderError({
      kind: 'unavailable',
      message: `${provider.displayName}: nothing was written to zone ${zone.name}, since the intent could not be stored (${shortReason(cause)})`,
      cause,
    });
    record.waiter.settle(record, { status: 'failed', error, retryAt: retryTimes.shortlyAfter(clock.now()) });
  }
}

/** One call for all; when it is refused, one for each owner, so that a deleted Order does not hold up the others. */
async function recordPerOwner(ledger: Ledger, entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, unknown>> {
  const refused = new Map<string, unknown>();
  const owners = [...new Set(entries.map((entry) => entry.owner))];
  try {
    await ledger.record(entries);
  } catch (error) {
    for (const owner of owners) {
      try {
        if (owners.length === 1) throw error;
        await ledger.record(entries.filter((entry) => entry.owner === owner));
      } catch (cause) {
        refused.set(owner, cause);
      }
    }
  }
  return refused;
}

async function write(
  groups: readonly Group[],
  heldBefore: ReadonlyMap<DnsName, readonly LedgerEntry[]>,
  signal: AbortSignal,
  services: BatchServices,
): Promise<readonly SettledOutcome[]> {
  const { provider: bound, zone } = groups[0]!.records[0]!.waiter.request;
  const { calls, clock, slots, callTimeoutMs, onEvent } = services;
  const ours = new HeldValues(heldBefore);
  const changes = groups.map(({ state, name, value }) => {
    return { state, name, value, ttl: bound.capabilities.ttl.default, held: ours.besides({ name, value }) };
  });
  const about = { account: bound.account, zone: zone.name };

  async function once(asked: readonly TxtChange[]): Promise<readonly ChangeOutcome[]> {
    // After a bisection or a repeat, what was done meanwhile is held too.
    const part = asked.map((change) => ({ ...change, held: ours.besides(change) }));
    const startedAt = clock.now();
    const what = `writing ${part.length === 1 ? '1 value' : `${part.length} values`} of zone ${zone.name}`;
    const outcomes = await calls
      .run(bound, what, { signal, timeoutMs: callTimeoutMs }, async (call) => {
        try {
          return complete(await bound.provider.apply(zone, part, call), part, bound.displayName);
        } catch (error) {
          if (!isProviderError(error) || call.signal.aborted) throw error;
          return part.map(() => ({ status: 'failed' as const, error }));
        }
      })
      // What ends a call from outside says nothing about whether the request had left.
      .catch((error: ProviderError) => part.map(() => ({ status: 'unknown' as const, error })));
    if (bound.capabilities.model === 'slots') for (const { name } of part) slots.wrote(bound.account, zone.id, name);
    part.forEach((change, at) => {
      if (isConfirmed(outcomes[at])) ours.note(change);
    });
    const limited = outcomes.find((one) => 'error' in one && one.error.kind === 'rate-limited');
    if (limited !== undefined && 'error' in limited) calls.limiter(bound).penalise(limited.error.details.retryAfterMs);
    onEvent({
      type: 'applied',
      ...about,
      changes: part.length,
      durationMs: clock.now() - startedAt,
      outcomes: countStatuses(outcomes),
    });
    return outcomes;
  }

  return applyUntilSettled(changes, bound.capabilities.batch.atomic, {
    once,
    stopped: () => signal.aborted,
    async beforeRepeat(why, count, attempt) {
      onEvent({ type: 'repeated', ...about, changes: count, why });
      await services.pauseBeforeRepeat(why, attempt, signal);
    },
  });
}

/** What the ledger says we hold at each name, kept up to date while a batch is carried out. */
class HeldValues {
  readonly #values = new Map<DnsName, Set<string>>();
  readonly #ttl = new Map<DnsName, number>();

  constructor(entries: ReadonlyMap<DnsName, readonly LedgerEntry[]>) {
    for (const [name, held] of entries) {
      this.#values.set(name, new Set(held.map((entry) => entry.value)));
      if (held[0] !== undefined) this.#ttl.set(name, held[0].ttl);
    }
  }

  besides({ name, value }: { readonly name: DnsName; readonly value: string }): TxtChange['held'] {
    const values = [...(this.#values.get(name) ?? [])].filter((other) => other !== value);
    return { values, ttl: values.length === 0 ? undefined : this.#ttl.get(name) };
  }

  note({ state, name, value, ttl }: TxtChange): void {
    const values = this.#values.get(name) ?? new Set();
    if (state === 'absent') values.delete(value);
    else values.add(value);
    this.#values.set(name, values);
    if (!this.#ttl.has(name)) this.#ttl.set(name, ttl);
  }
}

/** A provider that answers with too few outcomes has broken A3; what it left out may have been done. */
function complete(
  outcomes: readonly ChangeOutcome[],
  changes: readonly TxtChange[],
  displayName: string,
): readonly ChangeOutcome[] {
  return changes.map((_change, at): ChangeOutcome => {
    const outcome = outcomes[at];
    if (outcome !== undefined) return outcome;
    const message = `${displayName}: the provider package gave ${outcomes.length} outcomes for ${changes.length} changes. Report this to its maintainer.`;
    return { status: 'unknown', error: new ProviderError({ kind: 'unavailable', message }) };
  });
}

async function crossOut(groups: readonly Group[], { ledger, clock, slots, retryTimes }: BatchServices): Promise<void> {
  const records = groups.flatMap((one) => one.records);
  if (records.length === 0) return;
  try {
    // Also of records whose caller has stopped waiting: the value is gone all the same.
    await ledger.settle([...new Set(records.map((record) => ledgerId(record.waiter.request, record)))]);
  } catch (cause) {
    const error = new ProviderError({
      kind: 'unavailable',
      message: `the values are removed, but that could not be stored (${shortReason(cause)})`,
      cause,
    });
    for (const record of records)
      record.waiter.settle(record, { status: 'failed', error, retryAt: retryTimes.shortlyAfter(clock.now()) });
    return;
  }
  for (const record of records) if (record.waiter.request.provider.capabilities.model === 'slots') slots.freed(record);
}

function toWriteOutcome(
  outcome: SettledOutcome,
  one: Group,
  { calls, retryTimes, callTimeoutMs }: BatchServices,
): WriteOutcome {
  if (outcome.status === 'changed')
    return { status: 'done', changed: true, ...(outcome.receipt && { receipt: outcome.receipt }) };
  if (outcome.status === 'unchanged') return { status: 'done', changed: false };
  const { provider: bound, zone } = one.records[0]!.waiter.request;
  let { error } = outcome;
  // Nobody who still waits has aborted: it was the deadline of the call.
  if (error.kind === 'aborted')
    error = new ProviderError({
      kind: 'unavailable',
      message: `${bound.displayName}: writing to zone ${zone.name} took longer than ${callTimeoutMs / 1000} s`,
      cause: error,
    });
  const again = outcome.together === true || outcome.status === 'unknown';
  const retryAt = retryTimes.after(bound.account, error, calls.limiter(bound).pausedUntil, again);
  return { status: 'failed', error, ...(retryAt !== undefined && { retryAt }) };
}

function stopWhenNobodyWaits(waiters: readonly Waiter[], stop: AbortController): void {
  if (waiters.every((waiter) => waiter.request.signal.aborted)) stop.abort(waiters[0]?.request.signal.reason);
}

function isWantedByOthers(one: Group, held: readonly LedgerEntry[]): boolean {
  const own = new Set(one.records.map((record) => ledgerId(record.waiter.request, record)));
  return held.some((entry) => entry.value === one.value && !own.has(entry.id));
}

function group(records: readonly WaitingRecord[]): readonly Group[] {
  const groups = new Map<
    string,
    { name: DnsName; value: string; state: 'present' | 'absent'; records: WaitingRecord[] }
  >();
  for (const record of records) {
    const known = groups.get(valueKey(record));
    if (known !== undefined) known.records.push(record);
    else
      groups.set(valueKey(record), {
        name: record.name,
        value: record.value,
        state: record.waiter.request.state,
        records: [record],
      });
  }
  return [...groups.values()];
}

function open(records: readonly WaitingRecord[]): readonly WaitingRecord[] {
  return records.filter((record) => record.waiter.isOpen(record));
}

function settle(one: Group, outcome: WriteOutcome): void {
  for (const record of one.records) record.waiter.settle(record, outcome);
}

function isConfirmed(outcome: ChangeOutcome | undefined): boolean {
  return outcome?.status === 'changed' || outcome?.status === 'unchanged';
}

function countStatuses(outcomes: readonly ChangeOutcome[]): Record<ChangeOutcome['status'], number> {
  const counts = { changed: 0, unchanged: 0, failed: 0, unknown: 0 };
  for (const { status } of outcomes) counts[status]++;
  return counts;
}

function shortReason(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}
