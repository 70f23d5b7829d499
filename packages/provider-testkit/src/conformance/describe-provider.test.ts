import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withProviderDocs } from '@zoneproof/core';
import { memoryProvider } from '../broken/memory-provider.ts';
import { startMemoryService } from '../broken/memory-service.ts';
import { type ConformanceOptions, describeProvider } from './describe-provider.ts';
import { badDayNames } from './fixture.ts';

let packageDir: string;
const plugin = memoryProvider();

beforeAll(async () => {
  packageDir = await mkdtemp(join(tmpdir(), 'testkit-'));
});

afterAll(() => rm(packageDir, { recursive: true }));

/** The suite's tests by title, run one by one: undefined, or what it says against the provider. */
async function conformance(options: Partial<ConformanceOptions>): Promise<ReadonlyMap<string, string | undefined>> {
  const tests = new Map<string, () => void | Promise<void>>();
  const hooks: { start?: () => Promise<void>; end?: () => void } = {};
  const jest = { describe, test, beforeAll, afterAll };
  Object.assign(globalThis, {
    describe: (_title: string, body: () => void) => body(),
    test: (title: string, body: () => void | Promise<void>) => tests.set(title, body),
    beforeAll: (body: () => Promise<void>) => Object.assign(hooks, { start: body }),
    afterAll: (body: () => void) => Object.assign(hooks, { end: body }),
  });
  try {
    describeProvider({ plugin, packageDir, setup: async () => startMemoryService(), ...options });
  } finally {
    Object.assign(globalThis, jest);
  }
  await hooks.start?.();
  const results = new Map<string, string | undefined>();
  for (const [title, body] of tests)
    try {
      await body();
      results.set(title, undefined);
    } catch (error) {
      results.set(title, (error as Error).message);
    }
  hooks.end?.();
  return results;
}

async function writePackage(readme: string): Promise<void> {
  const manifest = JSON.stringify({ zoneproof: { provider: 'memory', apiVersion: 1 } });
  await writeFile(join(packageDir, 'package.json'), manifest);
  await writeFile(join(packageDir, 'README.md'), readme);
}

const markers = '<!-- issuer -->\n<!-- /issuer -->\n\n<!-- fields -->\n<!-- /fields -->\n';
const asideForAll = { Z2: 'nothing is asked of a person' };
const failed = (results: ReadonlyMap<string, string | undefined>) =>
  [...results].flatMap(([title, said]) => (said === undefined ? [] : [`${title.split(':')[0]}: ${said}`]));

test('a right provider passes, and what does not concern it stands in the last title', async () => {
  await writePackage(withProviderDocs(markers, plugin));
  const results = await conformance({ setAside: asideForAll });
  expect(failed(results)).toEqual([]);
  expect([...results.keys()].filter((title) => title.startsWith('E8 '))).toHaveLength(badDayNames.length);
  expect([...results.keys()].at(-1)).toBe(
    'set aside: Z2 (nothing is asked of a person), A8 (model rrset has no slots)',
  );
});

test('a fixture that lacks things is told what to add, or where to say why not', async () => {
  const bare = (): ReturnType<typeof startMemoryService> => {
    const { pretendWrites, forbidSync, manyZones, badDays, ...rest } = startMemoryService();
    return rest as ReturnType<typeof startMemoryService>;
  };
  const said = failed(await conformance({ setup: async () => bare() }));
  expect(said).toHaveLength(badDayNames.length + 4);
  for (const words of [
    "E8 clock-off: the fixture arranges no day 'clock-off'; add it to badDays, or say under 'E8 clock-off' of setAside why this service cannot have it",
    "A7: the fixture has no pretendWrites; give it one, or say under 'A7 pretendWrites' of setAside why there is none",
    "S1: the fixture has no forbidSync; give it one, or say under 'S1 forbidSync' of setAside why there is none",
    'Z2: the fixture has no personFirst; set Z2 aside if nothing is ever asked of a person',
    'Z3: the fixture has no manyZones; set Z3 aside if the list has one page at most',
  ])
    expect(said).toContainEqual(expect.stringContaining(words));
  const reasons = badDayNames.map((day) => [`E8 ${day}`, 'not here'] as const);
  const aside = {
    ...asideForAll,
    'A7 pretendWrites': '-',
    'S1 forbidSync': '-',
    Z3: '-',
    ...Object.fromEntries(reasons),
  };
  expect(failed(await conformance({ setup: async () => bare(), setAside: aside }))).toEqual([]);
});

test('what is set aside has to be a promise', async () => {
  const said = failed(await conformance({ setAside: { ...asideForAll, 'E8 rain': 'it never rains', X9: '' } }));
  expect(said).toEqual([expect.stringContaining('set aside, but no promise: E8 rain, X9')]);
});

test('README.md has to say what the plugin says', async () => {
  const errors = [{ kind: 'auth', seen: '401', advice: 'Replace the token.' }] as const;
  const documented = { ...plugin, errors };
  const readme = withProviderDocs(`${markers}\n<!-- errors -->\n<!-- /errors -->\n`, documented);
  const about = async (text: string): Promise<string | undefined> => {
    await writePackage(text);
    const results = await conformance({ plugin: documented, setAside: asideForAll });
    return [...results].find(([title]) => title.startsWith('README.md'))?.[1];
  };
  expect(await about(readme)).toBeUndefined();
  const stale = readme.replace('Replace the token.', 'Replace it.');
  expect(await about(stale)).toMatch(
    /section errors of README\.md .*; it lacks: .*Replace the token.*ZONEPROOF_WRITE_README=1/,
  );
  expect(await about(readme.replace('<!-- fields -->', ''))).toMatch(/lacks the marker lines <!-- fields -->/);
  const [more, noPlace] = ['<!-- permissions -->\n<!-- /permissions -->\n', /and the plugin has no permissions/];
  expect(await about(`${readme}${more}`)).toMatch(noPlace);
  process.env.ZONEPROOF_WRITE_README = '1';
  expect(await about(stale).finally(() => delete process.env.ZONEPROOF_WRITE_README)).toBeUndefined();
  expect(await readFile(join(packageDir, 'README.md'), 'utf8')).toBe(readme);
});

test('without compare-and-set, no other writer comes in between', async () => {
  const { compareAndSet: _, ...capabilities } = plugin.capabilities;
  const results = await conformance({ plugin: { ...plugin, capabilities: { ...capabilities, compareAndSet: false } } });
  expect([...results.keys()].at(-1)).toMatch(/E8 foreign-writer-in-between \(the service has no compare-and-set\)/);
});
