import { setMaxListeners } from 'node:events';
import type { Location, Wanted } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { SeededRandom } from '@zoneproof/provider-testkit';
import { type BenchValue, simulateZones } from './simulated-zones.ts';

/** Milliseconds since the last server had the value. */
export interface Delays {
  /** Until, by the check's word, no server lacked it any more. */
  readonly passedMs: number;
  /** Until a second round had confirmed that and whoever waited was told. */
  readonly confirmedMs: number;
}

/** Questions by what they were for. */
export interface Queries {
  readonly locate: number;
  readonly watch: number;
  /** To servers that had shown the value already. */
  readonly confirm: number;
}

/** Locates the names, watches each value from the moment on at which it is presented, until all are confirmed. */
export async function watchValues(
  values: readonly BenchValue[],
  servers: number,
  seed: number,
): Promise<{ readonly delays: readonly Delays[]; readonly queries: Queries }> {
  const queries = { locate: 0, watch: 0, confirm: 0 };
  const shown = new Set<string>();
  const looks = new Map<DnsName, () => void>();
  let isLocating = true;
  const { clock, check } = simulateZones({
    values,
    servers,
    random: new SeededRandom(seed),
    onQuery({ address, question, isThere }) {
      const key = `${address} ${question.name}`;
      queries[isLocating ? 'locate' : shown.has(key) ? 'confirm' : 'watch'] += 1;
      if (isThere) shown.add(key);
    },
    onAnswer({ question, isThere }) {
      // The timer runs when the check has read the answer.
      if (isThere) clock.setTimeout(() => looks.get(question.name)?.(), 0);
    },
  });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const locations = await clock.until(Promise.all(values.map(({ name }) => check.locate(name, signal))));
  isLocating = false;

  const confirmed = ({ name, value, presentedAt, lagsMs }: BenchValue, location: Location): Promise<Delays> =>
    new Promise((resolve) => {
      const lastHasItAt = presentedAt + Math.max(...lagsMs);
      let passedAt: number | undefined;
      const look = () => {
        const { state, evidence } = check.watch(wanted);
        if (evidence?.verdict === 'visible') passedAt ??= clock.now();
        if (state !== 'visible' || passedAt === undefined) return;
        looks.delete(name);
        check.unwatch(name);
        resolve({ passedMs: passedAt - lastHasItAt, confirmedMs: clock.now() - lastHasItAt });
      };
      const wanted: Wanted = { key: name, location, values: [value], presentedAt, changed: look };
      looks.set(name, look);
      clock.setTimeout(() => check.watch(wanted), presentedAt - clock.now());
    });
  const delays = await clock.until(Promise.all(values.map((value, at) => confirmed(value, locations[at] as Location))));
  return { delays, queries };
}
