import type { ProviderPlugin } from '@zoneproof/core';
import { fuzz, fuzzSeconds } from '../fuzz.ts';
import { type AnsweringFixture, recordAnswers } from './provider.ts';

/**
 * A test for jest: whatever a service answers, each call of its provider ends in time, in outcomes or a ProviderError,
 * in one line and without a secret.
 */
export function fuzzProvider({
  plugin,
  startFixture,
}: {
  readonly plugin: ProviderPlugin;
  startFixture(): Promise<AnsweringFixture & { close(): Promise<void> }>;
}): void {
  const { test, expect } = globalThis as unknown as JestGlobals;
  const options = { what: `answers to ${plugin.key}`, seed: 2026, seconds: 1 };
  const seconds = fuzzSeconds(options);
  test(
    `${plugin.key}: whatever the service answers, each call ends in outcomes or a ProviderError of one line`,
    async () => {
      const fixture = await startFixture();
      const world = await recordAnswers(plugin, fixture).finally(() => fixture.close());
      const calls = await fuzz(options, async (random) => void (await world.call(random)));
      expect(calls).toBeGreaterThan(seconds * 10);
      expect(Math.min(world.ended.good, world.ended.bad)).toBeGreaterThan(calls / 50);
    },
    seconds * 1000 + 60_000,
  );
}

interface JestGlobals {
  readonly test: (title: string, body: () => Promise<void>, timeoutMs: number) => void;
  readonly expect: (value: number) => { toBeGreaterThan(least: number): void };
}
