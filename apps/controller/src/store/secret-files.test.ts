import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecretDirectory, SecretFiles } from './secret-files.ts';
import { SecretUnreadableError } from './store.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'zoneproof-secrets-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const read = (name: string) => readSecretDirectory(join(directory, name), 'd', name);

test('a Secret that is not there is missing; one whose entry leads nowhere cannot be read', async () => {
  expect(await read('none')).toBeUndefined();
  await mkdir(join(directory, 'key'));
  await writeFile(join(directory, 'key/a'), '1');
  await symlink('..data/tls.key', join(directory, 'key/tls.key'));
  await expect(read('key')).rejects.toThrow(SecretUnreadableError);
  await symlink('gone', join(directory, 'link'));
  await expect(read('link')).rejects.toThrow(SecretUnreadableError);
});

test('a reader meets one version of a Secret that is being replaced, and never none', async () => {
  const files = new SecretFiles(directory);
  const meta = { namespace: 'd', name: 's' };
  const write = (version: string) => files.write(meta, { type: 'Opaque', data: { a: version, b: version } });
  await write('0');
  let isWriting = true;
  const writing = (async () => {
    for (let version = 1; version < 40; version++) await write(String(version));
    isWriting = false;
  })();
  let reads = 0;
  while (isWriting) {
    const data = (await files.read('d', 's'))?.data;
    const [a, b] = ['a', 'b'].map((entry) => String(data?.get(entry)));
    expect(a).toBe(b);
    expect(data).toBeDefined();
    reads++;
  }
  await writing;
  expect(reads).toBeGreaterThan(0);
});
