import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { ManifestObject } from '../manifests/index.ts';
import { FileStore, ForeignSecretError, readState, StateDirError } from './index.ts';

let stateDir: string;
let store: FileStore;
const clock = { now: () => 1_000 };

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'zoneproof-store-'));
  store = await FileStore.open({ stateDir, clock });
});
afterEach(async () => {
  await store.close();
  await rm(stateDir, { recursive: true, force: true });
});

const certificate = (name: string, spec: object = { secretName: name }): ManifestObject => ({
  kind: 'Certificate',
  namespace: 'default',
  name,
  spec,
  source: { file: 'a.yaml', line: 1 },
});
const orderSpec = {
  dnsNames: ['example.com'],
  issuerRef: { name: 'ca', kind: 'Issuer' },
  privateKeySecretName: 'k',
} as const;

test('what a status was changed to is there after a restart', async () => {
  await store.applyManifests([certificate('www')]);
  await store.updateStatus('Certificate', 'default', 'www', (object) => ({ ...object.status, issuance: 3 }));
  await store.close();
  store = await FileStore.open({ stateDir, clock });
  expect(store.get('Certificate', 'default', 'www')?.status.issuance).toBe(3);
});

test('concurrent changes of one object are all kept', async () => {
  await store.applyManifests([certificate('www')]);
  const change = () =>
    store.updateStatus('Certificate', 'default', 'www', ({ status }) => ({
      ...status,
      issuance: (status.issuance ?? 0) + 1,
    }));
  await Promise.all(Array.from({ length: 50 }, change));
  expect(store.get('Certificate', 'default', 'www')?.status.issuance).toBe(50);
  expect((await readState(stateDir)).certificates[0]?.status.issuance).toBe(50);
});

test('a changed manifest is a new generation and keeps the status; the same one is not', async () => {
  await store.applyManifests([certificate('www')]);
  await store.updateStatus('Certificate', 'default', 'www', () => ({ serial: '01' }));
  await store.applyManifests([certificate('www')]);
  expect(store.get('Certificate', 'default', 'www')?.metadata.generation).toBe(1);
  await store.applyManifests([certificate('www', { secretName: 'other' })]);
  expect(store.get('Certificate', 'default', 'www')).toMatchObject({
    metadata: { generation: 2 },
    status: { serial: '01' },
  });
});

test('a Certificate that leaves the manifests goes, and its Order waits for its finalizer', async () => {
  await store.applyManifests([certificate('www')]);
  const owner = { kind: 'Certificate', name: 'www', uid: '' } as const;
  await store.createOrder({ namespace: 'default', name: 'www-1', owner, finalizers: ['f'] }, orderSpec);
  await store.applyManifests([]);
  expect(store.get('Certificate', 'default', 'www')).toBeUndefined();
  expect(store.get('Order', 'default', 'www-1')?.metadata.deletedAt).toBe(1_000);
  await store.removeFinalizer({ kind: 'Order', namespace: 'default', name: 'www-1' }, 'f');
  expect(store.get('Order', 'default', 'www-1')).toBeUndefined();
  expect((await readState(stateDir)).orders).toEqual([]);
});

test('an Order whose Certificate went while the process was down goes too', async () => {
  const owner = { kind: 'Certificate', name: 'www', uid: '' } as const;
  await store.createOrder({ namespace: 'default', name: 'www-1', owner }, orderSpec);
  await store.applyManifests([]);
  expect(store.get('Order', 'default', 'www-1')).toBeUndefined();
});

test("an Order's key outlives a restart and leaves nothing behind when it goes", async () => {
  const owner = { kind: 'Order', name: 'www-1', uid: '' } as const;
  await store.writeSecret(
    { namespace: 'default', name: 'k', owner },
    { type: 'Opaque', data: { 'tls.key': 'private' } },
  );
  await store.close();
  store = await FileStore.open({ stateDir, clock });
  const key = await store.readSecret('default', 'k');
  expect(Buffer.from(key?.data.get('tls.key') ?? '').toString()).toBe('private');
  await store.delete({ kind: 'Secret', namespace: 'default', name: 'k' });
  expect(await store.readSecret('default', 'k')).toBeUndefined();
  await store.close();
  expect(await readFile(join(stateDir, 'order-keys.jsonl'), 'utf8')).toBe('');
  store = await FileStore.open({ stateDir, clock });
});

test('two that find a Secret missing make it once', async () => {
  const make = (key: string) =>
    store.writeSecret({ namespace: 'default', name: 's' }, { type: 'Opaque', data: { key } }, { ifAbsent: true });
  expect(await Promise.all([make('1'), make('2')])).toEqual(['written', 'exists']);
  const secret = await store.readSecret('default', 's');
  expect(Buffer.from(secret?.data.get('key') ?? '').toString()).toBe('1');
});

test('an Order is created once', async () => {
  await store.createOrder({ namespace: 'default', name: 'www-1' }, orderSpec);
  await expect(store.createOrder({ namespace: 'default', name: 'www-1' }, orderSpec)).rejects.toThrow('exists already');
});

