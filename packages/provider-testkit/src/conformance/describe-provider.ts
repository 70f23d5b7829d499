import { fileURLToPath } from 'node:url';
import type { ProviderPlugin } from '@zoneproof/core';
import { failureOf } from './failure.ts';
import type { Fixture } from './fixture.ts';
import { Lab } from './lab.ts';
import { checkReadme } from './readme.ts';
import type { Step } from './step.ts';
import { steps } from './steps.ts';

export interface ConformanceOptions {
  readonly plugin: ProviderPlugin;
  /** Of the package, where its package.json lies. */
  readonly packageDir: string | URL;
  /** Starts the service, once for all steps. */
  setup(): Promise<Fixture>;
  /**
   * Promises that do not concern this provider although its capabilities would make them, and what its service cannot
   * have, each with the reason:
   *
   *   {Z3: 'zones are found, not listed', 'E8 quota-reached': 'there is no quota', 'S1 forbidSync': '...'}
   */
  readonly setAside?: Readonly<Record<string, string>>;
  /** For the title: the server that is behind it. */
  readonly against?: string;
}

/**
 * The conformance suite of one provider, for jest: a test for each promise of the contract. Promises that this provider
 * does not make stand in the title of the last test, each with the reason.
 */
export function describeProvider(options: ConformanceOptions): void {
  const { describe, test, beforeAll, afterAll } = globalThis as unknown as JestGlobals;
  const { plugin, setAside = {} } = options;
  const packageDir = options.packageDir instanceof URL ? fileURLToPath(options.packageDir) : options.packageDir;
  const aside = new Map<string, string>(Object.entries(setAside));
  for (const step of steps)
    for (const part of step.parts ?? ['']) {
      const why = step.setAside?.(plugin.capabilities, part);
      if (why !== undefined) aside.set(idOf(step, part), why);
    }
  describe(`${plugin.key} keeps the provider contract${options.against ? ` against ${options.against}` : ''}`, () => {
    let fixture: Fixture | undefined;
    beforeAll(async () => {
      fixture = await options.setup();
    }, 30_000);
    afterAll(() => fixture?.close());

    for (const step of steps.filter(({ id }) => !aside.has(id)))
      for (const part of step.parts ?? ['']) {
        const id = idOf(step, part);
        if (aside.has(id)) continue;
        test(`${id}: ${step.title}`, async () => {
          const lab = new Lab(plugin, packageDir, fixture as Fixture, new Set(aside.keys()));
          await step
            .run(lab, part)
            .finally(() => lab.close())
            .catch(rethrow);
        }, 30_000);
      }

    test('README.md says what the plugin says: issuer, fields, permissions, errors', () =>
      checkReadme(plugin, packageDir).catch(rethrow));

    const reasons = [...aside].map(([id, why]) => `${id} (${why})`).join(', ') || 'none';
    test(`set aside: ${reasons}`, () => {
      const known = new Set(steps.flatMap(({ id, parts = [] }) => [id, ...parts.map((part) => `${id} ${part}`)]));
      for (const means of ['A7 pretendWrites', 'S1 forbidSync']) known.add(means);
      const unknown = [...aside.keys()].filter((id) => !known.has(id));
      if (unknown.length > 0) throw new Error(`set aside, but no promise: ${unknown.join(', ')}`);
    });
  });
}

/** `A1`, `E8 clock-off` */
function idOf({ id }: Step, part: string): string {
  return part === '' ? id : `${id} ${part}`;
}

function rethrow(error: unknown): never {
  throw failureOf(error);
}

interface JestGlobals {
  readonly describe: (title: string, body: () => void) => void;
  readonly test: (title: string, body: () => void | Promise<void>, timeoutMs?: number) => void;
  readonly beforeAll: (body: () => Promise<void>, timeoutMs?: number) => void;
  readonly afterAll: (body: () => Promise<void> | undefined) => void;
}
