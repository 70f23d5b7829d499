import { setMaxListeners } from 'node:events';
import {
  type AccountLimits,
  type Clock,
  createProviderCalls,
  createRecordWriter,
  createSyncSignal,
  type Egress,
  type ProviderRegistry,
  pause,
  type RandomBytes,
  type SelfCheckMode,
  type StartingServers,
  type Timers,
} from '@zoneproof/core';
import { type EffectHook, effectRunner } from '../effects/effects.ts';
import { CertificateReconciler } from '../reconcile/certificate.ts';
import { IssuerReconciler } from '../reconcile/issuer.ts';
import { OrderReconciler } from '../reconcile/order.ts';
import { toProblem } from '../reconcile/problem.ts';
import type { Report, Services } from '../reconcile/services.ts';
import type { Certificate, Kind, ObjectKey } from '../resources/types.ts';
import type { Store } from '../store/index.ts';
import { everythingAllowed, type Tenancy } from '../tenancy/index.ts';
import { createDnsViews } from './dns-views.ts';
import type { Observer } from './observer.ts';
import { IssuerSessions } from './sessions.ts';
import { isSettled } from './settled.ts';
import { StoreLedger } from './store-ledger.ts';
import { type QueueState, WorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  readonly store: Store;
  readonly registry: ProviderRegistry;
  readonly egress: Egress;
  /** Who may reach and use what; absent: everybody everything, through `egress`. */
  readonly tenancy?: Tenancy;
  /** Where the self check starts, and whom it asks, unless an Issuer says otherwise. */
  readonly resolvers: StartingServers;
  readonly selfCheckMode?: SelfCheckMode;
  /** Of the self check, default 1000: tests have no machines behind one address. */
  readonly confirmAfterMs?: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  readonly userAgent: string;
  readonly report: (report: Report) => void;
  /** Called when a new certificate was stored. */
  readonly onIssued?: (certificate: Certificate) => void;
  readonly clusterResourceNamespace?: string;
  /** Absent: nobody measures. */
  readonly observer?: Observer;
  /** For crash tests. */
  readonly hook?: EffectHook;
}

/** The running reconcilers over one store. */
export interface Controller {
  /** Resolves when no certificate makes progress any more: each is Ready, or waits for a person or for long. */
  settled(): Promise<void>;
  /** @returns why not, in words for the user; undefined when the renewal was taken down */
  renew(namespace: string, name: string): Promise<string | undefined>;
  /** A person changed something: what waits for that is tried again. */
  reload(): void;
  /** The same where the store has woken what it is about. */
  changed(): void;
  readonly queue: QueueState;
  /** The limits of every account at a DNS service that was called so far. */
  accounts(): readonly AccountLimits[];
  /**
   * Starts nothing new, and puts down what is under way; what has not ended within `graceMs` (default 0) is ended. Called
   * again, it ends all of it at once.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Objects that are worked on side by side; each spends its time waiting for the CA and the DNS. */
const concurrency = 256;

/** How long the writer waits for more changes of a zone after the last: a certificate that comes alone waits this long. */
const gatherMs = 50;

export function startController(options: ControllerOptions): Controller {
  const { store, clock, timers, random, observer } = options;
  const abort = new AbortController();
  // Every exchange under way listens to it; Node would take them for a leak.
  setMaxListeners(0, abort.signal);
  const run = effectRunner(options.hook);
  let changes = 0;
  const ledger = new StoreLedger(store, run);
  const report: Services['report'] = (line) => options.report({ ...line, at: clock.now() });
  const warnOfProvider = (issuer: string, message: string): void => {
    const [kind, namespace, name] = issuer.split('/') as [Kind, string, string];
    report({ level: 'warn', kind, namespace, name, reason: 'ProviderReady', message });
  };
  // One limiter for reads and writes of an account.
  const calls = createProviderCalls(clock, timers, observer?.providerCall);
  const tenancy = options.tenancy ?? everythingAllowed(options.egress);
  const sessions = new IssuerSessions({
    ...options,
    tenancy,
    calls,
    run,
    changes: () => changes,
    clusterResourceNamespace: options.clusterResourceNamespace ?? 'default',
    warn: warnOfProvider,
  });
  const sync = createSyncSignal({
    clock,
    calls,
    signal: abort.signal,
    warn: ({ block }, message) => warnOfProvider(block.issuer, message),
  });
  const writer = createRecordWriter({
    ledger,
    clock,
    timers,
    random,
    calls,
    windowMs: gatherMs,
    ...(observer === undefined ? {} : { onEvent: observer.recordWriter }),
  });
  const background = new Set<Promise<void>>();
  const tellInternalError = (key: ObjectKey, error: unknown): void => {
    if (abort.signal.aborted) return;
    const { reason, message } = toProblem(error, clock.now());
    report({ level: 'error', ...key, reason, message });
  };

  const views = createDnsViews({
    resolvers: options.resolvers,
    tenancy,
    clock,
    random,
    timers,
    signal: abort.signal,
    mode: options.selfCheckMode ?? 'auto',
    ...(options.confirmAfterMs === undefined ? {} : { confirmAfterMs: options.confirmAfterMs }),
    ...(observer === undefined ? {} : { onQuestion: observer.dnsQuestion }),
  });
  const services: Services = {
    store,
    sessions,
    writer,
    ledger,
    sync,
    selfCheckOf: ({ kind, spec }) => views(spec.acme.dns01.selfCheck, kind).selfCheck,
    preflightOf: ({ kind, spec }) => views(spec.acme.dns01.selfCheck, kind).preflight,
    clock,
    random,
    run,
    report,
    signal: abort.signal,
    changes: () => changes,
    issued: (certificate) => options.onIssued?.(certificate),
    wake: (key) => queue.add(key),
    inBackground: (key, work) => {
      const task: Promise<void> = work()
        .catch((error: unknown) => tellInternalError(parseKey(key), error))
        .finally(() => {
          background.delete(task);
          queue.add(key);
        });
      background.add(task);
    },
  };
  const issuers = new IssuerReconciler(services);
  const certificates = new CertificateReconciler(services);
  const orders = new OrderReconciler(services);

  const reconcile = (key: ObjectKey): Promise<number | undefined> => {
    if (key.kind === 'Order') return orders.reconcile(key);
    return key.kind === 'Certificate' ? certificates.reconcile(key) : issuers.reconcile(key);
  };
  const waiters = new Set<() => void>();
  const checkSettled = (): void => {
    if (waiters.size === 0 || !queue.quiet || background.size > 0) return;
    if (!isSettled(store, clock.now())) return;
    for (const resolve of waiters) resolve();
    waiters.clear();
  };
  const queue = new WorkQueue({
    clock,
    timers,
    concurrency,
    run: async (path) => {
      const key = parseKey(path);
      const startedAt = clock.now();
      try {
        return await reconcile(key);
      } catch (error) {
        if (abort.signal.aborted) return undefined;
        tellInternalError(key, error);
        return clock.now() + internalErrorPauseMs;
      } finally {
        observer?.reconciled(key.kind, clock.now() - startedAt);
      }
    },
    onQuiet: checkSettled,
  });
  const stopWatching = store.watch((key) => {
    queue.add(formatKey(key));
    for (const dependent of dependents(store, key)) queue.add(formatKey(dependent));
  });
  writer.onSlotFree((owner) => {
    orders.slotFree(owner);
    queue.add(`Order/${owner}`);
  });
  for (const kind of ['Issuer', 'ClusterIssuer', 'Certificate', 'Order'] as const)
    for (const { metadata } of store.list(kind)) queue.add(formatKey({ kind, ...metadata }));

  let stopped: Promise<void> | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    stopWatching();
    // Closed before the writer: what the writer gives back must not be asked for again.
    const drained = queue.close();
    const idle = async (): Promise<void> => {
      await drained;
      while (background.size > 0) await Promise.allSettled(background);
    };
    await Promise.race([idle(), pause(timers, graceMs, abort.signal)]);
    abort.abort(new Error('zoneproof stops'));
    await writer.close();
    await idle();
    await sessions.close();
  };

