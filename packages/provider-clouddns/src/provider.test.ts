import { inspect } from 'node:util';
import type { Receipt } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { clouddns } from './plugin.ts';
import { wanted } from './testing/bench-host.ts';
import { Emulated } from './testing/emulated.ts';
import { secretsOf } from './testing/emulator-fixture.ts';

const cloud = new Emulated();

describe('what others wrote', () => {
  test('changes that are so already are told apart from those that were made', async () => {
    const [one, two] = [cloud.newDomain(), cloud.newDomain()];
    await cloud.apply(wanted('present', one, 'a'));
    const outcomes = await cloud.apply(
      wanted('absent', two, 'x'),
      wanted('present', one, 'b'),
      wanted('present', one, 'a'),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['unchanged', 'changed', 'unchanged']);
    const again = await cloud.actions(() => cloud.apply(wanted('present', one, 'a')));
    expect(again).toEqual(['dns.changes.create', 'dns.resourceRecordSets.list']);
  });

  test('a second refusal is a conflict that names the set, and nothing was changed', async () => {
    const domain = cloud.newDomain();
    const name = toDnsName(`_acme-challenge.${domain}`);
    let writes = 0;
    const run = () => cloud.emulator.plant(name, `foreign ${writes++}`, 300);
    const undo = cloud.emulator.fail({ kind: 'before', on: { action: 'dns.changes.create' }, times: 2, run });
    const [outcome] = await cloud.apply(wanted('present', domain, 'a'));
    undo();
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        kind: 'conflict',
        message: expect.stringContaining(`somebody else wrote to ${name} in zone example.test`),
      },
    });
    expect(cloud.published(domain).values).toEqual(['foreign 0', 'foreign 1']);
  });

  test('a set with a routing policy is left alone, and the rest of the batch is written', async () => {
    const [routed, free] = [cloud.newDomain(), cloud.newDomain()];
    const name = `_acme-challenge.${routed}.`;
    const routingPolicy = { wrr: { items: [{ weight: 1, rrdatas: ['"x"'] }] } };
    cloud.emulator.putSet({ name, type: 'TXT', ttl: 300, rrdatas: [], routingPolicy });
    const outcomes = await cloud.apply(wanted('present', routed, 'a'), wanted('present', free, 'a'));
    expect(outcomes).toMatchObject([
      { status: 'failed', error: { kind: 'invalid', message: expect.stringMatching(/routing policy/) } },
      { status: 'changed' },
    ]);
    expect(cloud.emulator.storedSet(name, 'TXT')).toMatchObject({ routingPolicy });
  });

  test('when what stands there cannot be read, nothing was changed, and that is certain', async () => {
    const domain = cloud.newDomain();
    cloud.plant(domain, 'foreign');
    await cloud.apply(wanted('present', cloud.newDomain(), 'x'));
    cloud.emulator.fail({ kind: 'reset', on: { action: 'dns.resourceRecordSets.list' } });
    await expect(cloud.apply(wanted('present', domain, 'a'))).rejects.toMatchObject({
      kind: 'unavailable',
      details: { sent: false },
    });
  });

  test('a corrected change whose answer is lost is unknown for what it wrote, and for nothing else', async () => {
    const [there, fresh] = [cloud.newDomain(), cloud.newDomain()];
    await cloud.apply(wanted('present', there, 'a'));
    const undo = cloud.emulator.fail({
      kind: 'before',
      on: { action: 'dns.resourceRecordSets.list' },
      run: () => void cloud.emulator.fail({ kind: 'lose-answer', on: 'write' }),
    });
    const outcomes = await cloud.apply(wanted('present', there, 'a'), wanted('present', fresh, 'a'));
    undo();
    expect(outcomes.map(({ status }) => status)).toEqual(['unchanged', 'unknown']);
    expect(cloud.published(fresh).values).toEqual(['a']);
  });
});

