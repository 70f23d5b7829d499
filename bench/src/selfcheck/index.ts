import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DelayRow, delayRows } from './delays.ts';
import type { PendingCost, PendingLoad } from './pending.ts';
import { type QueriesRow, queriesRows } from './queries.ts';

export { selfCheckTables } from './tables.ts';

export type PendingRow = PendingLoad & PendingCost;

/** The self check against servers that are late, in simulated time. */
export interface SelfCheckFigures {
  readonly seed: number;
  readonly delays: readonly DelayRow[];
  readonly queries: readonly QueriesRow[];
  readonly pending: readonly PendingRow[];
}

export async function selfCheckFigures(quick: boolean, progress: (text: string) => void): Promise<SelfCheckFigures> {
  progress('self check: delays');
  const delays = await delayRows(quick, seed);
  progress('self check: queries');
  const queries = await queriesRows(seed);
  const pending: PendingRow[] = [];
  for (const load of pendingLoads(quick)) {
    progress(`self check: ${load.challenges} challenges that wait, zones: ${load.zones}`);
    pending.push({ ...load, ...(await inProcessOfItsOwn(load)) });
  }
  return { seed, delays, queries, pending };
}

const seed = 20_26;

function pendingLoads(quick: boolean): readonly PendingLoad[] {
  if (quick) return [{ challenges: 1000, zones: 10, batch: 25, minutes: 12 }];
  const load = { challenges: 10_000, batch: 25, minutes: 60 };
  return [
    { ...load, batch: 250, zones: 1 },
    { ...load, zones: 100 },
  ];
}

async function inProcessOfItsOwn(load: PendingLoad): Promise<PendingCost> {
  const script = fileURLToPath(new URL('pending-process.js', import.meta.url));
  // An hour's garbage comes in a minute: it is collected sooner than Node would.
  const args = ['--expose-gc', '--max-old-space-size=160', script, JSON.stringify(load), String(seed)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as PendingCost;
}
