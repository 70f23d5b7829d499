import { type ChangeOutcome, ProviderError, type ProviderErrorKind, type TxtChange } from '@zoneproof/core';

/** `send`, or what became of the change without a request. */
export type SlotStep = 'send' | ChangeOutcome;

/** acme-dns keeps this many values a name and writes over the older one (db.go: two rows a subdomain). */
export const slotCount = 2;

/**
 * What is live + what is wanted -> what to send. Pure. `live` is undefined when nobody could be asked.
 *
 *   live ["a", "x"]   wanted "a", "b"   ->  unchanged, send
 *   live unknown      wanted "b"        ->  send, when the ledger holds nothing else at this name
 *
 * A value is sent only where that cannot cost another one that is still needed:
 * - `absent` sends nothing, since any request would write over a slot.
 * - A value that is live is not sent again: the second copy would write over the other slot.
 * - Two other values of ours that are live leave no slot.
 * - Unseen, a value is sent only when every other value that the ledger holds here is sent along. Wherever they were
 *   before, the last two of them end up in the two slots; a value of another order could be written over, so then
 *   nothing is sent.
 */
export function planSlots(
  changes: readonly TxtChange[],
  live: readonly string[] | undefined,
  at: string,
): readonly SlotStep[] {
  const wanted = new Set(changes.flatMap(({ state, value }) => (state === 'present' ? [value] : [])));
  return changes.map(({ state, value, held }): SlotStep => {
    if (state === 'absent' || live?.includes(value)) return { status: 'unchanged' };
    if (!/^[A-Za-z0-9_-]{43}$/.test(value))
      return failed(
        'invalid',
        `${at} cannot hold this value: acme-dns takes 43 characters of base64url and nothing else.`,
      );
    const others = held.values.filter((other) => other !== value);
    if (live === undefined && others.some((other) => !wanted.has(other)))
      return failed(
        'unavailable',
        `${at} holds a value of another order, and the DNS side of acme-dns does not answer here, so a write could evict it. Set nameserver to the address and port where acme-dns answers DNS queries.`,
      );
    if (others.filter((other) => live?.includes(other)).length >= slotCount)
      return failed('quota', `${at} holds ${slotCount} values that are still needed, and acme-dns has no third slot.`);
    return 'send';
  });
}

/**
 * What became of the changes. Pure. `refused` has the values that were not taken, `after` is what is live now.
 * A value that was there and has been written over by its sibling is a `conflict`: one more `apply` puts it into the
 * older slot.
 */
export function judgeSlots(
  changes: readonly TxtChange[],
  steps: readonly SlotStep[],
  refused: ReadonlyMap<string, ChangeOutcome>,
  reading: { readonly before: readonly string[] | undefined; readonly after: readonly string[] | undefined },
  at: string,
): readonly ChangeOutcome[] {
  const { before, after } = reading;
  return changes.map(({ state, value }, index): ChangeOutcome => {
    const step = steps[index] as SlotStep;
    if (step !== 'send') {
      const evicted = state === 'present' && step.status === 'unchanged' && after && !after.includes(value);
      return evicted
        ? failed('conflict', `${at}: the value next to it was written over it; it is written again.`)
        : step;
    }
    const refusal = refused.get(value);
    if (refusal) return refusal;
    if (before === undefined || after?.includes(value)) return { status: 'changed' };
    if (after === undefined)
      return { status: 'unknown', error: error('unavailable', `${at} took the value, but its DNS side went silent.`) };
    return failed(
      'unavailable',
      `${at}: acme-dns took the value, but its DNS side does not publish it (${after.length} others seen). Check that host and nameserver belong to one acme-dns, and that nothing else uses the account.`,
    );
  });
}

function failed(kind: ProviderErrorKind, message: string): ChangeOutcome {
  return { status: 'failed', error: error(kind, message) };
}

function error(kind: ProviderErrorKind, message: string): ProviderError {
  return new ProviderError({ kind, message });
}