  return {
    settled: () =>
      new Promise((resolve) => {
        waiters.add(resolve);
        checkSettled();
      }),
    renew: async (namespace, name) => {
      const found = await run('certificate.request-renewal', () =>
        store.updateStatus('Certificate', namespace, name, ({ status }) => ({
          ...status,
          renewRequestedAt: clock.now(),
        })),
      );
      return found === undefined ? `There is no Certificate ${namespace}/${name}.` : undefined;
    },
    reload: () => {
      changes++;
      void sessions.forgetAllZones();
      for (const kind of ['Issuer', 'ClusterIssuer', 'Certificate', 'Order'] as const)
        for (const { metadata } of store.list(kind)) queue.add(formatKey({ kind, ...metadata }));
    },
    changed: () => {
      changes++;
    },
    get queue() {
      return queue.state;
    },
    accounts: () => calls.accounts(),
    stop: (graceMs = 0) => {
      if (graceMs === 0 || stopped !== undefined) abort.abort(new Error('zoneproof stops'));
      stopped ??= stop(graceMs);
      return stopped;
    },
  };
}

const internalErrorPauseMs = 30_000;

/** What has to be looked at when `key` changed: what names it, what owns it, and what it owns. */
function dependents(store: Store, key: ObjectKey): readonly ObjectKey[] {
  if (key.kind === 'Order') {
    const owner = store.get('Order', key.namespace, key.name)?.metadata.owner;
    return owner === undefined ? [] : [{ kind: 'Certificate', namespace: key.namespace, name: owner.name }];
  }
  if (key.kind === 'Certificate') {
    const certificate = store.get('Certificate', key.namespace, key.name);
    const orders = certificate === undefined ? [] : store.ordersOf(certificate);
    return orders.map(({ metadata: { namespace, name } }) => ({ kind: 'Order', namespace, name }));
  }
  if (key.kind !== 'Issuer' && key.kind !== 'ClusterIssuer') return [];
  const names = (
    { name, kind = 'Issuer' }: { readonly name: string; readonly kind?: string },
    namespace: string,
  ): boolean => name === key.name && kind === key.kind && (kind === 'ClusterIssuer' || namespace === key.namespace);
  return [...store.list('Certificate'), ...store.list('Order')]
    .filter(({ spec, metadata }) => names(spec.issuerRef, metadata.namespace))
    .map(({ kind, metadata }) => ({ kind, namespace: metadata.namespace, name: metadata.name }));
}

function formatKey({ kind, namespace, name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}

function parseKey(path: string): ObjectKey {
  const [kind, namespace, name] = path.split('/') as [Kind, string, string];
  return { kind, namespace, name };
}
