import type { ChangeOutcome, ProviderError, TxtChange } from '@zoneproof/core';
import type { DnsName, UpdateRecord } from '@zoneproof/dns';
import type { TxtView } from './txt-view.ts';

/** A name as it was read, or why it could not be. */
export type Seen = TxtView | ProviderError;

/**
 * What to do about one change: it is settled without a write, or `record` has to go into the UPDATE.
 * `unseen` marks a delete whose effect no query can show.
 */
export type Step =
  | { readonly settled: ChangeOutcome }
  | { readonly settled?: never; readonly record: UpdateRecord; readonly unseen: boolean };

/**
 * What is there + what is wanted -> what to send. Pure.
 *
 *   there    _acme-challenge 3600 TXT "a"
 *   wanted   present "a", present "b", absent "c"
 *   steps    unchanged, add 3600 "b", unchanged
 *
 * An add takes over the TTL of the RRset, because the server would give the whole RRset that of the add.
 * At an alias an add is sent all the same: the CNAME may come from a wildcard, and then the server takes it; otherwise
 * it ignores it (RFC 2136 3.4.2.2) and the reading afterwards shows that. Below a zone cut the server would hide the
 * record and keep it, so that nothing is added there, but a value written before the cut was made can be deleted.
 */
export function planSteps(
  changes: readonly TxtChange[],
  seen: ReadonlyMap<DnsName, Seen>,
  inTheWay: (view: TxtView, name: DnsName) => ProviderError,
): readonly Step[] {
  const freshTtls = new Map<DnsName, number>();
  return changes.map((change): Step => {
    const { name, state, value } = change;
    const view = seen.get(name);
    if (view === undefined || view instanceof Error) return { settled: { status: 'failed', error: view! } };
    if (view.kind === 'no-answer') return { settled: { status: 'failed', error: inTheWay(view, name) } };
    if (state === 'absent') {
      if (view.kind === 'delegation') return { record: { op: 'delete', name, value }, unseen: true };
      if (view.kind === 'alias' || !view.values.includes(value)) return { settled: { status: 'unchanged' } };
      return { record: { op: 'delete', name, value }, unseen: false };
    }
    if (view.kind === 'delegation') return { settled: { status: 'failed', error: inTheWay(view, name) } };
    if (view.kind === 'rrset' && view.values.includes(value)) return { settled: { status: 'unchanged' } };
    const ttl = (view.kind === 'rrset' ? view.ttl : undefined) ?? freshTtls.get(name) ?? change.ttl;
    freshTtls.set(name, ttl);
    return { record: { op: 'add', name, ttl, value }, unseen: false };
  });
}

/** Whether a view shows the wanted state. Pure. */
export function shows(view: TxtView, change: TxtChange): boolean {
  const there = view.kind === 'rrset' && view.values.includes(change.value);
  return there === (change.state === 'present');
}
