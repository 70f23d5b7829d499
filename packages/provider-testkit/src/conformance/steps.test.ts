import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderPlugin } from '@zoneproof/core';
import { brokenProviders, brokenTable } from '../broken/index.ts';
import { memoryProvider } from '../broken/memory-provider.ts';
import { startMemoryService } from '../broken/memory-service.ts';
import { slotsProvider } from '../broken/slots-provider.ts';
import { startSlotsService } from '../broken/slots-service.ts';
import { Lab } from './lab.ts';
import { steps } from './steps.ts';

let packageDir: string;

beforeAll(async () => {
  packageDir = await mkdtemp(join(tmpdir(), 'testkit-'));
  await writeFile(
    join(packageDir, 'package.json'),
    JSON.stringify({ zoneproof: { provider: 'memory', apiVersion: 1 } }),
  );
});

afterAll(() => rm(packageDir, { recursive: true }));

/** Runs one step, `A1` or `E8 clock-off`, against a fresh service. */
async function run(id: string, plugin: ProviderPlugin): Promise<void> {
  const [stepId, part = ''] = id.split(' ');
  const step = steps.find((one) => one.id === stepId);
  if (!step) throw new Error(`no step ${stepId}`);
  const isSlots = plugin.capabilities.model === 'slots';
  const fixture = isSlots ? startSlotsService() : startMemoryService({ slow: stepId === 'S1' });
  const lab = new Lab(plugin, packageDir, fixture);
  await step.run(lab, part).finally(() => lab.close());
}

const stepIds = steps.map(({ id }) => id);

test('there is one step for each promise of the contract, in both directions', async () => {
  const folder = new URL('../../../core/src/contract/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const promises = texts.flatMap((text) => [...text.matchAll(/^ +\* ([A-Z]\d+) {2}\S/gm)].map(([, id]) => id));
  expect(promises.length).toBeGreaterThan(15);
  expect([...stepIds].sort()).toEqual([...promises].sort());
});

const allParts = (id: string): readonly string[] =>
  steps.flatMap((step) => (step.id === id ? (step.parts ?? ['']).map((part) => `${id} ${part}`.trim()) : []));
const ofRrsets = stepIds.filter((id) => id !== 'A8' && id !== 'Z2').flatMap(allParts);

test.each(ofRrsets)('%s accepts a provider that keeps it', (id) => run(id, memoryProvider()));

test.each(['A2', 'A3', 'A4', 'A5', 'A8', 'E4', 'E5', 'Z1', 'Z2'])(
  '%s accepts a provider for slots that keeps it',
  (id) => run(id, slotsProvider()),
);

test.each(brokenProviders.map((broken) => [broken.rejectedBy, broken.defect, broken] as const))(
  '%s rejects a provider that %s',
  async (id, _defect, { because, plugin }) => {
    await expect(run(id, plugin)).rejects.toThrow(because);
  },
);

test('every step rejects at least one broken provider', () => {
  const rejecting = new Set(brokenProviders.map(({ rejectedBy }) => rejectedBy.split(' ')[0]));
  expect(stepIds.filter((id) => !rejecting.has(id))).toEqual([]);
});

test('README.md lists the broken providers', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  expect(/<!-- broken -->\n([\s\S]*?)\n<!-- \/broken -->/.exec(readme)?.[1]).toBe(brokenTable());
});
