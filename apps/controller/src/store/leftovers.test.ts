import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from './file-store.ts';

let stateDir: string;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'zoneproof-leftovers-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

test('what a killed process left half-done is gone after the next start; what is in use stays', async () => {
  const first = await FileStore.open({ stateDir, clock: { now: () => 0 } });
  const owner = { kind: 'Certificate', name: 'www', uid: '' } as const;
  const content = { type: 'kubernetes.io/tls', data: { 'tls.crt': 'chain', 'tls.key': 'key' } };
  await first.writeSecret({ namespace: 'default', name: 'www.tls', owner }, content);
  await first.close();
  const secrets = join(stateDir, 'secrets/default');
  const inUse = await contents();

  for (const version of ['.www.tls.0123456789ab', '.gone.0123456789ab']) {
    await mkdir(join(secrets, version));
    await writeFile(join(secrets, version, 'tls.key'), 'a private key');
  }
  await symlink('.www.tls.0123456789ab', join(secrets, 'www.tls.01234567.tmp'));
  await symlink('nowhere', join(stateDir, 'certs/default/www.01234567.tmp'));
  await writeFile(join(stateDir, 'objects.jsonl.01234567.tmp'), '{"key":');
  await writeFile(join(stateDir, 'format.json.01234567.tmp'), '');
  await writeFile(join(stateDir, 'zoneproof.sock.4711'), '');
  // Somebody else's, though they look similar.
  await mkdir(join(secrets, '.snapshot'));
  await writeFile(join(stateDir, 'notes.tmp'), '');

  const second = await FileStore.open({ stateDir, clock: { now: () => 0 } });
  expect((await second.readSecret('default', 'www.tls'))?.data.get('tls.key')).toEqual(Buffer.from('key'));
  await second.close();
  expect(await contents()).toEqual([...inUse, 'notes.tmp', 'secrets/default/.snapshot'].sort());
});

async function contents(): Promise<readonly string[]> {
  return (await readdir(stateDir, { recursive: true })).sort();
}
