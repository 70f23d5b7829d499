import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A number from 0 up to, and without, `below`. */
export type Random = (below: number) => number;

// Under jest each look at a global costs more than the rest of a draw.
const { imul } = Math;

/** mulberry32: the same numbers for the same seed. */
export function createRandom(start: number): Random {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface FuzzOptions {
  /** What is fuzzed, for the line at the end. */
  readonly what: string;
  /** Repeats the inputs, unless ZONEPROOF_SOAK_SEED does. */
  readonly seed: number;
  /** How long it goes on, unless ZONEPROOF_SOAK_SECONDS says so. */
  readonly seconds: number;
}

/** Seconds that a fuzz test goes on. */
export function fuzzSeconds({ seconds }: Pick<FuzzOptions, 'seconds'>): number {
  return Number(process.env.ZONEPROOF_SOAK_SECONDS ?? seconds);
}

/**
 * Feeds a parser one input after the other. In `npm run soak` one line tells the inputs, the time and the growth of
 * memory.
 *
 * @param one makes an input, has it read, and throws when what comes of it is wrong
 * @returns how many there were
 * @throws when an input took a second of computing, or when memory has grown
 */
export async function fuzz(
  options: FuzzOptions,
  one: (random: Random, input: number) => void | Promise<void>,
): Promise<number> {
  const seed = Number(process.env.ZONEPROOF_SOAK_SEED ?? options.seed);
  const random = createRandom(seed);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const before = heapUsed();
  const startedAt = performance.now();
  const until = startedAt + fuzzSeconds(options) * 1000;
  let [inputs, now, slowestMs] = [0, startedAt, 0];
  let cpu = process.cpuUsage();
  for (; now < until; inputs++) {
    const from = now;
    try {
      const reading = one(random, inputs);
      if (reading !== undefined) await reading;
      // What is held weakly is let go between turns of the event loop only.
      if (inputs % inputsPerTurn === 0) {
        await turn();
        cpu = process.cpuUsage();
      }
    } catch (error) {
      throw new Error(`${options.what}, seed ${seed}, input ${inputs}: ${error}`, { cause: error });
    }
    now = performance.now();
    slowestMs = Math.max(slowestMs, now - from);
    if (now - from > maxMs && busyMs(cpu) > maxMs)
      throw new Error(`${options.what}, seed ${seed}, input ${inputs} took ${slowestMs} ms`);
  }
  await turn();
  const seconds = (now - startedAt) / 1000;
  const grown = (heapUsed() - before) / 2 ** 20;
  if (process.env.ZONEPROOF_SOAK_SECONDS !== undefined) {
    const rate = Math.round(inputs / seconds);
    process.stdout.write(
      `fuzz: ${options.what}: ${inputs} inputs in ${seconds.toFixed(0)} s (${rate}/s), memory grew by ${grown.toFixed(1)} MiB, slowest input ${slowestMs.toFixed(0)} ms, seed ${seed}\n`,
    );
  }
  if (grown > maxGrowthMiB) throw new Error(`${options.what}: memory grew by ${grown.toFixed(1)} MiB`);
  return inputs;
}

/** One input may take this long, and on a busy machine longer by the clock; a loop or a blow-up computes longer. */
const maxMs = 1000;
const inputsPerTurn = 100;
/** Compiled code and caches of bounded size. */
const maxGrowthMiB = 16;

function busyMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** Octets in use, garbage collected. */
export function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