describe('access tokens', () => {
  test('one that Google takes no more is not the fault of the key: the next attempt gets another', async () => {
    await cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    cloud.emulator.revokeTokens();
    const refused = cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    expect(await cloud.actions(() => refused)).toEqual(['dns.changes.create']);
    await expect(refused).rejects.toMatchObject({ kind: 'unavailable', details: { httpStatus: 401 } });
    expect(await cloud.actions(() => cloud.apply(wanted('present', cloud.newDomain(), 'a')))).toEqual([
      'oauth2.token',
      'dns.changes.create',
    ]);
  });

  test('one that is refused as soon as it was given out is the fault of the key', async () => {
    const run = () => cloud.emulator.revokeTokens();
    cloud.emulator.fail({ kind: 'before', on: { action: 'dns.changes.create' }, run });
    await expect(cloud.apply(wanted('present', cloud.newDomain(), 'a'))).rejects.toMatchObject({ kind: 'auth' });
  });

  test('a new key in the Secret counts at once', async () => {
    await cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    const key = await cloud.emulator.newServiceAccount();
    cloud.secrets = secretsOf(key);
    expect(await cloud.actions(() => cloud.apply(wanted('present', cloud.newDomain(), 'a')))).toEqual([
      'oauth2.token',
      'dns.changes.create',
    ]);
    cloud.secrets = secretsOf({ ...key, private_key: 'garbled' });
    const refused = cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    expect(await cloud.actions(() => refused)).toEqual([]);
    await expect(refused).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringMatching(/entry "service-account.json" of Secret "clouddns"/),
    });
  });

  test('ten calls at once fetch one', async () => {
    const all = () =>
      Promise.all(Array.from({ length: 10 }, () => cloud.apply(wanted('present', cloud.newDomain(), 'a'))));
    const seen = await cloud.actions(all);
    expect(seen.filter((action) => action === 'oauth2.token')).toHaveLength(1);
    expect(seen).toHaveLength(11);
  });

  test('an answer without a token, or lost on the way, has changed nothing', async () => {
    const body = { token_type: 'Bearer' };
    cloud.emulator.fail({
      kind: 'change-answer',
      on: { action: 'oauth2.token' },
      change: (answer) => ({ ...answer, body }),
    });
    await expect(cloud.apply(wanted('present', cloud.newDomain(), 'a'))).rejects.toMatchObject({
      kind: 'unavailable',
      details: { sent: false },
    });
    cloud.emulator.fail({ kind: 'reset', on: { action: 'oauth2.token' } });
    await expect(cloud.apply(wanted('present', cloud.newDomain(), 'a'))).rejects.toMatchObject({
      kind: 'unavailable',
      details: { sent: false },
    });
  });

  test('neither token nor key shows in what fails', async () => {
    await cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    cloud.emulator.revokeTokens();
    const error: unknown = await cloud
      .apply(wanted('present', cloud.newDomain(), 'a'))
      .catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/ya29\.|PRIVATE KEY|Bearer/);
    expect(inspect(cloud.bench.provider, { depth: 20, showHidden: true })).not.toMatch(/ya29\.|PRIVATE KEY/);
  });
});

describe('a block that names its zone', () => {
  beforeEach(() => {
    cloud.emulator.permissions.delete('dns.managedZones.list');
    cloud.emulator.permissions.add('dns.managedZones.get');
  });
  afterEach(() => {
    cloud.emulator.permissions.add('dns.managedZones.list');
    cloud.emulator.permissions.delete('dns.managedZones.get');
  });

  test('needs no right to list zones', async () => {
    cloud.restart({ managedZone: 'deep-example-test' });
    expect(await cloud.bench.provider.listZones?.(cloud.bench.call())).toEqual([
      {
        id: 'deep-example-test',
        name: 'deep.example.test',
        nameServers: ['a', 'b', 'c', 'd'].map((letter) => `ns-cloud-${letter}1.googledomains.com`),
      },
    ]);
    expect(await cloud.bench.provider.check(cloud.bench.call())).not.toContainEqual(
      expect.objectContaining({ result: 'failed' }),
    );
  });

  test('finds it by its number, too', async () => {
    cloud.restart({ managedZone: '7000000000000000002' });
    expect(await cloud.bench.provider.listZones?.(cloud.bench.call())).toMatchObject([{ id: 'deep-example-test' }]);
  });
});

