import { randomBytes } from 'node:crypto';
import {
  bindProvider,
  type ChangeOutcome,
  createEgress,
  createRecordWriter,
  type Egress,
  longestZone,
  MemoryLedger,
  SecretValue,
  systemClock,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { fastdns } from './plugin.ts';
import { Emulated, shown, zone } from './testing/emulated.ts';

const edge = new Emulated();

describe('requests', () => {
  test('a value where nothing is takes one, and nothing is read', async () => {
    expect(await edge.apply(edge.present())).toEqual(['changed']);
    expect(edge.actions()).toEqual(['post-zones-zone-recordsets']);
    expect(edge.emulator.published(edge.name).ttl).toBe(300);
  });

  test('apex and wildcard of one order are one set', async () => {
    await edge.lab.start().apply(zone, edge.lab.changes(['present', edge.name, 'a'], ['present', edge.name, 'b']));
    expect(edge.actions()).toHaveLength(1);
    expect(edge.valuesAt(edge.name)).toEqual(['a', 'b']);
  });

  test('a removal takes a look, a change list, an edit, a comparison and the submission', async () => {
    await edge.lab.start().apply(zone, edge.present('a'));
    const from = edge.emulator.seen.length;
    expect(await edge.apply(edge.absent('a'))).toEqual(['changed']);
    expect(edge.actions(from)).toEqual([
      'get-zone-name-type',
      'post-changelists',
      'post-changelists-zone-recordsets-add-change',
      'get-changelists-zone-diff',
      'post-changelists-zone-submit',
    ]);
    expect(edge.valuesAt(edge.name)).toEqual([]);
  });

  test('what is so already costs a look and leaves no change list', async () => {
    await edge.lab.start().apply(zone, edge.present('a'));
    const from = edge.emulator.seen.length;
    expect(await edge.apply(edge.present('a'))).toEqual(['unchanged']);
    expect(await edge.apply(edge.absent('none'))).toEqual(['unchanged']);
    expect(edge.actions(from)).toEqual(['post-zones-zone-recordsets', 'get-zone-name-type', 'get-zone-name-type']);
  });

  test('one set that is there among many costs one look, one creation and one change list', async () => {
    const names = Array.from({ length: 40 }, (_, at) => toDnsName(`_acme-challenge.h${at}.example.test`));
    edge.emulator.plant(names[7] as DnsName, 'foreign', 900);
    const changes = edge.lab.changes(...names.map((at) => ['present', at, 'ours'] as const));
    expect(new Set(await edge.apply(changes))).toEqual(new Set(['changed']));
    expect(edge.actions()).toEqual([
      'post-zones-zone-recordsets',
      'get-zones-zone-recordsets',
      'post-zones-zone-recordsets',
      'post-changelists',
      'post-changelists-zone-recordsets-add-change',
      'get-changelists-zone-diff',
      'post-changelists-zone-submit',
    ]);
    expect(edge.emulator.published(names[7] as DnsName)).toMatchObject({ values: ['foreign', 'ours'], ttl: 900 });
  });

  test('1,000 values of one zone are created by the record writer with at most 10 requests, the list of zones included', async () => {
    const { provider, writer, close } = startWriter();
    const zones = (await provider.provider.listZones?.(edge.lab.start().call())) ?? [];
    const found = longestZone(edge.name, zones) as Zone;
    const records = Array.from({ length: 1_000 }, (_, at) => ({
      name: toDnsName(`_acme-challenge.host${at}.example.test`),
      value: edge.lab.value(),
    }));
    const request = { owner: 'test/order', provider, zone: found, signal: AbortSignal.timeout(20_000) };
    const done = await writer.write({ ...request, state: 'present', records });
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set(['done']));
    expect(edge.emulator.seen.length).toBeLessThanOrEqual(10);
    const receipts = new Set(done.map((one) => ('receipt' in one ? one.receipt?.token : undefined)));
    expect(receipts.size).toBe(8);

    const from = edge.emulator.seen.length;
    const gone = await writer.write({ ...request, state: 'absent', records: records.slice(0, 125) });
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set(['done']));
    // One a set, and four for the batch: the list of sets has two pages here.
    expect(edge.emulator.seen.length - from).toBeLessThanOrEqual(125 + 5);
    await close();
  }, 30_000);
});

