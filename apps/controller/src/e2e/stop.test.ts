import { jest } from '@jest/globals';
import acmedns from '@zoneproof/provider-acmedns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { type Standalone, startStandalone } from './standalone.ts';

jest.setTimeout(20_000);

const challengeName = '_acme-challenge.example.test';

let sandbox: Sandbox;
let running: Standalone | undefined;

beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(async () => {
  await running?.remove();
  await sandbox.close();
});

async function start(directory?: string): Promise<Standalone> {
  running = await startStandalone({
    manifests: sandbox.manifests(),
    transport: sandbox.transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136, acmedns],
    ...(directory === undefined ? {} : { directory }),
  });
  return running;
}

async function seen(what: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!what()) {
    if (Date.now() > deadline) throw new Error('not seen within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('stopped while a name server keeps it waiting, it ends soon; the next start removes the values', async () => {
  const first = await start();
  await seen(() => sandbox.dns.values(challengeName).length === 2);
  sandbox.dns.updateFault = 'silent';
  await seen(() => first.store.list('Order').some(({ status }) => status.result === 'valid' && status.ledger?.length));
  const stoppedAt = Date.now();
  await first.close();
  expect(Date.now() - stoppedAt).toBeLessThan(3_000);
  expect(sandbox.dns.values(challengeName)).toHaveLength(2);

  sandbox.dns.updateFault = undefined;
  const second = await start(first.directory);
  await second.controller.settled();
  expect(sandbox.dns.values(challengeName)).toEqual([]);
});
