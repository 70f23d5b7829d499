import { strict as assert } from 'node:assert';
import { type TwoWritersOptions, twoWriters } from './two-writers.ts';

/**
 * The soak of one provider, for jest: {@link twoWriters} for ZONEPROOF_SOAK_SECONDS (2) with ZONEPROOF_SOAK_SEED. What
 * the two did is printed, the seed with it.
 */
export function describeTwoWriters({
  under,
  ...options
}: Omit<TwoWritersOptions, 'seconds' | 'seed'> & {
  /** For the title: what is special about the service. */
  readonly under?: string;
}): void {
  const { test } = globalThis as unknown as JestGlobals;
  const seconds = Number(process.env.ZONEPROOF_SOAK_SECONDS ?? 2);
  const seed = Number(process.env.ZONEPROOF_SOAK_SEED ?? 8555);
  const title = `${options.plugin.key}${under === undefined ? '' : `, ${under}`}`;
  test(
    `${title}, two controllers at the same names: no value is lost, all of theirs are taken away, others stay`,
    async () => {
      const { violations, ...did } = await twoWriters({ ...options, seconds, seed });
      console.info(`${title}: ${JSON.stringify({ seconds, seed, ...did })}`);
      assert.deepEqual(violations, []);
      assert.ok(did.held > 0, 'no value ever stood');
    },
    (seconds + 60) * 1000,
  );
}

interface JestGlobals {
  readonly test: (title: string, body: () => Promise<void>, timeoutMs: number) => void;
}