describe('bad days', () => {
  test('a zone in use is a conflict, for creation and for submission', async () => {
    edge.emulator.busy('example.test');
    expect((await edge.apply(edge.present()))[0]).toMatch(/^failed conflict: .*concurrent|being modified/i);
    edge.emulator.plant(edge.name, 'a', 600);
    edge.emulator.busy('example.test');
    expect((await edge.apply(edge.absent('a')))[0]).toMatch(/^failed conflict: /);
    expect(edge.emulator.staged('example.test')).toBeUndefined();
    expect(await edge.apply(edge.absent('a'))).toEqual(['changed']);
  });

  test('an edit that is refused for what it is does not keep the others back', async () => {
    const other = (await edge.fixture.newTarget()).name;
    edge.emulator.plant(other, 'x', 600);
    edge.emulator.plantOther(edge.name, 'CNAME', 'elsewhere.example.');
    await edge.lab.start().tryApply(zone, edge.present('first'));
    // Held values make it a change list: the ledger knows of "first".
    const outcomes = await edge.apply(edge.lab.changes(['present', edge.name, 'b'], ['absent', other, 'x']));
    expect(outcomes[0]).toMatch(/^failed invalid: .*CNAME/);
    expect(outcomes[1]).toBe('changed');
  });

  test('what there is no time for is left for the next call', async () => {
    const names = Array.from({ length: 5 }, (_, at) => toDnsName(`_acme-challenge.late${at}.example.test`));
    for (const at of names) edge.emulator.plant(at, 'a', 600);
    const instance = edge.lab.start();
    const changes = edge.lab.changes(...names.map((at) => ['absent', at, 'a'] as const));
    const call = { ...instance.call(), deadlineAt: Date.now() + 1_000 };
    const outcomes = shown(await instance.provider.apply(zone, changes, call));
    expect(outcomes[0]).toBe('changed');
    for (const outcome of outcomes.slice(1)) expect(outcome).toMatch(/^failed unavailable: .*no time was left/);
    expect(await edge.apply(changes.slice(1), instance)).toEqual(Array(4).fill('changed'));
  });

  test.each([
    [502, 'unknown unavailable'],
    [503, 'failed unavailable'],
    [403, 'failed permission'],
  ])('an HTML page with %d is %s', async (status, expected) => {
    edge.emulator.fail({ kind: 'html', status });
    expect((await edge.apply(edge.present()))[0]).toMatch(new RegExp(`^${expected}: (?!.*<)`));
    expect(edge.emulator.seen).toHaveLength(1);
  });

  test('a page with 200 is no success', async () => {
    edge.emulator.fail({ kind: 'html', status: 200 });
    expect((await edge.apply(edge.present()))[0]).toMatch(/^unknown unavailable: .*not as the API does/);
  });

  test('throttling is told with its pause', async () => {
    edge.emulator.fail({ kind: 'throttled', retryAfterSeconds: 7 });
    const [outcome] = await edge.lab.start().tryApply(zone, edge.present());
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'rate-limited', details: { retryAfterMs: 7_000 } },
    });
  });

  test('check tells a wrong clock before it stops requests, and after', async () => {
    edge.emulator.skewMs = -20_000;
    expect(await edge.lab.start().check()).toContainEqual({
      what: 'clock',
      result: 'warning',
      detail: expect.stringMatching(/(19|20|21) s ahead of Akamai's/),
    });
    edge.emulator.skewMs = 300_000;
    const [item] = await edge.lab.start().check();
    expect(item).toMatchObject({ what: 'credentials', result: 'failed' });
    expect(item?.detail).toMatch(/Invalid timestamp\. The clock of this machine is 5 min behind Akamai's\./);
  });

  test('a garbled Secret is an error that names the entry, and nothing is sent', async () => {
    const secrets = { akamai: { ...edge.fixture.secrets.akamai, clientSecret: 'client_secret = hunter2hunter2' } };
    const [outcome] = shown(await edge.lab.start({ secrets }).tryApply(zone, edge.present()));
    expect(outcome).toMatch(/^failed auth: .*entry "clientSecret" of Secret "akamai" holds the text of \.edgerc/);
    expect(outcome).not.toContain('hunter2');
    expect(edge.emulator.seen).toHaveLength(0);
  });
});

describe('zones', () => {
  test('PENDING zones are used; zones that do not serve are left out with the reason', async () => {
    await edge.lab.start().apply(zone, edge.present());
    const locked = toDnsName('locked.test');
    edge.emulator.addZone(locked, { state: 'LOCKED' });
    const instance = edge.lab.start();
    const zones = await instance.provider.listZones?.(instance.call());
    expect(zones?.map(({ id }) => id).sort()).toEqual(['deep.example.test', 'example.test']);
    expect(edge.lab.said).toContainEqual(expect.stringMatching(/zone locked\.test is left out.*LOCKED\. Unlock it/));
    expect(edge.lab.said).toContainEqual(
      expect.stringMatching(/zone new\.example\.test is left out.*NEW\. Add its SOA and NS/),
    );
  });

  test('a zone in error is of unknown propagation', async () => {
    const instance = edge.lab.start();
    const [outcome] = await instance.apply(zone, edge.present());
    const receipt = (outcome as Extract<ChangeOutcome, { status: 'changed' }>).receipt;
    const look = () => instance.provider.syncState?.(receipt as NonNullable<typeof receipt>, instance.call());
    expect(await look()).toEqual({ state: 'pending' });
    expect(await look()).toEqual({ state: 'synced' });
    edge.emulator.setState('example.test', 'ERROR');
    expect(await look()).toMatchObject({ state: 'unknown', reason: expect.stringContaining('ERROR') });
  });

  test('accountSwitchKey goes with each request, and is signed', async () => {
    const config = { ...edge.fixture.config, accountSwitchKey: '1-5C0YLB:1-8BYUX' };
    edge.emulator.plant(edge.name, 'foreign', 600);
    expect(shown(await edge.lab.start({ config }).apply(zone, edge.present()))).toEqual(['changed']);
    await edge.lab.start({ config }).zoneOf(edge.target);
    expect(edge.emulator.seen.length).toBeGreaterThan(5);
    for (const { target: path } of edge.emulator.seen) expect(path).toMatch(/[?&]accountSwitchKey=1-5C0YLB%3A1-8BYUX$/);
  });
});

function startWriter() {
  const egress: Egress = createEgress();
  const provider = bindProvider(
    fastdns,
    { issuer: 'Issuer/test/test', name: 'prod', key: 'fastdns', config: edge.fixture.config },
    {
      egress,
      dns: egress.dns,
      clock: systemClock,
      random: randomBytes,
      secret: ({ name: secret, key }) => ({
        get: async () => new SecretValue(Buffer.from(edge.fixture.secrets[secret]?.[key] ?? '')),
      }),
      warn: () => undefined,
    },
  );
  // Without the pace of the account, which is not what is counted here.
  const unlimited = { ...provider, capabilities: { ...provider.capabilities, buckets: [] } };
  const writer = createRecordWriter({ ledger: new MemoryLedger(), clock: systemClock, random: randomBytes });
  const close = async () => {
    await writer.close();
    await egress.close();
  };
  return { provider: unlimited, writer, close };
}
