import { randomBytes } from 'node:crypto';
import { bindProvider, createRecordWriter, MemoryLedger, type RecordTarget, SecretValue } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import { edgedns } from './plugin.ts';
import { startCloudflareFixture, targetOf } from './testing/cloudflare-fixture.ts';
import { Emulated, shown } from './testing/emulated.ts';

const edge = new Emulated();
const actionsSince = (start: number): string[] => edge.fixture.cloudflare.seen.slice(start).map(({ action }) => action);

function startWriter() {
  const clock = { now: () => Date.now() };
  const random = (length: number) => randomBytes(length);
  const bound = bindProvider(
    edgedns,
    { issuer: 'default/lab', key: 'edgedns', name: 'lab', config: edge.fixture.config },
    {
      egress: edge.lab.traffic.egress,
      dns: edge.lab.traffic.dns,
      clock,
      random,
      secret: ({ name, key }) => ({
        get: async () => new SecretValue(Buffer.from(edge.fixture.secrets[name]?.[key] ?? '')),
      }),
      warn: () => undefined,
    },
  );
  const writer = createRecordWriter({ ledger: new MemoryLedger(), clock, random, windowMs: 5 });
  const ask = (state: 'present' | 'absent', records: readonly (readonly [RecordTarget, string])[]) =>
    writer.write({
      owner: 'default/order',
      provider: bound,
      zone: edge.zone,
      state,
      records: records.map(([{ name }, value]) => ({ name, value })),
      signal: new AbortController().signal,
    });
  return { bound, ask, close: () => writer.close() };
}

describe('1,000 challenges in one zone', () => {
  const records = Array.from({ length: 1000 }, (_, at) => [targetOf(`host${at}.example.test`), `value-${at}`] as const);

  test('take 16 requests to list the edge.zone, write and remove', async () => {
    const start = edge.fixture.cloudflare.seen.length;
    const { bound, ask, close } = startWriter();
    const signal = new AbortController().signal;
    await bound.provider.listZones?.({ signal, deadlineAt: Date.now() + 9000, permit: async () => undefined });
    for (const state of ['present', 'absent'] as const) {
      const outcomes = await ask(state, records);
      expect(outcomes.every((outcome) => outcome.status === 'done' && outcome.changed)).toBe(true);
      expect(edge.valuesAt(records[500]?.[0].name)).toEqual(state === 'present' ? ['value-500'] : []);
    }
    await close();
    const lists = Array(5).fill('ListDnsRecords');
    expect(actionsSince(start).sort()).toEqual([...Array(10).fill('BatchDnsRecords'), ...lists, 'ListZones']);
  });
});

test('a batch with one name that a CNAME takes goes through but for that one', async () => {
  const targets = Array.from({ length: 20 }, (_, at) => targetOf(`many${at}.example.test`));
  edge.fixture.cloudflare.plantCname(
    toDnsName('_acme-challenge.many7.example.test'),
    toDnsName('elsewhere.example.net'),
  );
  const { ask, close } = startWriter();
  const outcomes = await ask(
    'present',
    targets.map((one, at) => [one, `value-${at}`] as const),
  );
  await close();
  expect(outcomes.filter(({ status }) => status === 'done')).toHaveLength(19);
  expect(outcomes[7]).toMatchObject({ status: 'failed', error: { kind: 'invalid' } });
  expect(edge.valuesAt(targets[19]?.name)).toEqual(['value-19']);
});

test('a value goes whatever the id of its record is by now', async () => {
  const instance = edge.lab.start();
  const value = edge.lab.value();
  await instance.apply(edge.zone, edge.lab.changes(['present', edge.target.name, value]));
  edge.fixture.cloudflare.uproot(edge.target.name, value);
  edge.fixture.cloudflare.plant(edge.target.name, value, 300);
  const start = edge.fixture.cloudflare.seen.length;
  expect(shown(await instance.apply(edge.zone, edge.lab.changes(['absent', edge.target.name, value])))).toEqual([
    'changed',
  ]);
  expect(actionsSince(start)).toEqual(['ListDnsRecords', 'BatchDnsRecords']);
  expect(edge.valuesAt()).toEqual([]);
});

test('a value that somebody has removed is no work', async () => {
  const instance = edge.lab.start();
  const [gone, fresh] = [edge.lab.value(), edge.lab.value()];
  await instance.apply(edge.zone, edge.lab.changes(['present', edge.target.name, gone]));
  edge.fixture.cloudflare.uproot(edge.target.name, gone);
  const changes = edge.lab.changes(['absent', edge.target.name, gone], ['present', edge.target.name, fresh]);
  expect(shown(await instance.apply(edge.zone, changes))).toEqual(['unchanged', 'changed']);
  expect(edge.valuesAt()).toEqual([fresh]);
});

