import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DurableMap, readDurableMap } from './durable-map.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'zoneproof-map-'));
  path = join(directory, 'objects.jsonl');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('what was set is there after a restart, what was deleted is not', async () => {
  const map = await DurableMap.open<number>(path);
  await Promise.all([map.set('a', 1), map.set('b', 2)]);
  await map.set('a', 3);
  await map.delete('b');
  await map.close();
  expect([...(await readDurableMap<number>(path))]).toEqual([['a', 3]]);
});

test('a change shows when it is on disk, and not before', async () => {
  const map = await DurableMap.open<number>(path);
  const setting = map.set('a', 1);
  expect(map.get('a')).toBeUndefined();
  await setting;
  expect(map.get('a')).toBe(1);
  expect((await readDurableMap<number>(path)).get('a')).toBe(1);
  await map.close();
});

test('a torn last line is dropped and the file goes on cleanly', async () => {
  const map = await DurableMap.open<number>(path);
  await map.set('a', 1);
  await map.close();
  await appendFile(path, '{"key":"b","val');
  const again = await DurableMap.open<number>(path);
  await again.set('c', 3);
  await again.close();
  expect([...(await readDurableMap<number>(path))]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
});

test('the file is written anew when most of it is outdated', async () => {
  const map = await DurableMap.open<string>(path);
  const long = 'x'.repeat(100_000);
  for (let i = 0; i < 200; i++) await map.set('a', `${i}${long}`);
  await map.close();
  expect((await stat(path)).size).toBeLessThan(10 * 1024 * 1024);
  expect((await readDurableMap<string>(path)).get('a')).toBe(`199${long}`);
});

test('nobody else may read the file, also after it was written anew', async () => {
  const map = await DurableMap.open<number>(path);
  await map.set('a', 1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toBe('{"key":"a","value":1}\n');
  await map.close();
});
