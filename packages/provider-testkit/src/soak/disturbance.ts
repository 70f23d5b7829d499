import type { EmulatorServer, FaultEffect } from '../emulator/index.ts';

/** Something that goes wrong on the way or at the service while two writers are at work. */
export interface Disturbance {
  /** For the report: `lose-answer`. */
  readonly name: string;
  /**
   * Begins it. What it returns ends it, some tenths of a second later at the latest; `plant` has another writer add a
   * value at one of the names in use.
   */
  begin(plant: () => Promise<void>): () => void;
}

/** Longer than any request is held up: who waits this long knows that none is under way any more. */
export const quietMs = 100;
const slowMs = 40;

/** What an emulator of the kit can do to requests; each meets the next request or two. */
export function emulatorDisturbances(emulator: Pick<EmulatorServer, 'fail'>): readonly Disturbance[] {
  const effects: readonly FaultEffect[] = [
    { kind: 'throttled' },
    { kind: 'throttled', retryAfterSeconds: 1 },
    { kind: 'server-error' },
    { kind: 'html', status: 502 },
    { kind: 'reset' },
    { kind: 'lose-answer' },
    { kind: 'slow', ms: slowMs },
  ];
  return [
    ...effects.map(
      (effect): Disturbance => ({ name: effect.kind, begin: () => emulator.fail({ ...effect, times: 2 }) }),
    ),
    { name: 'lost write', begin: () => emulator.fail({ kind: 'lose-answer', on: 'write' }) },
    { name: 'foreign writer', begin: (plant) => emulator.fail({ kind: 'before', on: 'write', run: plant }) },
  ];
}
