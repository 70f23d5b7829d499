import type { Controller } from '../runtime/controller.ts';
import type { Instruments } from './instruments.ts';

/** The work queue and the limits of accounts, as they are at each scrape. @returns what brings them up to date */
export function createRunningState(
  instruments: Instruments,
): (controller: Pick<Controller, 'queue' | 'accounts'> | undefined, now: number) => void {
  const depth = instruments.gauge('zoneproof_queue_depth');
  const longest = instruments.gauge('zoneproof_queue_longest_running_seconds');
  const accounts = instruments.gauge('zoneproof_provider_accounts');
  const waiting = instruments.gauge('zoneproof_provider_waiting_requests');
  const pause = instruments.gauge('zoneproof_provider_pause_seconds');
  return (controller, now) => {
    const { ready, running, longestSince = now } = controller?.queue ?? { ready: 0, running: 0 };
    depth.set({ state: 'ready' }, ready);
    depth.set({ state: 'running' }, running);
    longest.set(Math.max(0, now - longestSince) / 1_000);
    for (const gauge of [accounts, waiting, pause]) gauge.reset();
    const pauses = new Map<string, number>();
    for (const { provider, rate, pausedUntil, waiting: requests } of controller?.accounts() ?? []) {
      const pauseMs = Math.max(0, pausedUntil - now);
      const open = rate < 1 ? 'slowed' : 'open';
      for (const state of ['open', 'slowed', 'paused']) accounts.inc({ provider, state }, 0);
      accounts.inc({ provider, state: pauseMs > 0 ? 'paused' : open });
      waiting.inc({ provider }, requests);
      pauses.set(provider, Math.max(pauses.get(provider) ?? 0, pauseMs));
    }
    for (const [provider, pauseMs] of pauses) pause.set({ provider }, pauseMs / 1_000);
  };
}
