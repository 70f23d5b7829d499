import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Egress, onAbort, type ProviderRegistry, systemRandom, systemTimers } from '@zoneproof/core';
import { createEventRecorder, type EventRecorder } from '../kubernetes/events/index.ts';
import { type KubeApi, KubernetesStore } from '../kubernetes/index.ts';
import { createLeadership, type Leadership } from '../kubernetes/lease/index.ts';
import type { Report } from '../reconcile/services.ts';
import { type Controller, startController } from '../runtime/controller.ts';
import type { Observer } from '../runtime/observer.ts';
import { addressRule, apiServerAddresses, createTenancy } from '../tenancy/index.ts';
import type { CommandContext } from './context.ts';
import type { ControllerSettings } from './controller-settings.ts';
import type { ProcessReport } from './output/report-line.ts';
import { packageVersion } from './program.ts';
import { openEgress } from './standalone.ts';

export interface InClusterOptions {
  readonly settings: ControllerSettings;
  readonly api: KubeApi;
  /** Where the Lease is, and, unless it is said otherwise, the Secrets of ClusterIssuers. */
  readonly ownNamespace: string;
  readonly clusterResourceNamespace: string;
  readonly registry: ProviderRegistry;
  readonly report: (report: Report) => void;
  readonly tell: (level: ProcessReport['level'], reason: ProcessReport['reason'], message: string) => void;
  /** Absent: nobody measures. */
  readonly observer?: Observer;
  /** Ends the first reading of what is declared. */
  readonly signal: AbortSignal;
}

/** A controller on a cluster: at first it only reads along. */
export interface InCluster {
  readonly store: KubernetesStore;
  readonly leadership: Leadership;
  /** Starts to work. Whatever it sends, anywhere, is refused as soon as it does not lead. */
  start(): Controller;
  /** Finishes or puts down what is under way and writes what has to be known of it, all while it leads. */
  stop(graceMs: number): Promise<void>;
  /** Ends everything that is left, and sends nothing. */
  abandon(): Promise<void>;
}

/** @throws KubeApiError when the API server refuses to be read */
export async function openInCluster(options: InClusterOptions, context: CommandContext): Promise<InCluster> {
  const { settings, api, ownNamespace, clusterResourceNamespace, tell } = options;
  const time = { clock: context.clock, timers: systemTimers, random: systemRandom };
  const end = new AbortController();
  const identity = `${hostname()}_${randomUUID()}`;
  const leadership = createLeadership({
    ...time,
    api,
    namespace: ownNamespace,
    name: settings.leaseName,
    identity,
    durationMs: settings.leaseDurationMs,
    monotonic: performance,
    report: (news) => {
      if ('holder' in news) tell('info', 'Standby', `${news.holder} leads; what it does is read along.`);
      else tell('warn', 'LeaseUnavailable', news.problem);
    },
  });
  const beforeWrite = () => leadership.assertLeading();
  // Once it is open, a signal to stop must not end it: what is under way has to be written down.
  const forget = onAbort(options.signal, () => end.abort(options.signal.reason));
  const store = await KubernetesStore.open({
    ...time,
    api,
    namespaces: settings.namespaces,
    clusterResourceNamespace,
    signal: end.signal,
    beforeWrite,
    secretResyncMs: settings.secretResyncMs,
    watchSecrets: settings.watchSecrets,
    tell: (message) => tell('warn', 'ApiServer', message),
  }).finally(forget);
  const apiServer = await apiServerAddresses({
    server: api.server,
    serviceHost: context.env.KUBERNETES_SERVICE_HOST,
    clock: context.clock,
  });
  const { deniedCidrs, allowedEndpoints, ambientCredentials } = settings;
  const rule = addressRule({ deniedCidrs, allowed: allowedEndpoints, apiServer });
  const egress = openEgress(context, { beforeSend: beforeWrite });
  const ruledEgress = openEgress(context, { beforeSend: beforeWrite, addressRule: rule });
  const events = createEventRecorder({
    ...time,
    api,
    find: (kind, namespace, name) => store.get(kind, namespace, name),
    reporter: { controller: 'zoneproof.dev/controller', instance: identity },
    beforeSend: beforeWrite,
    onProblem: (message) => {
      if (!leadership.signal.aborted) tell('warn', 'EventsLost', message);
    },
  });
  const work = { ...options, egress, ruledEgress, events, store, leadership, ambientCredentials };
  let controller: Controller | undefined;
  let ended = false;
  const closeEgress = () => Promise.all([egress.close(), ruledEgress.close()]);
  return {
    store,
    leadership,
    start: () => {
      controller = startWork(work, context);
      return controller;
    },
    stop: async (graceMs) => {
      await controller?.stop(graceMs);
      await events.close(eventsMs);
      await store.close();
      await closeEgress();
      ended = true;
    },
    abandon: async () => {
      if (ended) return;
      end.abort(leadership.signal.reason ?? new Error('zoneproof stops'));
      await Promise.all([events.close(0), controller?.stop(), store.close(), closeEgress()]);
    },
  };
}

/** Events are the last that a shutdown waits for. */
const eventsMs = 1_000;

interface Work extends InClusterOptions {
  readonly egress: Egress;
  readonly ruledEgress: Egress;
  readonly events: EventRecorder;
  readonly store: KubernetesStore;
  readonly leadership: Leadership;
  readonly ambientCredentials: boolean;
}

function startWork(work: Work, context: CommandContext): Controller {
  const { settings, store, registry, egress, ruledEgress, events, leadership, observer } = work;
  const { inputs, clock } = context;
  const { ambientCredentials, allowedEndpoints } = settings;
  const controller = startController({
    store,
    registry,
    egress,
    tenancy: createTenancy({ egress, ruledEgress, ambientCredentials, allowedEndpoints }),
    resolvers: settings.resolvers,
    selfCheckMode: settings.selfCheckMode,
    clock,
    timers: systemTimers,
    random: systemRandom,
    userAgent: `zoneproof/${packageVersion()}`,
    report: (report) => {
      work.report(report);
      events.tell(report);
    },
    clusterResourceNamespace: work.clusterResourceNamespace,
    ...(observer === undefined ? {} : { observer }),
    hook: async (name, moment) => {
      await inputs.hook?.(name, moment);
      if (moment === 'before') leadership.assertLeading();
    },
  });
  store.onPersonsChange(() => controller.changed());
  // At once, so that nothing is reported of what is refused from now on.
  leadership.signal.addEventListener('abort', () => void controller.stop(), { once: true });
  return controller;
}