test('a value without quotes is the same value, and both forms of it go', async () => {
  const value = edge.lab.value();
  edge.fixture.cloudflare.plantContent(edge.target.name, value, 300);
  const instance = edge.lab.start();
  expect(shown(await instance.apply(edge.zone, edge.lab.changes(['present', edge.target.name, value])))).toEqual([
    'unchanged',
  ]);
  expect(shown(await instance.apply(edge.zone, edge.lab.changes(['absent', edge.target.name, value])))).toEqual([
    'changed',
  ]);
  expect(edge.valuesAt()).toEqual([]);
});

test('what is refused again after the list is a conflict, with what is so already left out', async () => {
  const [there, other] = [edge.lab.value(), edge.lab.value()];
  edge.fixture.cloudflare.plant(edge.target.name, there, 300);
  const start = edge.fixture.cloudflare.seen.length;
  let writes = 0;
  edge.fixture.cloudflare.fail({
    kind: 'before',
    on: 'write',
    times: 2,
    run() {
      if (++writes === 2) edge.fixture.cloudflare.plant(edge.target.name, other, 300);
    },
  });
  const changes = edge.lab.changes(['present', edge.target.name, there], ['present', edge.target.name, other]);
  const outcomes = await edge.lab.start().apply(edge.zone, changes);
  expect(shown(outcomes)).toEqual(['unchanged', expect.stringMatching(/^failed conflict: .* \(81058 An identical/)]);
  expect(actionsSince(start)).toEqual(['BatchDnsRecords', 'ListDnsRecords', 'BatchDnsRecords']);
});

test('too many requests pause until the end of the five minutes', async () => {
  await edge.fixture.close();
  edge.fixture = await startCloudflareFixture('token', { requestsPer5Minutes: 1 });
  const few = new Lab(edgedns, '', edge.fixture);
  const { instance } = await few.prepare();
  const [outcome] = await instance.tryApply(edge.zone, few.changes(['present', edge.target.name, few.value()]));
  await few.close();
  expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'rate-limited' } });
  const wait = outcome && 'error' in outcome ? outcome.error.details.retryAfterMs : undefined;
  expect(wait).toBeGreaterThan(290_000);
  expect(wait).toBeLessThanOrEqual(300_000);
});

test('zones that the world does not see are left out, and told', async () => {
  edge.fixture.cloudflare.addZone({ name: 'moved.test', status: 'moved' });
  edge.fixture.cloudflare.addZone({ name: 'cname.test', type: 'partial' });
  edge.fixture.cloudflare.addZone({ name: 'copy.test', type: 'secondary' });
  const call = edge.lab.start().call();
  const zones = await edge.lab.start().provider.listZones?.(call);
  expect(zones?.map(({ name }) => name)).toEqual(['example.test', 'deep.example.test']);
  expect(edge.lab.said).toContainEqual(
    expect.stringMatching(
      /^edgedns "lab" \(Cloudflare\): no records are written to moved\.test \(moved\), cname\.test \(partial\), copy\.test \(secondary\): /,
    ),
  );
});

test('a Secret of Akamai is told before anything is sent', async () => {
  const start = edge.fixture.cloudflare.seen.length;
  const error = await edge.lab
    .start({ secrets: { cloudflare: { token: 'akab-abcdefghijklmnop' } } })
    .zoneOf(edge.target)
    .then(String, ({ kind, message }) => `${kind}: ${message}`);
  expect(error).toMatch(/^auth: .*use fastdns\.$/);
  expect(actionsSince(start)).toEqual([]);
});

test('a Secret that is replaced works without a restart', async () => {
  let text = 'x'.repeat(40);
  const secrets = {
    get cloudflare() {
      return { token: text };
    },
  };
  const instance = edge.lab.start({ secrets });
  await expect(instance.zoneOf(edge.target)).rejects.toMatchObject({ kind: 'auth' });
  text = edge.fixture.cloudflare.apiToken;
  expect((await instance.zoneOf(edge.target))?.name).toBe('example.test');
});

describe('check', () => {
  const found = async (instance = edge.lab.start()): Promise<string[]> =>
    (await instance.check()).map(({ what, result }) => `${what} ${result}`);

  test('tells what a list of zones proves', async () => {
    expect(await found()).toEqual(['reachable ok', 'credentials ok', 'zones ok']);
    expect(await found(edge.lab.start({ secrets: edge.fixture.wrongSecrets ?? {} }))).toEqual(['credentials failed']);
    edge.fixture.cloudflare.fail({ kind: 'server-error' });
    expect(await found()).toEqual(['reachable failed']);
    edge.fixture.cloudflare.permissions.delete('Zone:Zone:Read');
    expect(await found()).toEqual(['zones failed']);
  });

  test('asks for a edge.zone where there is none', async () => {
    const empty = await startCloudflareFixture('token', { zones: [] });
    const other = new Lab(edgedns, '', empty);
    expect(await found(other.start())).toEqual(['reachable ok', 'credentials ok', 'zones failed']);
    await other.close();
    await empty.close();
  });
});
