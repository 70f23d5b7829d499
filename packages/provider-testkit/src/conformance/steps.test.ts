import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Defect, memoryProvider } from '../testing/memory-provider.ts';
import { startMemoryService } from '../testing/memory-service.ts';
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

/** Runs one step against a fresh service. */
async function run(id: string, defect?: Defect): Promise<void> {
  const step = steps.find((one) => one.id === id);
  if (!step) throw new Error(`no step ${id}`);
  const lab = new Lab(memoryProvider(defect), packageDir, startMemoryService());
  await step.run(lab).finally(() => lab.close());
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

const concerned = steps.filter(
  (step) => step.setAside?.(memoryProvider().capabilities) === undefined && step.id !== 'Z2',
);

test.each(concerned.map(({ id }) => id))('%s accepts a provider that keeps it', (id) => run(id));

test.each<[id: string, defect: Defect, seen: RegExp]>([
  ['P1', 'other-key', /marker/],
  ['P2', 'account-is-secret', /holds a secret/],
  ['E1', 'throws-plain-error', /EgressError/],
  ['E2', 'leaks-secret', /secret shows/],
  ['E2', 'leaks-by-cause', /secret shows/],
  ['E3', 'ignores-signal', /signal fired/],
  ['E4', 'claims-without-way-out', /without a way out: changed/],
  ['E5', 'sends-unpermitted', /without a permit/],
  ['A1', 'removes-whole-set', /values at .* after one value took the place of another/],
  ['A1', 'drops-sibling', /values at .* after the first value/],
  ['A1', 'takes-own-ttl', /TTL/],
  ['A2', 'says-changed-always', /outcomes: changed/],
  ['A3', 'outcomes-in-reverse', /outcomes: unchanged, changed/],
  ['A4', 'never-sees-conflict', /values at .* after four writers|unchanged|failed/],
  ['A5', 'writes-three-times', /3 writes/],
  ['A6', 'remembers-own-writes', /unchanged/],
  ['A7', 'trusts-yes', /pretended write: changed/],
  ['Z1', 'first-zone-by-suffix', /zone of/],
  ['C1', 'check-throws', /no answer/],
])('%s rejects a provider that %s', async (id, defect, seen) => {
  await expect(run(id, defect)).rejects.toThrow(seen);
});