test('key and chain are replaced together and found under the name of the Certificate', async () => {
  const owner = { kind: 'Certificate', name: 'www', uid: '' } as const;
  const write = (text: string) =>
    store.writeSecret(
      { namespace: 'default', name: 'www-tls', owner },
      { type: 'kubernetes.io/tls', data: { 'tls.crt': `chain ${text}`, 'tls.key': `key ${text}` } },
    );
  await write('one');
  const first = await readlink(join(stateDir, 'secrets/default/www-tls'));
  await write('two');
  expect(await readFile(join(stateDir, 'certs/default/www/tls.crt'), 'utf8')).toBe('chain two');
  expect(await readFile(join(stateDir, 'certs/default/www/tls.key'), 'utf8')).toBe('key two');
  await expect(readFile(join(stateDir, 'secrets/default', first, 'tls.key'))).rejects.toThrow('ENOENT');
});

test("someone else's Secret is not overwritten, and one that must not be replaced is left alone", async () => {
  const owner = { kind: 'Certificate', name: 'www', uid: '' } as const;
  const other = { kind: 'Certificate', name: 'mail', uid: '' } as const;
  const content = { type: 'Opaque', data: { a: '1' } };
  await store.applyManifests([certificate('www')]);
  await store.writeSecret({ namespace: 'default', name: 's', owner }, content);
  await expect(store.writeSecret({ namespace: 'default', name: 's', owner: other }, content)).rejects.toThrow(
    ForeignSecretError,
  );
  const left = await store.writeSecret(
    { namespace: 'default', name: 's' },
    { ...content, data: { a: '2' } },
    { ifAbsent: true },
  );
  expect(left).toBe('exists');
});

test('a Secret prints the names of its entries only', async () => {
  await store.writeSecret({ namespace: 'default', name: 's' }, { type: 'Opaque', data: { token: 'hunter2' } });
  const secret = await store.readSecret('default', 's');
  expect(inspect(secret, { depth: 9 }) + JSON.stringify(secret)).not.toContain('hunter2');
  expect(Buffer.from(secret?.data.get('token') ?? '').toString()).toBe('hunter2');
});

test('a second process is refused by name of the first; a dead one leaves nothing in the way', async () => {
  await expect(FileStore.open({ stateDir, clock })).rejects.toThrow(`in use by the zoneproof process ${process.pid}`);
  await store.close();
  // What kill -9 leaves: a socket file that nobody listens on.
  await rm(join(stateDir, 'zoneproof.sock'), { force: true });
  await writeFile(join(stateDir, 'zoneproof.sock'), '');
  store = await FileStore.open({ stateDir, clock });
});

test('a damaged line is told by its place; one that a crash cut off is left out', async () => {
  await store.applyManifests([certificate('www')]);
  await store.close();
  const path = join(stateDir, 'objects.jsonl');
  const whole = await readFile(path, 'utf8');
  await writeFile(path, `${whole}{"key":"Certificate/default/www","val`);
  store = await FileStore.open({ stateDir, clock });
  expect(store.get('Certificate', 'default', 'www')).toBeDefined();
  await store.close();
  await writeFile(path, `${whole}{"key":\n${whole}`);
  const reopened = FileStore.open({ stateDir, clock });
  await expect(reopened).rejects.toThrow(StateDirError);
  await expect(reopened).rejects.toThrow(/objects\.jsonl:2 is damaged/);
  await writeFile(path, whole);
  store = await FileStore.open({ stateDir, clock });
});

test('a Secret that is handed over by its annotation is the first version of what zoneproof writes; others are not touched', async () => {
  const given = (name: string, annotations?: Readonly<Record<string, string>>): ManifestObject => ({
    kind: 'Secret',
    namespace: 'default',
    name,
    ...(annotations && { annotations }),
    spec: { data: { 'tls.crt': Buffer.from('theirs') } },
    source: { file: 'a.yaml', line: 1 },
  });
  const secrets = [
    given('mine', { 'zoneproof.dev/adopt': 'true' }),
    given('theirs', { 'zoneproof.dev/adopt': 'false' }),
  ];
  await store.applyManifests([certificate('mine'), ...secrets]);
  const write = (name: string) =>
    store.writeSecret(
      { namespace: 'default', name, owner: { kind: 'Certificate', name: 'mine', uid: '1' } },
      { type: 'kubernetes.io/tls', data: { 'tls.crt': 'ours' } },
    );
  const read = async (name: string) => (await store.readSecret('default', name))?.data.get('tls.crt')?.toString();
  expect(await read('mine')).toBe('theirs');
  await expect(write('theirs')).rejects.toThrow(/zoneproof\.dev\/adopt/);
  expect(await write('mine')).toBe('written');
  await store.applyManifests([certificate('mine'), ...secrets]);
  expect([await read('mine'), await read('theirs')]).toEqual(['ours', 'theirs']);
});
