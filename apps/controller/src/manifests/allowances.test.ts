import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from '@zoneproof/core';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { loadManifests } from './index.ts';

const registry = createRegistry(
  [{ key: 'rfc2136', packageName: '@zoneproof/provider-rfc2136', version: '1.0.0', directory: '' }],
  { importPlugin: async () => ({ plugin: rfc2136 }) },
);

async function problemsOf(objects: readonly object[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-manifests-'));
  try {
    const file = join(directory, 'a.yaml');
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const { problems } = await loadManifests([file], { registry });
    return problems.map(({ message }) => message);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const apiVersion = 'zoneproof.dev/v1alpha1';
const issuer = (kind: string, fields: object): object => ({
  apiVersion,
  kind,
  metadata: { name: 'ca' },
  spec: {
    acme: {
      server: 'https://ca.example/directory',
      privateKeySecretRef: { name: 'account' },
      dns01: { providers: [{ name: 'dns', rfc2136: { nameserver: '192.0.2.1' } }] },
    },
    ...fields,
  },
});
const certificate = (fields: object): object => ({
  apiVersion,
  kind: 'Certificate',
  metadata: { name: 'shop', namespace: 'web' },
  spec: {
    secretName: 'shop-tls',
    issuerRef: { name: 'ca', kind: 'ClusterIssuer' },
    dnsNames: ['a.shop.example'],
    ...fields,
  },
});

test.each<[string, readonly object[], readonly (string | RegExp)[]]>([
  ['lists that hold the Certificate', [issuer('ClusterIssuer', { allowedNamespaces: ['web'], allowedDomains: ['shop.example'] }), certificate({})], []],
  ['a Certificate of another namespace', [issuer('ClusterIssuer', { allowedNamespaces: ['shop'] }), certificate({})], [/^spec\.issuerRef\.name: ClusterIssuer ca does not serve namespace web\./]],
  ['a Certificate for another domain', [issuer('ClusterIssuer', { allowedDomains: ['b.example'] }), certificate({})], [/^spec\.issuerRef\.name: ClusterIssuer ca is not for a\.shop\.example\./]],
  ['entries that are none', [issuer('ClusterIssuer', { allowedNamespaces: ['web-*'], allowedDomains: ['*.a.example', 'a..example'] })], [
    'spec.allowedNamespaces[0]: "web-*" is not the name of a namespace; each one is listed by its whole name.',
    'spec.allowedDomains[0]: write "a.example": it allows everything below it, wildcards included.',
    /^spec\.allowedDomains\[1\]: .*empty label/,
  ]],
  ['an Issuer has no such lists', [issuer('Issuer', { allowedDomains: ['a.example'] })], [/^spec.allowedDomains: unknown field "allowedDomains"/]],
  ['a template for the Secret', [issuer('ClusterIssuer', {}), certificate({ secretTemplate: { labels: { 'app.example.com/team': 'shop' }, annotations: { note: 'any text: at all' } } })], []],
  ['what Kubernetes would refuse in it', [issuer('ClusterIssuer', {}), certificate({ secretTemplate: { labels: { team: 'a b', '-x': 'y' }, annotations: { 'a/b/c': '' } } })], [
    /^spec\.secretTemplate\.labels\.team: must have the form/,
    /^spec\.secretTemplate\.labels\.-x: "-x" is no key of labels/,
    /^spec\.secretTemplate\.annotations\.a\/b\/c: "a\/b\/c" is no key of annotations/,
  ]],
  ['what zoneproof itself sets', [issuer('ClusterIssuer', {}), certificate({ secretTemplate: { labels: { 'zoneproof.dev/order': 'x' } } })], [
    'spec.secretTemplate.labels.zoneproof.dev/order: "zoneproof.dev/order" is one of those that zoneproof itself sets; choose another.',
  ]],
])('%s', async (_title, objects, expected) => {
  const told = await problemsOf(objects);
  expect(told).toHaveLength(expected.length);
  for (const want of expected)
    expect(told).toContainEqual(typeof want === 'string' ? want : expect.stringMatching(want));
}); // biome-ignore format: one table
