import { jest } from '@jest/globals';
import {
  type ChangeOutcome,
  defineProvider,
  type ProviderPlugin,
  type Receipt,
  type SyncState,
  type TxtChange,
  Type,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { type Standalone, startStandalone } from './standalone.ts';

jest.setTimeout(30_000);

let sandbox: Sandbox;
let running: Standalone | undefined;

beforeEach(async () => {
  sandbox = await startSandbox();
});

afterEach(async () => {
  await running?.remove();
  await sandbox.close();
  running = undefined;
});

/** A service of example.test that takes changes at once and publishes them when the test says so. */
class SlowService {
  readonly asked: string[] = [];
  readonly batches: (readonly TxtChange[])[] = [];
  answersWrites = true;
  /** Otherwise when it is asked and says that it has. */
  publishesAtOnce = false;
  sync: SyncState = { state: 'pending' };

  readonly plugin = defineProvider({
    key: 'slow',
    displayName: 'Slow DNS',
    schema: Type.Object({}, { description: 'A service that takes its time.' }),
    example: {},
    capabilities: {
      model: 'rrset',
      maxValuesPerName: 100,
      batch: { maxChanges: 1_000, atomic: true },
      writeScope: 'zone',
      compareAndSet: true,
      ttl: { min: 0, max: 60, default: 60 },
      sync: true,
      buckets: [],
    },
    account: () => 'one',
    create: () => ({
      apply: (_zone, changes, call) => this.#apply(changes, call.signal),
      findZone: async () => ({ id: 'Z1', name: toDnsName('example.test') }),
      syncState: async (receipt) => this.#look(receipt),
      check: async () => [],
    }),
  }) as unknown as ProviderPlugin;

  async #apply(changes: readonly TxtChange[], signal: AbortSignal): Promise<readonly ChangeOutcome[]> {
    const token = `C${this.batches.push(changes)}`;
    if (!this.answersWrites)
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    this.#publish(changes.filter(({ state }) => state === 'absent' || this.publishesAtOnce));
    return changes.map(() => ({ status: 'changed', receipt: { kind: 'change', token } }));
  }

  #look({ token }: Receipt): SyncState {
    this.asked.push(token);
    const batch = this.batches[Number(token.slice(1)) - 1] ?? [];
    if (this.sync.state === 'synced') this.#publish(batch.filter(({ state }) => state === 'present'));
    return this.sync;
  }

  #publish(changes: readonly TxtChange[]): void {
    for (const { state, name, value } of changes)
      if (state === 'present') sandbox.dns.set({ name, type: 'TXT', value });
      else sandbox.dns.remove({ name, type: 'TXT', value });
  }
}

const certificate = (name: string, provider: string): string =>
  JSON.stringify({
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name },
    spec: {
      secretName: `${name}-tls`,
      dnsNames: [`${name}.example.test`],
      issuerRef: { name: 'sandbox' },
      dns01: [{ provider, domains: [`${name}.example.test`] }],
    },
  });

function manifests(certificates: readonly string[]): Readonly<Record<string, string>> {
  const { 'certificates.yaml': _replaced, 'issuer.yaml': issuer = '', ...secrets } = sandbox.manifests();
  const upToAcmedns = issuer.slice(0, issuer.indexOf('        - name: acmedns'));
  return {
    ...secrets,
    'issuer.yaml': `${upToAcmedns}        - name: slow\n          slow: {}\n`,
    ...Object.fromEntries(certificates.map((text, i) => [`${i}.json`, text])),
  };
}

async function run(service: SlowService, certificates: readonly string[], directory?: string): Promise<Standalone> {
  running = await startStandalone({
    manifests: manifests(certificates),
    transport: sandbox.transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136, service.plugin],
    ...(directory === undefined ? {} : { directory }),
  });
  return running;
}

async function seen<T>(look: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`not seen: ${JSON.stringify(running?.reports.slice(-6))}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const isIssued = (name: string): boolean =>
  running?.store
    .get('Certificate', 'default', name)
    ?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const orders = () => running?.store.list('Order') ?? [];

test('the self check begins when the provider has published, one question serves all, and a restart goes on with it', async () => {
  const service = new SlowService();
  const names = ['a', 'b', 'c', 'd'];
  const certificates = names.map((name) => certificate(name, 'slow'));
  const { directory, close } = await run(service, certificates);
  await seen(() => orders().length === 4 && orders().every(({ status }) => status.challenges?.[0]?.sync));
  for (const { status } of orders()) {
    expect(status.waiting?.message).toBe('waiting for slow "slow" to publish its change');
    expect(status.challenges?.[0]).toMatchObject({ step: 'presented', sync: { state: 'pending' } });
    expect(status.challenges?.[0]?.evidence).toBeUndefined();
  }
  await close();
  const written = service.batches.length;
  const before = service.asked.length;
  service.sync = { state: 'synced' };
  await run(service, certificates, directory);
  await seen(() => names.every(isIssued));
  expect(new Set(service.asked.slice(before)).size).toBe(service.asked.length - before);
  expect(service.asked.length - before).toBeLessThanOrEqual(written);
  expect(
    service.batches
      .slice(written)
      .flat()
      .filter(({ state }) => state === 'present'),
  ).toEqual([]);
});

test('a provider that may not be asked leaves it to the DNS, and that is told once', async () => {
  const service = new SlowService();
  service.publishesAtOnce = true;
  service.sync = { state: 'unknown', reason: 'GetChange is forbidden' };
  await run(service, [certificate('a', 'slow'), certificate('b', 'slow')]);
  await seen(() => isIssued('a') && isIssued('b'));
  expect(running?.reports.filter(({ message }) => message.includes('GetChange is forbidden'))).toMatchObject([
    { level: 'warn', kind: 'Issuer', name: 'sandbox' },
  ]);
});

test('three hundred Orders that wait for one account hold up nobody else', async () => {
  const service = new SlowService();
  service.answersWrites = false;
  const stuck = Array.from({ length: 300 }, (_, i) => certificate(`s${i}`, 'slow'));
  await run(service, stuck);
  await seen(() => orders().filter(({ status }) => status.acme !== undefined).length === 300);
  await running?.apply(manifests([...stuck, certificate('quick', 'rfc2136')]));
  running?.controller.reload();
  const before = Date.now();
  await seen(() => isIssued('quick'));
  expect(Date.now() - before).toBeLessThan(10_000);
  expect(orders().filter(({ status }) => status.result === undefined)).toHaveLength(300);
});
