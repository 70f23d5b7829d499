import type { LedgerEntry } from '@zoneproof/core';
import type { Issuer } from '../resources/types.ts';
import { cleanupFinalizer } from './order-act.ts';
import { abandonAfterMs } from './order-decide.ts';
import type { Services } from './services.ts';

/** What an Issuer that is being deleted is still needed for. */
export interface Release {
  /** TXT values that were written through it and are still in their zones. */
  readonly open: readonly LedgerEntry[];
  /** Orders whose values may come into the ledger any moment. */
  readonly running: number;
}

export type ReleaseStep =
  /** Nothing needs it any more; or, after ten minutes, `left` is what was given up. */
  { readonly do: 'release'; readonly left: readonly LedgerEntry[] };

/** Nothing tells an Issuer of the end of an Order. */
const lookMs = 2_000;

/**
 * When an Issuer that is being deleted may go. Pure. It stays while values that were written with its credentials are in zones,
 * and ten minutes at most: somebody who deletes a whole namespace must not wait for ever for a Secret that is gone, too.
 */
export function decideRelease(
  { metadata: { deletedAt = 0, finalizers = [] } }: Issuer,
  { open, running }: Release,
  now: number,
): { readonly step: ReleaseStep | undefined; readonly wakeAt?: number } {
  if (!finalizers.includes(cleanupFinalizer)) return { step: undefined };
  if (open.length === 0 && running === 0) return { step: { do: 'release', left: [] } };
  const endAt = deletedAt + abandonAfterMs;
  return now >= endAt
    ? { step: { do: 'release', left: open } }
    : { step: undefined, wakeAt: Math.min(endAt, now + lookMs) };
}

/** What still needs the Issuer. Entries name it, however their Orders came to it. */
export function seeRelease(
  { kind, metadata: { namespace, name } }: Issuer,
  { store }: Pick<Services, 'store'>,
): Release {
  const orders = store.list('Order');
  const path = `${kind}/${namespace}/${name}`;
  const running = orders.filter(
    ({ metadata, spec, status }) =>
      status.result === undefined &&
      metadata.deletedAt === undefined &&
      spec.issuerRef.kind === kind &&
      spec.issuerRef.name === name &&
      (kind === 'ClusterIssuer' || metadata.namespace === namespace),
  );
  const open = orders.flatMap(({ status }) => (status.ledger ?? []).filter(({ provider }) => provider.issuer === path));
  return { open, running: running.length };
}

/** Lets the Issuer go. */
export async function release({ kind, metadata }: Issuer, { left }: ReleaseStep, services: Services): Promise<void> {
  const { run, store, report } = services;
  const { namespace, name } = metadata;
  if (left.length > 0)
    report({
      level: 'error',
      kind,
      namespace,
      name,
      reason: 'CleanUpAbandoned',
      message: `It is let go after 10 minutes, with values that were written through it and could not be removed: ${listed(left)}. Their Orders try on with the Secrets that are left.`,
    });
  await run('issuer.store-status', () => store.removeFinalizer({ kind, namespace, name }, cleanupFinalizer));
}

/** The write that has to come before the first value: one for each Issuer, whatever is issued through it. */
export async function hold({ kind, metadata: { namespace, name } }: Issuer, { run, store }: Services): Promise<void> {
  await run('issuer.store-status', () => store.addFinalizer({ kind, namespace, name }, cleanupFinalizer));
}

/** Whether the Issuer stays until it is released. */
export function isHeld({ metadata: { finalizers = [] } }: Issuer): boolean {
  return finalizers.includes(cleanupFinalizer);
}

const maxListed = 10;

function listed(entries: readonly LedgerEntry[]): string {
  const shown = entries.slice(0, maxListed).map(({ name, value }) => `${name} TXT "${value}"`);
  const more = entries.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
