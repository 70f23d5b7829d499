import {
  type Clock,
  createRecordWriter,
  type LedgerEntry,
  type ProbeWriter,
  type ProviderCalls,
  type RecordWriter,
  systemRandom,
  systemTimers,
} from '@zoneproof/core';
import type { RunEffect } from '../effects/effects.ts';
import { cleanupFinalizer } from '../reconcile/order-act.ts';
import type { Sessions } from '../reconcile/services.ts';
import { StoreLedger } from '../runtime/store-ledger.ts';
import { FileStore } from '../store/index.ts';

/** Probe values go into the ledger of the state directory, so that whatever happens here, the next start removes them. */
export interface ProbeSession {
  readonly probe: ProbeWriter;
  /** Values of an earlier check that was killed and that could not be removed now either. */
  readonly left: readonly LedgerEntry[];
  close(): Promise<void>;
}

export interface ProbeSessionOptions {
  readonly stateDir: string;
  readonly issuer: string;
  readonly sessions: Pick<Sessions, 'providerOf'>;
  readonly calls: ProviderCalls;
  readonly clock: Clock;
  readonly run: RunEffect;
}

/**
 * Takes the state directory's lock and makes an Order that is deleted from the beginning: its values are out of the
 * zones before it goes, be it here or, after a crash, by the next check or `zoneproof run`.
 *
 * @throws StateDirError when a process is at work on the directory
 */
export async function openProbeSession(options: ProbeSessionOptions): Promise<ProbeSession> {
  const { stateDir, issuer, sessions, calls, clock, run } = options;
  const store = await FileStore.open({ stateDir, clock });
  const ledger = new StoreLedger(store, run);
  const writer = createRecordWriter({ ledger, clock, random: systemRandom, timers: systemTimers, calls, windowMs: 50 });
  const close = async (): Promise<void> => {
    for (const name of probeOrders(store)) await letGo(store, name);
    await writer.close();
    await store.close();
  };
  try {
    for (const name of probeOrders(store)) await removeAll(store, name, writer, sessions);
    const left = probeOrders(store).flatMap((name) => entriesOf(store, name));
    const name = `${prefix}${Buffer.from(systemRandom(5)).toString('hex')}`;
    const key = { kind: 'Order', namespace, name } as const;
    await store.createOrder(
      { namespace, name, finalizers: [cleanupFinalizer] },
      { dnsNames: [], issuerRef: { kind: 'Issuer', name: issuer }, privateKeySecretName: name },
    );
    await store.delete(key);
    return { probe: { writer, owner: `${namespace}/${name}` }, left, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const namespace = 'default';
const prefix = 'zoneproof-check-';
const removeTimeoutMs = 60_000;

function probeOrders(store: FileStore): readonly string[] {
  return store
    .list('Order')
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.name.startsWith(prefix))
    .map(({ metadata }) => metadata.name);
}

function entriesOf(store: FileStore, name: string): readonly LedgerEntry[] {
  return store.get('Order', namespace, name)?.status.ledger ?? [];
}

/** What cannot be removed now stays in the ledger. */
async function removeAll(
  store: FileStore,
  name: string,
  writer: RecordWriter,
  sessions: Pick<Sessions, 'providerOf'>,
): Promise<void> {
  for (const entry of entriesOf(store, name)) {
    const provider = await sessions.providerOf(entry).catch(() => undefined);
    if (provider === undefined) continue;
    const signal = AbortSignal.timeout(removeTimeoutMs);
    const { zone, owner } = entry;
    await writer.write({ owner, provider, zone, state: 'absent', records: [entry], signal });
  }
  await letGo(store, name);
}

async function letGo(store: FileStore, name: string): Promise<void> {
  if (entriesOf(store, name).length > 0) return;
  await store.removeFinalizer({ kind: 'Order', namespace, name }, cleanupFinalizer);
}
