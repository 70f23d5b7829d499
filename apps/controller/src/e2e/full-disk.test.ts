import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { type Standalone, startStandalone } from './standalone.ts';

let sandbox: Sandbox;
let running: Standalone | undefined;
let isFull = false;
let refusals = 0;

beforeEach(async () => {
  sandbox = await startSandbox();
  isFull = false;
  refusals = 0;
  const { 'issuer.yaml': issuer = '', 'secrets.yaml': secrets = '' } = sandbox.manifests();
  const certificate = {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name: 'www' },
    spec: { secretName: 'www-tls', dnsNames: ['www.example.test'], issuerRef: { name: 'sandbox' } },
  };
  running = await startStandalone({
    manifests: {
      'issuer.yaml': issuer.replace(/ {8}- name: acmedns[\s\S]*/, ''),
      'secrets.yaml': secrets,
      'www.json': JSON.stringify(certificate),
    },
    transport: sandbox.transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136],
    hook: (effect, moment) => {
      if (!isFull || moment !== 'before' || effect !== 'order.store-status') return;
      refusals++;
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
  });
});

afterEach(async () => {
  await running?.remove();
  await sandbox.close();
});

async function seen(look: () => boolean | undefined): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!look()) {
    if (Date.now() > deadline) throw new Error(`not seen: ${JSON.stringify(running?.reports)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const told = () => running?.reports.some(({ message }) => message.includes('ENOSPC'));

test('a full disk is told of, and an Order that cannot store its failure is tried again with a pause', async () => {
  sandbox.ca.faults.add({ at: 'validation', problem: 'unauthorized' });
  isFull = true;
  await seen(told);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(refusals).toBeLessThan(6);
});

test('a full disk while a value cannot be taken away is told of, and ends nothing', async () => {
  sandbox.ca.faults.add({ at: 'challenge', problem: 'unavailable', times: 99 });
  await seen(() => sandbox.dns.values('_acme-challenge.www.example.test').length > 0);
  sandbox.dns.updateFault = 'REFUSED';
  isFull = true;
  await running?.store.delete({ kind: 'Certificate', namespace: 'default', name: 'www' });
  await seen(told);
  expect(running?.reports.at(-1)).toMatchObject({ kind: 'Order', level: 'error' });
});
