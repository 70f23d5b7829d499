import { appendFile, type FileHandle, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { DurableMap, readDurableMap } from './durable-map.ts';
import { StateDirError } from './state-format.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'zoneproof-map-'));
  path = join(directory, 'objects.jsonl');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

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

test('a change that comes after the end touches nothing: another process may hold the file', async () => {
  const map = await DurableMap.open<number>(path);
  await map.set('a', 1);
  await map.close();
  await writeFile(path, '');
  await expect(map.set('b', 2)).rejects.toThrow(StateDirError);
  await expect(map.set('b', 3)).rejects.toThrow(StateDirError);
  expect(await readFile(path, 'utf8')).toBe('');
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

test('a damaged line in the middle is refused with its place', async () => {
  await writeFile(path, '{"key":"a","value":1}\n{"key":"b","val\n{"key":"c","value":3}\n');
  await expect(DurableMap.open(path)).rejects.toThrow(StateDirError);
  await expect(DurableMap.open(path)).rejects.toThrow(`${path}:2 is damaged`);
});

test('a full disk fails the changes that meet it and damages nothing; with room again, all goes on', async () => {
  const map = await DurableMap.open<string>(path);
  await map.set('a', 'old');
  await fillDisk({ writes: 2 });
  await expect(map.set('a', 'new')).rejects.toThrow('no space left');
  expect(map.get('a')).toBe('old');
  await expect(map.set('b', 'first')).rejects.toThrow('no space left');
  await map.set('c', 'second');
  expect([...(await readDurableMap<string>(path))]).toEqual([
    ['a', 'old'],
    ['c', 'second'],
  ]);
  await map.close();
});

test('a change that was refused is not there after a restart', async () => {
  const map = await DurableMap.open<string>(path);
  await map.set('a', 'old');
  await fillDisk({ writes: 1 });
  await expect(map.set('a', 'new')).rejects.toThrow('no space left');
  await map.close();
  expect([...(await readDurableMap<string>(path))]).toEqual([['a', 'old']]);
});

/** The next writes store half of what they should and fail, as on a disk without room. */
async function fillDisk({ writes }: { readonly writes: number }): Promise<void> {
  const probe = await open(path, 'r');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  let left = writes;
  const { appendFile: append, writeFile: write } = handles;
  for (const [method, real] of [
    ['appendFile', append],
    ['writeFile', write],
  ] as const)
    jest.spyOn(handles, method).mockImplementation(async function (this: FileHandle, data) {
      if (left-- <= 0) return real.call(this, data);
      const octets = Buffer.from(data as Uint8Array);
      await this.write(octets.subarray(0, octets.length / 2));
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    });
}
