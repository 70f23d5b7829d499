import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import acmedns from '@zoneproof/provider-acmedns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { type Standalone, startStandalone } from './standalone.ts';

let sandbox: Sandbox;
let running: Standalone;

beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(async () => {
  await running?.remove();
  await sandbox.close();
});

test('apex, wildcard and a delegated name are issued, and nothing of ours stays in the zones', async () => {
  running = await startStandalone({
    manifests: sandbox.manifests(),
    transport: sandbox.transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136, acmedns],
  });
  await running.controller.settled();
  const shown = running.store
    .list('Certificate')
    .map(({ metadata, status }) => [metadata.name, status.conditions?.find(({ type }) => type === 'Ready')]);
  expect(shown.map(([, ready]) => ready)).toEqual(
    shown.map(() => expect.objectContaining({ status: 'True', reason: 'Issued' })),
  );
  for (const { metadata } of running.store.list('Certificate')) {
    const pem = await readFile(join(running.stateDir, 'certs', metadata.namespace, metadata.name, 'tls.crt'), 'utf8');
    expect(new X509Certificate(pem).subjectAltName).toContain('example.test');
  }
  expect(sandbox.dns.values('_acme-challenge.example.test')).toEqual([]);
  expect(running.store.list('Order').flatMap(({ status }) => status.ledger ?? [])).toEqual([]);
});

test('a controller that is stopped while it takes a value away stops at once', async () => {
  let release: () => void = () => {};
  const removing = new Promise<void>((reached) => {
    void (async () => {
      running = await startStandalone({
        manifests: sandbox.manifests(),
        transport: sandbox.transport,
        resolvers: sandbox.resolvers,
        plugins: [rfc2136, acmedns],
        hook: (name, moment) => {
          if (name !== 'order.remove-values' || moment !== 'before') return undefined;
          reached();
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        },
      });
    })();
  });
  await removing;
  const stopped = running.controller.stop();
  // The request under way ends only when other work gets its turn, which a circle of refusals would not give it.
  setTimeout(release, 20);
  await stopped;
  expect(running.store.list('Order').some(({ status }) => (status.ledger ?? []).length > 0)).toBe(true);
});

test('two Issuers, and two instances of one provider in one of them, each serve what is theirs', async () => {
  const { 'issuer.yaml': issuer, 'secrets.yaml': secrets } = sandbox.manifests() as Record<string, string>;
  const block =
    issuer?.slice(issuer.indexOf('        - name: rfc2136'), issuer.indexOf('        - name: acmedns')) ?? '';
  const instance = (name: string, zone: string): string =>
    block.replace('name: rfc2136', `name: ${name}\n          selector: { dnsZones: [${zone}] }`);
  const head = (name: string): string =>
    (issuer?.slice(0, issuer.indexOf('        - name: rfc2136')) ?? '')
      .replace('name: sandbox\n', `name: ${name}\n`)
      .replace('sandbox-account-key', `${name}-key`);
  const certificate = (name: string, issuerName: string, dnsNames: readonly string[]): string =>
    JSON.stringify({
      apiVersion: 'zoneproof.dev/v1alpha1',
      kind: 'Certificate',
      metadata: { name },
      spec: { secretName: `${name}-tls`, dnsNames, issuerRef: { name: issuerName } },
    });
  running = await startStandalone({
    manifests: {
      'secrets.yaml': secrets ?? '',
      'one.yaml': `${head('one')}${instance('lab', 'example.test')}${instance('shop', 'shop.test')}`,
      'two.yaml': `${head('two')}${block}`,
      'a.json': certificate('both', 'one', ['www.example.test', 'www.shop.test']),
      'b.json': certificate('other', 'two', ['b.shop.test']),
    },
    transport: sandbox.transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136, acmedns],
  });
  await running.controller.settled();
  const used = running.store
    .list('Order')
    .flatMap(({ status }) => (status.challenges ?? []).map(({ domain, provider }) => `${domain} ${provider}`))
    .sort();
  expect(used).toEqual(['b.shop.test rfc2136', 'www.example.test lab', 'www.shop.test shop']);
  expect(running.store.list('Order').map(({ status }) => status.result)).toEqual(['valid', 'valid']);
  expect(sandbox.ca.counts.accounts).toBe(2);
});
