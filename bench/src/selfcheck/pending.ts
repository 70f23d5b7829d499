import { setMaxListeners } from 'node:events';
import type { Evidence, Location } from '@zoneproof/core';
import { SeededRandom } from '@zoneproof/provider-testkit';
import { type BenchValue, simulateZones, startsAt, valueIn } from './simulated-zones.ts';

/** Challenges whose values no server shows. */
export interface PendingLoad {
  readonly challenges: number;
  readonly zones: number;
  /** Values of a write; writes of a zone are a second apart. */
  readonly batch: number;
  /** Simulated. */
  readonly minutes: number;
}

/** What waiting for them costs. */
export interface PendingCost {
  /** Octets in use after each twelfth of the time, garbage collected. */
  readonly heap: readonly number[];
  readonly peakRss: number;
  /** At the end. */
  readonly rss: number;
  /** CPU seconds for the whole time, that of the simulated servers and network included. */
  readonly cpuSeconds: number;
  /** Questions a second to one server for one zone: in the first 90 s, and in the last tenth of the time. */
  readonly perSecondFirst: number;
  readonly perSecondLast: number;
  readonly queries: number;
}

const servers = 4;
const steps = 12;
/** Names that are located at the same time. */
const atOnce = 100;

/** @param collectGarbage where the process allows it */
export async function waitForPending(
  { challenges, zones, batch, minutes }: PendingLoad,
  seed: number,
  collectGarbage: () => void = () => undefined,
): Promise<PendingCost> {
  const lagsMs: readonly number[] = [];
  const values = Array.from({ length: challenges }, (_, at) => {
    const inZone = Math.floor(at / zones);
    return valueIn(at % zones, inZone, {
      presentedAt: startsAt + locatingMs + Math.floor(inZone / batch) * 1000,
      lagsMs,
    });
  });
  const lengthMs = minutes * 60_000;
  const beginsAt = startsAt + locatingMs;
  const asked = { all: 0, first: 0, last: 0 };
  const { clock, check } = simulateZones({
    values,
    servers,
    random: new SeededRandom(seed),
    onQuery() {
      asked.all += 1;
      const sinceMs = clock.now() - beginsAt;
      if (sinceMs >= 0 && sinceMs < firstMs) asked.first += 1;
      if (sinceMs >= lengthMs * 0.9) asked.last += 1;
    },
  });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  // As a controller does: what is known goes into a status that stays.
  const statuses = new Map<string, Evidence | undefined>();
  const watch = ({ name, value, presentedAt }: BenchValue, location: Location) => {
    const changed = () => {
      statuses.set(name, check.watch({ key: name, location, values: [value], presentedAt, changed }).evidence);
    };
    clock.setTimeout(changed, presentedAt - clock.now());
  };
  for (let from = 0; from < values.length; from += atOnce) {
    const some = values.slice(from, from + atOnce);
    const locations = await clock.until(Promise.all(some.map(({ name }) => check.locate(name, signal))));
    for (const [at, value] of some.entries()) watch(value, locations[at] as Location);
  }
  await clock.advance(beginsAt - clock.now());
  const before = process.cpuUsage();
  const heap: number[] = [];
  for (let step = 0; step < steps; step++) {
    await clock.advance(lengthMs / steps);
    collectGarbage();
    heap.push(process.memoryUsage().heapUsed);
  }
  const { user, system } = process.cpuUsage(before);
  if ([...statuses.values()].some((evidence) => evidence?.verdict !== 'missing'))
    throw new Error('a value that no server shows is not told as missing');
  for (const { name } of values) check.unwatch(name);
  const lanes = zones * servers;
  return {
    heap,
    rss: process.memoryUsage().rss,
    peakRss: process.resourceUsage().maxRSS * 1024,
    cpuSeconds: (user + system) / 1e6,
    perSecondFirst: asked.first / lanes / (firstMs / 1000),
    perSecondLast: asked.last / lanes / (lengthMs / 10_000),
    queries: asked.all,
  };
}

const firstMs = 90_000;
/** Until all names are located, which is before anything is written. */
const locatingMs = 60_000;
