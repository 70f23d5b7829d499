import type { Clock } from '@zoneproof/core';
import type { Controller } from '../runtime/controller.ts';
import type { Store } from '../store/index.ts';
import { createInstruments } from './instruments.ts';
import { createObserver, type MetricsObserver } from './observe.ts';
import { createOrderEnds } from './order-ends.ts';
import { createProcessFigures } from './process-figures.ts';
import { createRunningState } from './running.ts';
import { createStoredObjects } from './stored-objects.ts';

/** The work that is measured. */
export interface MeasuredWork {
  readonly store: Store;
  readonly controller: Pick<Controller, 'queue' | 'accounts'>;
}

/** The metrics of docs/metrics.md. */
export interface Metrics {
  /** To be handed to the controller, the store and the log, which tell it what happens. */
  readonly observer: MetricsObserver;
  /**
   * From now on this process does the work: what is stored is shown, and Orders that end are counted.
   *
   * @returns ends that
   */
  follow(work: MeasuredWork): () => void;
  /** What a reload of manifests came to. Standalone only. */
  manifestsReloaded(successful: boolean): void;
  /** Everything in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>;
}

export function createMetrics({ clock, version }: { readonly clock: Clock; readonly version: string }): Metrics {
  const instruments = createInstruments();
  const observer = createObserver(instruments);
  const followOrders = createOrderEnds(instruments, clock);
  const storedObjects = createStoredObjects(instruments);
  const readRunning = createRunningState(instruments);
  const readProcess = createProcessFigures(instruments);
  const leader = instruments.gauge('zoneproof_leader');
  instruments.gauge('zoneproof_build_info').set({ version, node: process.versions.node }, 1);
  let reloaded: { set(value: number): void } | undefined;
  let work: MeasuredWork | undefined;
  return {
    observer,
    follow(next) {
      work = next;
      const unfollow = followOrders(next.store);
      return () => {
        unfollow();
        if (work === next) work = undefined;
      };
    },
    manifestsReloaded(successful) {
      reloaded ??= instruments.gauge('zoneproof_manifests_last_reload_successful');
      reloaded.set(successful ? 1 : 0);
    },
    async text() {
      const now = clock.now();
      leader.set(work === undefined ? 0 : 1);
      readProcess();
      readRunning(work?.controller, now);
      if (work === undefined) storedObjects.clear();
      const ofObjects = work === undefined ? '' : storedObjects.read(work.store, now);
      return `${await instruments.text()}${ofObjects}`;
    },
  };
}
