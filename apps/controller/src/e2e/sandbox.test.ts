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
