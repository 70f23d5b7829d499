import { pause, systemTimers } from '@zoneproof/core';
import { connectCluster, rethrow } from './connect-cluster.ts';
import { type CommandContext, CommandError } from './context.ts';
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
    const cluster = await openInCluster(parts, context).catch(rethrow);
    close = async () => {
      await within(abandonMs, cluster.abandon());
      api.close();
    };
    monitoring.ready();
    await cluster.leadership.acquired(signal).catch(async (error: unknown) => {
      // It may just have been taken.
      await cluster.leadership.release();
      throw error;
    });
    return await lead(cluster, settings, { log, monitoring, signal });
  } catch (error) {
    if (signal.aborted && !(error instanceof CommandError)) return 0;
    throw error;
  } finally {
    await close();
    await monitoring.close();
    stopping.release();
  }
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
  await Promise.race([aborted(signal), aborted(leadership.signal)]);
  let inTime = true;
  if (!leadership.signal.aborted) {
    log.tell('info', 'Stopping', 'What is under way is finished or put down; then the lease is given back.');
    // Half of the time to finish, the rest to write down what was not.
    const stopped = cluster.stop(shutdownTimeoutMs / 2);
    inTime = await within(shutdownTimeoutMs, Promise.race([stopped, aborted(leadership.signal)]));
    if (!inTime) log.tell('warn', 'Stopping', 'Not all of it ended within --shutdown-timeout; it goes on elsewhere.');
  }
  unfollow();
  const lost = leadership.signal.aborted;
  if (lost) log.tell('error', 'LeaseLost', `${leadership.signal.reason.message}. Nothing more is sent.`);
  await within(abandonMs, cluster.abandon());
  if (!lost) await leadership.release();
  return lost || !inTime ? 1 : 0;
}

/** Sockets and timers are closed at once; nobody waits for more. */
const abandonMs = 2_000;

/** Whether `work` ended within `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const late = pause(systemTimers, ms, ended.signal).then(() => ended.signal.aborted);
  const done = work.finally(() => ended.abort());
  return (await Promise.race([done.then(() => true), late])) === true;
}
