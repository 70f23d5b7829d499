import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareFormat } from './state-format.ts';

let parent: string;
let stateDir: string;
const format = async (dir = stateDir) => JSON.parse(await readFile(join(dir, 'format.json'), 'utf8')).format;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'zoneproof-format-'));
  stateDir = join(parent, 'state');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const addSuffix = (from: number) => ({
  from,
  migrate: async (dir: string) => {
    const path = join(dir, 'data');
    await writeFile(path, `${await readFile(path, 'utf8')}+${from}`);
  },
});

test('a new directory gets the current format', async () => {
  await prepareFormat(stateDir);
  expect(await format()).toBe(1);
});

test('a newer format is refused', async () => {
  await prepareFormat(stateDir, { current: 9, migrations: [] });
  await expect(prepareFormat(stateDir)).rejects.toThrow(/has format 9; this zoneproof knows formats up to 1/);
});

test('an older format is migrated step by step, and a copy of it is kept', async () => {
  await prepareFormat(stateDir, { current: 1, migrations: [] });
  await writeFile(join(stateDir, 'data'), 'old');
  await prepareFormat(stateDir, { current: 3, migrations: [addSuffix(1), addSuffix(2)] });
  expect(await format()).toBe(3);
  expect(await readFile(join(stateDir, 'data'), 'utf8')).toBe('old+1+2');
  expect(await format(`${stateDir}.format-1`)).toBe(1);
  expect(await readFile(join(`${stateDir}.format-1`, 'data'), 'utf8')).toBe('old');
});

test('a directory of something else is refused', async () => {
  await prepareFormat(stateDir);
  await writeFile(join(stateDir, 'format.json'), 'hello');
  await expect(prepareFormat(stateDir)).rejects.toThrow(/is damaged.*zoneproof state directory/);
});
