import { pause, systemTimers } from '@zoneproof/core';
import { LeaseLost } from '../kubernetes/lease/index.ts';
import { connectCluster, rethrow } from './connect-cluster.ts';
import type { CommandContext } from './context.ts';
import { type ControllerLog, createControllerLog } from './controller-log.ts';
import { type ControllerOptions, type ControllerSettings, controllerSettings } from './controller-settings.ts';
import { type InCluster, openInCluster } from './in-cluster.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { openRegistry } from './registry.ts';
import { aborted, untilStopped } from './signals.ts';
import { count } from './validate.ts';

/**
 * `zoneproof controller`: 0 when a signal ended it, 1 when it lost its lease or cannot start. Then the process ends, so
 * that nothing of what it knew is left, and whoever runs it starts another. 2 for wrong usage.
 */
export async function controller(options: ControllerOptions, context: CommandContext): Promise<number> {
  const settings = controllerSettings(options);
  const registry = await openRegistry(context, options.pluginDir);
  const monitoring = await startMonitoring(options.metricsListen, context);
  const stopping = untilStopped(context.inputs.signal);
  const { signal } = stopping;
  const log = createControllerLog(options.logFormat, monitoring, context);
  log.tell('info', 'Listening', monitoring.told);
  let close = async (): Promise<unknown> => undefined;
  try {
    const api = await connectCluster(options, context, {
      signal,
      onRequest: monitoring.metrics.observer.kubernetesRequest,
    });
    close = async () => api.close();
    const ownNamespace = api.namespace ?? 'default';
    const { clusterResourceNamespace = ownNamespace } = options;
    const { observer } = monitoring.metrics;
    const parts = { settings, api, ownNamespace, clusterResourceNamespace, registry, ...log, observer, signal };
    const cluster = await openInCluster(parts, context);
    const { leadership, store } = cluster;
    close = async () => {
      await within(abandonMs, cluster.abandon());
      // Last, when nothing is on the way any more.
      await leadership.release();
      api.close();
    };
    monitoring.ready();
    await leadership.acquired(signal);
    await store.catchUp(AbortSignal.any([signal, leadership.signal]));
    return await lead(cluster, settings, { log, monitoring, signal });
  } catch (error) {
    if (error instanceof LeaseLost) return lost(error, log);
    if (signal.aborted) return 0;
    return rethrow(error);
  } finally {
    await close();
    await monitoring.close();
    stopping.release();
  }
}

function lost({ message }: LeaseLost, log: ControllerLog): number {
  log.tell('error', 'LeaseLost', `${message}. Nothing more is sent.`);
  return 1;
}

interface Surroundings {
  readonly log: ControllerLog;
  readonly monitoring: Monitoring;
  /** Ends the work. */
  readonly signal: AbortSignal;
}

async function lead(
  cluster: InCluster,
  { shutdownTimeoutMs }: ControllerSettings,
  { log, monitoring, signal }: Surroundings,
): Promise<number> {
  const { leadership, store } = cluster;
  const certificates = count(store.list('Certificate').length, 'certificate');
  log.tell('info', 'Leading', `${certificates} looked after.`);
  const unfollow = monitoring.follow({ store, controller: cluster.start() });
  try {
    await Promise.race([aborted(signal), aborted(leadership.signal)]);
    leadership.signal.throwIfAborted();
    log.tell('info', 'Stopping', 'What is under way is finished or put down; then the lease is given back.');
    // Half of the time to finish, the rest to write down what was not.
    const stopped = cluster.stop(shutdownTimeoutMs / 2);
    const inTime = await within(shutdownTimeoutMs, Promise.race([stopped, aborted(leadership.signal)]));
    leadership.signal.throwIfAborted();
    if (inTime) return 0;
    log.tell('warn', 'Stopping', 'Not all of it ended within --shutdown-timeout; what is left goes on elsewhere.');
    return 1;
  } finally {
    unfollow();
  }
}

/** Sockets and timers are closed at once; nobody waits for more. */
const abandonMs = 2_000;

/** Whether `work` ended within `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const late = pause(systemTimers, ms, ended.signal).then(() => false);
  const done = work.then(
    () => true,
    () => false,
  );
  const inTime = await Promise.race([done, late]);
  ended.abort();
  return inTime;
}
