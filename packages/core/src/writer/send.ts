import type { DnsName } from '@zoneproof/dns';
import { type ChangeOutcome, isProviderError, ProviderError, type TxtChange } from '../contract/index.ts';
import { applyUntilSettled, type SettledOutcome } from './apply.ts';
import type { BatchServices } from './batch.ts';
import { type Group, isConfirmed } from './group.ts';
import type { LedgerEntry } from './ledger.ts';

/** Brings the values of a batch into the zone; one outcome per group. */
export async function sendBatch(
  groups: readonly Group[],
  heldBefore: ReadonlyMap<DnsName, readonly LedgerEntry[]>,
  signal: AbortSignal,
  services: BatchServices,
): Promise<readonly SettledOutcome[]> {
  const { provider: bound, zone } = groups[0]!.records[0]!.waiter.request;
  const { calls, clock, slots, callTimeoutMs, onEvent } = services;
  const ours = new HeldValues(heldBefore);
  const changes = groups.map(({ state, name, value }) => {
    const ttl = ours.ttlAt(name) ?? bound.capabilities.ttl.default;
    return { state, name, value, ttl, held: ours.besides({ name, value }) };
  });
  const about = { provider: bound.block.key, account: bound.account, zone: zone.name };

  async function once(asked: readonly TxtChange[]): Promise<readonly ChangeOutcome[]> {
    // After a bisection or a repeat, what was done meanwhile is held too.
    const part = asked.map((change) => ({ ...change, held: ours.besides(change) }));
    const startedAt = clock.now();
    const what = `writing ${part.length === 1 ? '1 value' : `${part.length} values`} of zone ${zone.name}`;
    const outcomes = await calls
      .run(bound, what, { operation: 'apply', signal, timeoutMs: callTimeoutMs, errorIn: firstError }, async (call) => {
        try {
          return complete(await bound.provider.apply(zone, part, call), part, bound.displayName);
        } catch (error) {
          if (!isProviderError(error) || call.signal.aborted) throw error;
          const status = error.details.sent === true ? 'unknown' : 'failed';
          return part.map((): ChangeOutcome => ({ status, error }));
        }
      })
      // What ends a call from outside says nothing about whether the request had left.
      .catch((error: ProviderError) => part.map(() => ({ status: 'unknown' as const, error })));
    if (bound.capabilities.model === 'slots') for (const { name } of part) slots.wrote(bound.account, zone.id, name);
    part.forEach((change, at) => {
      if (isConfirmed(outcomes[at])) ours.note(change);
    });
    for (const error of new Set(outcomes.flatMap((one) => ('error' in one ? one.error : []))))
      calls.noteError(bound, error);
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

  /** Seconds; what the first of our values at the name was written with. */
  ttlAt(name: DnsName): number | undefined {
    return this.#ttl.get(name);
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

function firstError(outcomes: readonly ChangeOutcome[]): ProviderError | undefined {
  for (const outcome of outcomes) if ('error' in outcome) return outcome.error;
  return undefined;
}

function countStatuses(outcomes: readonly ChangeOutcome[]): Record<ChangeOutcome['status'], number> {
  const counts = { changed: 0, unchanged: 0, failed: 0, unknown: 0 };
  for (const { status } of outcomes) counts[status]++;
  return counts;
}
