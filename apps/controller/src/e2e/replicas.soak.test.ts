import { systemClock, systemRandom, systemTimers } from '@zoneproof/core';
import { FakeClock } from '@zoneproof/core/testing';
import { type Cluster, describeReal } from '@zoneproof/farm';
import { plugins } from '../cli/testing/run-main.ts';
import { must, startClusterWithCrds } from '../crds/testing/world.ts';
import { createEventRecorder } from '../kubernetes/events/index.ts';
import { connectKubeApi } from '../kubernetes/index.ts';
import { until } from '../kubernetes/testing/until.ts';
import { type CountingRelay, startCountingRelay } from './counting-relay.ts';
import { certificateManifest, type RealWorld, startRealWorld } from './real-world.ts';
import { type Replica, startReplica } from './replica.ts';

/** A machine that is busy with 200 certificates and an API server holds up a renewal for seconds. */
const leaseSeconds = 8;

interface Event {
  readonly reason: string;
  readonly series?: { readonly count: number };
  readonly regarding: { readonly kind: string; readonly name: string };
}

interface Order {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly result?: string;
    readonly ledger?: readonly unknown[];
    readonly acme?: { readonly orderURL: string };
  };
}

describeReal(['kubernetes', 'bind', 'pebble'], 'two replicas', () => {
  let cluster: Cluster;
  let world: RealWorld;
  const replicas: Replica[] = [];
  const relays: CountingRelay[] = [];

  beforeAll(async () => {
    [cluster, world] = await Promise.all([
      startClusterWithCrds(plugins),
      startRealWorld({ zones: [{ name: 'a.test' }] }),
    ]);
    await must(cluster, ['apply', '-f', '-'], world.issuer());
  }, 180_000);

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.remove()));
    await Promise.all(relays.splice(0).map((relay) => relay.close()));
    await must(cluster, ['delete', 'lease', 'zoneproof', '--ignore-not-found']);
  }, 30_000);

  afterAll(async () => {
    await Promise.all([cluster?.stop(), world?.stop()]);
  }, 30_000);

  /** With an identity and a way to the name server of its own, so that what it does can be told from what the other does. */
  async function start(
    name: string,
    way: Pick<Cluster, 'kubeconfigFor'> = cluster,
  ): Promise<Replica & { readonly sentToDns: () => number }> {
    const { address, port } = world.dns;
    const relay = await startCountingRelay({ address, port });
    relays.push(relay);
    const args = [
      ...['--kubeconfig', await way.kubeconfigFor({ name, groups: ['system:masters'] })],
      ...['--lease-duration', `${leaseSeconds}s`, '--metrics-listen', '127.0.0.1:0'],
      // The servers of this test are on loopback.
      ...['--allowed-endpoints', '127.0.0.1', '--dns01-self-check-nameservers', `${address}:${port}`],
    ];
    const replica = startReplica(
      args,
      [`${address}:53`, `${address}:${port}`].map((from) => [from, relay]),
    );
    replicas.push(replica);
    return { ...replica, sentToDns: relay.sent };
  }

  async function apply(prefix: string, count: number): Promise<readonly string[]> {
    const names = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
    const manifests = names.map((name) => certificateManifest(name, [`${name}.a.test`]));
    await must(cluster, ['apply', '-f', '-'], manifests.join('\n---\n'));
    return names;
  }

  async function allReady(names: readonly string[]): Promise<void> {
    await until(
      'every Certificate Ready',
      async () => {
        const ready = new Set(await readyNames());
        return names.every((name) => ready.has(name));
      },
      120_000,
    );
    await until('every Order at its end, with an empty ledger', async () =>
      (await orders()).every(({ status }) => status?.result === 'valid' && (status.ledger ?? []).length === 0),
    );
    expect(await world.leftovers(...names.map((name) => `${name}.a.test`))).toEqual([]);
  }

  /** kubectl wait would take its time for each of them. */
  async function readyNames(): Promise<readonly string[]> {
    const path = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    const lines = await must(cluster, ['get', 'certificates.zoneproof.dev', '-o', `jsonpath=${path}`]);
    return [...lines.matchAll(/^(\S+) True$/gm)].map(([, name]) => name as string);
  }

  async function orders(): Promise<readonly Order[]> {
    return (JSON.parse(await must(cluster, ['get', 'orders', '-o', 'json'])) as { readonly items: readonly Order[] })
      .items;
  }

  /** URLs at the CA that are stored, by the name of the Order. */
  async function storedUrls(prefix: string): Promise<ReadonlyMap<string, string>> {
    const own = (await orders()).filter(({ metadata }) => metadata.name.startsWith(`${prefix}-`));
    return new Map(
      own.flatMap(({ metadata, status }) => (status?.acme ? [[metadata.name, status.acme.orderURL]] : [])),
    );
  }

  /** Of each Certificate the Events, with how often each was seen. */
  async function eventsOf(names: readonly string[]): Promise<readonly (readonly string[])[]> {
    const { items } = JSON.parse(await must(cluster, ['get', 'events.events.k8s.io', '-o', 'json'])) as {
      readonly items: readonly Event[];
    };
    return names.map((name) => [
      name,
      ...items
        .filter(({ regarding }) => regarding.kind === 'Certificate' && regarding.name === name)
        .map(({ reason, series }) => `${reason} ${series?.count ?? 1}`)
        .sort(),
    ]);
  }

  /** The writes of one replica, in the order in which the API server got them. */
  async function writesOf(user: string): Promise<readonly string[]> {
    const requests = await cluster.audit();
    return requests
      .filter((request) => request.user === user && !['get', 'list', 'watch'].includes(request.verb))
      .map(({ verb, resource, name }) => `${verb} ${resource}/${name}`);
  }

  test('SIGTERM: what is under way is put down, and the other works within a second', async () => {
    const first = await start('first');
    await first.until('Leading');
    const second = await start('second');
    expect(await second.until('Standby')).toMatchObject({ message: expect.stringMatching(/ leads; /) });
    const names = await apply('term', 10);
    await first.until('Issuing');
    first.signal('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    const { readAt } = await second.until('Leading');
    expect(readAt - (await first.ended).at).toBeLessThan(1_500);
    expect((await writesOf('first')).at(-1)).toBe('update leases/zoneproof');
    await allReady(names);
    // One of them says that it begins, one that it is there.
    expect(await eventsOf(names)).toEqual(names.map((name) => [name, 'Issued 1', 'Issuing 1']));
    second.signal('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect([first.errors(), second.errors()]).toEqual(['', '']);
    expect([...first.lines, ...second.lines].filter(({ level }) => level !== 'info')).toEqual([]);
  }, 120_000);

  test('an Event and its repeats, as the API server has them and kubectl shows them', async () => {
    const manifest = certificateManifest('told', ['told.a.test']);
    const { uid } = JSON.parse(await must(cluster, ['create', '-f', '-', '-o', 'json'], manifest)).metadata;
    const clock = new FakeClock();
    const api = await connectKubeApi({
      kubeconfig: await cluster.kubeconfigFor({ name: 'teller', groups: ['system:masters'] }),
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      userAgent: 'test',
    });
    const problems: string[] = [];
    const recorder = createEventRecorder({
      api,
      find: () => ({ metadata: { uid } }) as never,
      reporter: { controller: 'zoneproof.dev/controller', instance: 'pod_1' },
      clock,
      timers: clock,
      random: systemRandom,
      beforeSend: () => undefined,
      onProblem: (message) => problems.push(message),
    });
    const about = { kind: 'Certificate', namespace: 'default', name: 'told' } as const;
    for (let i = 0; i < 3; i++)
      recorder.tell({ ...about, level: 'warn', reason: 'CAUnavailable', message: 'The CA does not answer: ä\u0007.' });
    recorder.tell({ ...about, level: 'info', reason: 'Issued', message: 'x'.repeat(5_000) });
    await recorder.close(5_000);
    api.close();
    expect(problems).toEqual([]);
    expect(await eventsOf(['told'])).toEqual([['told', 'CAUnavailable 3', 'Issued 1']]);
    const described = await must(cluster, ['describe', 'certificate.zoneproof.dev/told']);
    expect(described).toMatch(/Warning +CAUnavailable .*zoneproof\.dev\/controller.* +The CA does not answer: ä \./);
    await must(cluster, ['delete', '-f', '-'], manifest);
  }, 30_000);

  test('a replica whose watches have died without its knowledge goes on where the other one was', async () => {
    const faults = await cluster.faults();
    const first = await start('knowing');
    await first.until('Leading');
    const second = await start('unknowing', faults);
    await second.until('Standby');
    faults.stallWatches(true);
    const names = await apply('blind', 10);
    await until('an Order at the CA', async () =>
      (await must(cluster, ['get', 'orders', '-o', 'yaml'])).includes('/my-order/'),
    );
    first.signal('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });
    await second.until('Leading');
    faults.stallWatches(false);
    await allReady(names);
    const begun = [...first.lines, ...second.lines].filter(({ reason }) => reason === 'Issuing');
    expect(begun.map(({ name }) => name).sort()).toEqual(names);
    expect(second.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  }, 120_000);

  test('SIGKILL with 200 certificates in flight: the other takes over when the lease has run out, and nothing is lost or ordered twice', async () => {
    const first = await start('killed');
    await first.until('Leading');
    const second = await start('heir');
    await second.until('Standby');
    const placed = () => world.ca.log().split('Added order').length;
    const before = placed();
    const names = await apply('kill', 200);
    await until('some orders at the CA', async () => (await storedUrls('kill')).size > 20);
    first.signal('SIGKILL');
    const { at } = await first.ended;
    const [stored, placedByFirst] = [await storedUrls('kill'), placed() - before];
    const { readAt } = await second.until('Leading');
    // The last renewal was up to a third of the duration before; looking takes its time, too.
    expect(readAt - at).toBeGreaterThan(leaseSeconds * 600);
    expect(readAt - at).toBeLessThan((leaseSeconds + 2) * 1_000);
    await allReady(names);
    // What was stored is gone on with; only what the CA had been asked for and nobody had written down is asked for again.
    const finally_ = await storedUrls('kill');
    expect([...stored].filter(([name, url]) => finally_.get(name) !== url)).toEqual([]);
    expect(placed() - before).toBeLessThanOrEqual(200 + placedByFirst - stored.size);
  }, 240_000);

  test('SIGSTOP for twice the lease, then SIGCONT: nothing is sent any more, to nobody', async () => {
    const first = await start('stopped');
    await first.until('Leading');
    const second = await start('successor');
    await second.until('Standby');
    const caBefore = world.ca.log();
    const names = await apply('stop', 20);
    await until('requests to the CA', () => world.ca.log() !== caBefore);
    first.signal('SIGSTOP');
    const stoppedAt = performance.now();
    await second.until('Leading');
    await allReady(names);
    await new Promise((resolve) => setTimeout(resolve, stoppedAt + 2_000 * leaseSeconds - performance.now()));
    // The successor has nothing to do any more: whatever reaches the CA now is not from it.
    const seen = async () => ({ api: await writesOf('stopped'), dns: first.sentToDns(), ca: world.ca.log() });
    const before = await seen();
    expect(before).toMatchObject({ api: expect.arrayContaining(['create leases/zoneproof']), dns: expect.any(Number) });
    first.signal('SIGCONT');
    expect(await first.until('LeaseLost')).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/^Lease default\/zoneproof is lost: .+ Nothing more is sent\.$/),
    });
    expect(await first.ended).toMatchObject({ code: 1, signal: null });
    expect(await seen()).toEqual(before);
    expect(first.errors()).toBe('');
    expect(first.lines.at(-1)).toMatchObject({ reason: 'LeaseLost' });
  }, 120_000);
});
