import type { DnsName } from '@zoneproof/dns';
import { type Clock, ProviderError } from '../contract/index.ts';
import { onAbort } from '../time/index.ts';
import type { RepeatReason, SettledOutcome } from './apply.ts';
import { ledgerId } from './entry.ts';
import { type Group, group, isConfirmed } from './group.ts';
import { crossOut, recordIntents } from './journal.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import { longestPauseWaitedMs } from './limiter.ts';
import type { ProviderCalls } from './provider-calls.ts';
import type { Waiter, WaitingRecord } from './queue.ts';
import type { RetryTimes } from './retry-times.ts';
import { sendBatch } from './send.ts';
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
    const message = `${bound.displayName}: the service asked for a pause of ${Math.ceil(pausedMs / 1000)} s more; it goes on by itself`;
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

    const outcomes = toWrite.length === 0 ? [] : await sendBatch(toWrite, heldBefore, stop.signal, services);
    const gone = toWrite.filter((one, at) => one.state === 'absent' && isConfirmed(outcomes[at]));
    await crossOut([...settleOnly, ...gone], services);

    for (const one of settleOnly) settle(one, { status: 'done', changed: false });
    retryTimes.note(
      bound.account,
      outcomes.filter((outcome) => !('error' in outcome && calls.isOwnRefusal(outcome.error))),
    );
    toWrite.forEach((one, at) => {
      const outcome = outcomes[at];
      if (outcome !== undefined) settle(one, toWriteOutcome(outcome, one, services));
    });
  } finally {
    for (const one of forget) one();
  }
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

function open(records: readonly WaitingRecord[]): readonly WaitingRecord[] {
  return records.filter((record) => record.waiter.isOpen(record));
}

function settle(one: Group, outcome: WriteOutcome): void {
  for (const record of one.records) record.waiter.settle(record, outcome);
}
