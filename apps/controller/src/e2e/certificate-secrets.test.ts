import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { orderKeyName } from '../reconcile/issuance.ts';
import type { CertificateSpec, Secret } from '../resources/types.ts';
import { type Standalone, startStandalone } from './standalone.ts';

jest.setTimeout(20_000);

let sandbox: Sandbox;
let running: Standalone;

beforeEach(async () => {
  sandbox = await startSandbox();
  const { transport, resolvers } = sandbox;
  running = await startStandalone({ manifests: manifests(), transport, resolvers, plugins: [rfc2136] });
});

afterEach(async () => {
  await running.remove();
  await sandbox.close();
});

function manifests(spec: Partial<CertificateSpec> = {}): Record<string, string> {
  const { 'certificates.yaml': _replaced, 'issuer.yaml': issuer = '', ...secrets } = sandbox.manifests();
  const certificate = {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name: 'www' },
    spec: { secretName: 'www-tls', dnsNames: ['www.example.test'], issuerRef: { name: 'sandbox' }, ...spec },
  };
  const ownIssuer = issuer.replace(/ {8}- name: acmedns[\s\S]*/, '');
  return { ...secrets, 'issuer.yaml': ownIssuer, 'www.json': JSON.stringify(certificate) };
}

const readSecret = () => running.store.readSecret('default', 'www-tls');
const entry = (secret: Secret | undefined, name: string) => Buffer.from(secret?.data.get(name) ?? '').toString();
const serial = () => running.store.get('Certificate', 'default', 'www')?.status.serial;

async function edit(spec: Partial<CertificateSpec>): Promise<void> {
  await running.apply(manifests(spec));
  running.controller.reload();
}

async function seen(look: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 8_000;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`not seen: ${JSON.stringify(running.reports.slice(-6))}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('the Secret is of type kubernetes.io/tls, with the certificates above the leaf in ca.crt', async () => {
  await running.controller.settled();
  const secret = await readSecret();
  expect(secret).toMatchObject({
    type: 'kubernetes.io/tls',
    metadata: { owner: { kind: 'Certificate', name: 'www', uid: running.store.list('Certificate')[0]?.metadata.uid } },
  });
  expect([...(secret?.data.entries() ?? [])].sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  const above = entry(secret, 'ca.crt').trim();
  expect(above).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect(entry(secret, 'tls.crt').trim().endsWith(above)).toBe(true);
});

test('another secretTemplate is followed without a new certificate, also when it is taken away', async () => {
  await running.controller.settled();
  const first = serial();
  await edit({ secretTemplate: { labels: { team: 'shop' }, annotations: { note: 'x' } } });
  await seen(async () => (await readSecret())?.metadata.labels?.team === 'shop');
  expect((await readSecret())?.metadata.annotations?.note).toBe('x');
  await edit({ secretTemplate: { labels: { tier: '1' } } });
  await seen(async () => (await readSecret())?.metadata.labels?.tier === '1');
  expect((await readSecret())?.metadata.labels?.team).toBeUndefined();
  await edit({});
  await seen(async () => (await readSecret())?.metadata.annotations === undefined);
  expect((await readSecret())?.metadata.labels).toBeUndefined();
  expect(entry(await readSecret(), 'tls.crt')).toContain('BEGIN CERTIFICATE');
  expect([serial(), sandbox.ca.counts.certificates]).toEqual([first, 1]);
});

test('the template is on the Secret from the first write on', async () => {
  await edit({ secretTemplate: { labels: { team: 'shop' } } });
  await running.controller.settled();
  expect((await readSecret())?.metadata.labels).toEqual({ team: 'shop' });
});

test('a ca.crt that somebody damaged is made right without a new certificate', async () => {
  await running.controller.settled();
  const before = entry(await readSecret(), 'ca.crt');
  await writeFile(join(running.stateDir, 'certs/default/www/ca.crt'), 'damaged');
  running.controller.reload();
  await seen(async () => entry(await readSecret(), 'ca.crt') === before);
  expect(sandbox.ca.counts.certificates).toBe(1);
});

test.each([
  ['deleted', () => running.store.delete({ kind: 'Secret', namespace: 'default', name: 'www-tls' })],
  ['damaged', () => writeFile(join(running.stateDir, 'certs/default/www/tls.key'), 'damaged')],
])('a Secret that was %s is made again by a new certificate: nothing else has its key', async (_how, harm) => {
  await running.controller.settled();
  const first = serial();
  await harm();
  running.controller.reload();
  await seen(() => serial() !== first);
  await running.controller.settled();
  expect(entry(await readSecret(), 'tls.key')).toContain('PRIVATE KEY');
  expect(sandbox.ca.counts.certificates).toBe(2);
});

test('a Secret of somebody else costs no order', async () => {
  await running.controller.settled();
  const theirs = { namespace: 'default', name: 'other-tls' };
  await running.store.writeSecret(theirs, { type: 'Opaque', data: { 'tls.crt': 'theirs' } });
  const { orders } = sandbox.ca.counts;
  await edit({ secretName: 'other-tls' });
  const ready = () =>
    running.store.get('Certificate', 'default', 'www')?.status.conditions?.find(({ type }) => type === 'Ready');
  await seen(() => ready()?.reason === 'SecretNotOurs');
  expect(sandbox.ca.counts.orders).toBe(orders);
  expect(running.store.get('Certificate', 'default', 'www')?.status.order).toBeUndefined();
  expect(entry(await running.store.readSecret('default', 'other-tls'), 'tls.crt')).toBe('theirs');
});

test('the key of an Order belongs to its Certificate, and says whose Order it is for', async () => {
  sandbox.ca.faults.add({ at: 'newOrder', problem: 'unavailable', times: 99 });
  await edit({ dnsNames: ['www.example.test', 'two.example.test'] });
  const order = () => running.store.get('Certificate', 'default', 'www')?.status.order ?? '';
  const keyOf = (name: string) => running.store.readSecret('default', orderKeyName(name));
  await seen(async () => order() !== '' && (await keyOf(order())) !== undefined);
  const name = order();
  const { uid } = running.store.get('Certificate', 'default', 'www')?.metadata ?? {};
  expect((await keyOf(name))?.metadata).toMatchObject({
    owner: { kind: 'Certificate', name: 'www', uid },
    labels: { 'zoneproof.dev/order': name },
  });
  // Not among the Secrets that people see.
  expect(await readdir(join(running.stateDir, 'secrets/default'))).not.toContain(orderKeyName(name));
  expect(await readFile(join(running.stateDir, 'order-keys.jsonl'), 'utf8')).toContain(name);
  await edit({ dnsNames: ['three.example.test'] });
  await seen(async () => (await keyOf(name)) === undefined);
});