test('the permissions that the docs name are enough', async () => {
  const { permissions } = cloud.emulator;
  const before = [...permissions];
  permissions.clear();
  for (const { name } of clouddns.permissions ?? []) if (name !== 'dns.managedZones.get') permissions.add(name);
  const [own, shared] = [cloud.newDomain(), cloud.newDomain()];
  cloud.plant(shared, 'foreign');
  expect(await cloud.bench.provider.listZones?.(cloud.bench.call())).not.toHaveLength(0);
  const present = [wanted('present', own, 'a'), wanted('present', shared, 'a')];
  const written = await cloud.apply(...present);
  expect(written.map(({ status }) => status)).toEqual(['changed', 'changed']);
  const { receipt } = written[0] as { readonly receipt: Receipt };
  expect(await cloud.bench.provider.syncState?.(receipt, cloud.bench.call())).toEqual({ state: 'pending' });
  const removed = await cloud.apply(...present.map((change) => ({ ...change, state: 'absent' as const })));
  expect(removed.map(({ status }) => status)).toEqual(['changed', 'changed']);
  for (const name of before) permissions.add(name);
});

describe('check', () => {
  const results = async () =>
    (await cloud.bench.provider.check(cloud.bench.call())).map(({ what, result }) => `${what} ${result}`);

  test('a good day, and a clock that is off without doing harm yet', async () => {
    expect(await results()).toEqual(['reachable ok', 'credentials ok', 'zones ok']);
    cloud.clockOffMs = -3 * 60_000;
    expect(await results()).toEqual(['reachable ok', 'credentials ok', 'zones ok', 'clock warning']);
  });

  test('each fault under its own heading', async () => {
    cloud.secrets = cloud.fixture.wrongSecrets ?? {};
    expect(await results()).toEqual(['credentials failed']);
    cloud.secrets = cloud.fixture.secrets;
    cloud.emulator.permissions.delete('dns.managedZones.list');
    expect(await results()).toEqual(['zones failed']);
    cloud.emulator.permissions.add('dns.managedZones.list');
    cloud.emulator.fail({ kind: 'html', status: 502 });
    expect(await results()).toEqual(['reachable failed']);
  });
});

describe('the state of a change', () => {
  test.each([
    ['another kind', { kind: 'route53-change', token: '{"zone":"example-test","change":"1"}' }],
    ['no JSON', { kind: 'cloud-dns-change', token: 'xyzzy' }],
    ['fields missing', { kind: 'cloud-dns-change', token: '{"zone":"example-test"}' }],
  ])('a receipt of %s is unknown, and nothing is asked', async (_title, receipt) => {
    const seen = await cloud.actions(async () => {
      expect(await cloud.bench.provider.syncState?.(receipt, cloud.bench.call())).toMatchObject({
        state: 'unknown',
        reason: expect.stringMatching(/no receipt/),
      });
    });
    expect(seen).toEqual([]);
  });

  test('a change that is not there any more is unknown; a service that is down is an error', async () => {
    const receipt = { kind: 'cloud-dns-change', token: '{"zone":"example-test","change":"987654"}' };
    expect(await cloud.bench.provider.syncState?.(receipt, cloud.bench.call())).toMatchObject({
      state: 'unknown',
      reason: expect.stringMatching(/change 987654/),
    });
    cloud.emulator.fail({ kind: 'server-error', on: { action: 'dns.changes.get' } });
    await expect(cloud.bench.provider.syncState?.(receipt, cloud.bench.call())).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});

test('a list that comes back to its first page ends', async () => {
  const nextPageToken = Buffer.from('0').toString('base64url');
  const undo = cloud.emulator.fail({
    kind: 'change-answer',
    on: { action: 'dns.managedZones.list' },
    times: Number.POSITIVE_INFINITY,
    change: (answer) => ({ ...answer, body: { ...(answer.body as object), nextPageToken } }),
  });
  const listed = cloud.bench.provider.listZones?.(cloud.bench.call());
  await expect(listed).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringMatching(/given already/) });
  undo();
});
