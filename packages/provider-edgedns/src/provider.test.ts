import { randomBytes } from 'node:crypto';
import {
  bindProvider,
  type ChangeOutcome,
  createRecordWriter,
  MemoryLedger,
  type RecordTarget,
  SecretValue,
  type Zone,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import { edgedns } from './plugin.ts';
import { type CloudflareFixture, startCloudflareFixture, targetOf } from './testing/cloudflare-fixture.ts';

let fixture: CloudflareFixture;
let lab: Lab;
let target: RecordTarget;
let zone: Zone;

beforeEach(async () => {
  fixture = await startCloudflareFixture();
  lab = new Lab(edgedns, '', fixture);
  ({ target, zone } = await lab.prepare());
});

afterEach(async () => {
  await lab.close();
  await fixture.close();
});

const shown = (outcomes: readonly ChangeOutcome[]): string[] =>
  outcomes.map((one) => ('error' in one ? `${one.status} ${one.error.kind}: ${one.error.message}` : one.status));
const actionsSince = (start: number): string[] => fixture.cloudflare.seen.slice(start).map(({ action }) => action);
const valuesAt = (name = target.name): readonly string[] => fixture.cloudflare.published(name).values;

function startWriter() {
  const clock = { now: () => Date.now() };
  const random = (length: number) => randomBytes(length);
  const bound = bindProvider(
    edgedns,
    { issuer: 'default/lab', key: 'edgedns', name: 'lab', config: fixture.config },
    {
      egress: lab.traffic.egress,
      dns: lab.traffic.dns,
      clock,
      random,
      secret: ({ name, key }) => ({
        get: async () => new SecretValue(Buffer.from(fixture.secrets[name]?.[key] ?? '')),
      }),
      warn: () => undefined,
    },
  );
  const writer = createRecordWriter({ ledger: new MemoryLedger(), clock, random, windowMs: 5 });
  const ask = (state: 'present' | 'absent', records: readonly (readonly [RecordTarget, string])[]) =>
    writer.write({
      owner: 'default/order',
      provider: bound,
      zone,
      state,
      records: records.map(([{ name }, value]) => ({ name, value })),
      signal: new AbortController().signal,
    });
  return { bound, ask, close: () => writer.close() };
}

describe('1,000 challenges in one zone', () => {
  const records = Array.from({ length: 1000 }, (_, at) => [targetOf(`host${at}.example.test`), `value-${at}`] as const);

  test('take 16 requests to list the zone, write and remove', async () => {
    const start = fixture.cloudflare.seen.length;
    const { bound, ask, close } = startWriter();
    const signal = new AbortController().signal;
    await bound.provider.listZones?.({ signal, deadlineAt: Date.now() + 9000, permit: async () => undefined });
    for (const state of ['present', 'absent'] as const) {
      const outcomes = await ask(state, records);
      expect(outcomes.every((outcome) => outcome.status === 'done' && outcome.changed)).toBe(true);
      expect(valuesAt(records[500]?.[0].name)).toEqual(state === 'present' ? ['value-500'] : []);
    }
    await close();
    const lists = Array(5).fill('ListDnsRecords');
    expect(actionsSince(start).sort()).toEqual([...Array(10).fill('BatchDnsRecords'), ...lists, 'ListZones']);
  });
});

test('a batch with one name that a CNAME takes goes through but for that one', async () => {
  const targets = Array.from({ length: 20 }, (_, at) => targetOf(`many${at}.example.test`));
  fixture.cloudflare.plantCname(toDnsName('_acme-challenge.many7.example.test'), toDnsName('elsewhere.example.net'));
  const { ask, close } = startWriter();
  const outcomes = await ask(
    'present',
    targets.map((one, at) => [one, `value-${at}`] as const),
  );
  await close();
  expect(outcomes.filter(({ status }) => status === 'done')).toHaveLength(19);
  expect(outcomes[7]).toMatchObject({ status: 'failed', error: { kind: 'invalid' } });
  expect(valuesAt(targets[19]?.name)).toEqual(['value-19']);
});

test('a value goes whatever the id of its record is by now', async () => {
  const instance = lab.start();
  const value = lab.value();
  await instance.apply(zone, lab.changes(['present', target.name, value]));
  fixture.cloudflare.uproot(target.name, value);
  fixture.cloudflare.plant(target.name, value, 300);
  const start = fixture.cloudflare.seen.length;
  expect(shown(await instance.apply(zone, lab.changes(['absent', target.name, value])))).toEqual(['changed']);
  expect(actionsSince(start)).toEqual(['ListDnsRecords', 'BatchDnsRecords']);
  expect(valuesAt()).toEqual([]);
});

test('a value that somebody has removed is no work', async () => {
  const instance = lab.start();
  const [gone, fresh] = [lab.value(), lab.value()];
  await instance.apply(zone, lab.changes(['present', target.name, gone]));
  fixture.cloudflare.uproot(target.name, gone);
  const changes = lab.changes(['absent', target.name, gone], ['present', target.name, fresh]);
  expect(shown(await instance.apply(zone, changes))).toEqual(['unchanged', 'changed']);
  expect(valuesAt()).toEqual([fresh]);
});

describe('a record of ours that somebody has given another content', () => {
  test('stays, and our value counts as gone', async () => {
    const instance = lab.start();
    const value = lab.value();
    await instance.apply(zone, lab.changes(['present', target.name, value]));
    fixture.cloudflare.edit(target.name, value, '"theirs"');
    expect(shown(await instance.apply(zone, lab.changes(['absent', target.name, value])))).toEqual(['unchanged']);
    expect(valuesAt()).toEqual(['theirs']);
  });

  test('comes back when that happens between the look and the removal, and a person is told', async () => {
    const value = lab.value();
    fixture.cloudflare.plant(target.name, value, 120);
    const run = () => fixture.cloudflare.edit(target.name, value, 'theirs "as it is"');
    fixture.cloudflare.fail({ kind: 'before', on: 'write', run });
    expect(shown(await lab.start().apply(zone, lab.changes(['absent', target.name, value])))).toEqual(['changed']);
    expect(fixture.cloudflare.published(target.name)).toMatchObject({ values: ['theirs "as it is"'], ttl: 120 });
    expect(lab.said).toContainEqual(expect.stringMatching(/somebody changed .* were put back/));
  });

  test('is not looked for where the answer tells ids only', async () => {
    const value = lab.value();
    fixture.cloudflare.plant(target.name, value, 120);
    fixture.cloudflare.fail({
      kind: 'change-answer',
      on: 'write',
      change: (answer) => {
        const { result } = answer.body as { readonly result: { readonly deletes: readonly { readonly id: string }[] } };
        return { ...answer, body: { success: true, result: { deletes: result.deletes.map(({ id }) => ({ id })) } } };
      },
    });
    expect(shown(await lab.start().apply(zone, lab.changes(['absent', target.name, value])))).toEqual(['changed']);
    expect(lab.said.filter((one) => typeof one === 'string')).toEqual([]);
  });

  test('is told in full when it cannot be put back', async () => {
    const value = lab.value();
    fixture.cloudflare.plant(target.name, value, 120);
    fixture.cloudflare.fail({
      kind: 'before',
      on: 'write',
      run() {
        fixture.cloudflare.edit(target.name, value, '"theirs"');
        fixture.cloudflare.fail({ kind: 'server-error', on: 'write' });
      },
    });
    expect(shown(await lab.start().apply(zone, lab.changes(['absent', target.name, value])))).toEqual(['changed']);
    expect(lab.said).toContainEqual(
      expect.stringMatching(
        /TXT _acme-challenge\.\S+ with the content "theirs"\. They could not be put back \(unavailable 503\): create them/,
      ),
    );
  });
});

test('a value without quotes is the same value, and both forms of it go', async () => {
  const value = lab.value();
  fixture.cloudflare.plantContent(target.name, value, 300);
  const instance = lab.start();
  expect(shown(await instance.apply(zone, lab.changes(['present', target.name, value])))).toEqual(['unchanged']);
  expect(shown(await instance.apply(zone, lab.changes(['absent', target.name, value])))).toEqual(['changed']);
  expect(valuesAt()).toEqual([]);
});

test('an answer that cannot be read says nothing of what was done', async () => {
  const instance = lab.start();
  const changes = lab.changes(['present', target.name, lab.value()]);
  const posts = [{ id: 'x'.repeat(32), name: target.name }];
  fixture.cloudflare.fail({
    kind: 'change-answer',
    on: 'write',
    change: (answer) => ({ ...answer, body: { success: true, errors: [], messages: [], result: { posts } } }),
  });
  expect(shown(await instance.tryApply(zone, changes))).toEqual([expect.stringMatching(/^unknown unavailable/)]);
  expect(shown(await instance.apply(zone, changes))).toEqual(['unchanged']);
});

test('what is refused again after the list is a conflict, with what is so already left out', async () => {
  const [there, other] = [lab.value(), lab.value()];
  fixture.cloudflare.plant(target.name, there, 300);
  const start = fixture.cloudflare.seen.length;
  let writes = 0;
  fixture.cloudflare.fail({
    kind: 'before',
    on: 'write',
    times: 2,
    run() {
      if (++writes === 2) fixture.cloudflare.plant(target.name, other, 300);
    },
  });
  const changes = lab.changes(['present', target.name, there], ['present', target.name, other]);
  const outcomes = await lab.start().apply(zone, changes);
  expect(shown(outcomes)).toEqual(['unchanged', expect.stringMatching(/^failed conflict: .* \(81058 An identical/)]);
  expect(actionsSince(start)).toEqual(['BatchDnsRecords', 'ListDnsRecords', 'BatchDnsRecords']);
});

describe('a list that fails', () => {
  const removal = async () => shown(await lab.start().tryApply(zone, lab.changes(['absent', target.name, 'x'])));

  test('after its answer was lost has changed nothing', async () => {
    fixture.cloudflare.fail({ kind: 'lose-answer', on: 'read' });
    expect(await removal()).toEqual([
      expect.stringMatching(/^failed unavailable: .*did not answer to the TXT records/),
    ]);
  });

  test('with the page of a proxy is not taken for an empty zone', async () => {
    fixture.cloudflare.fail({ kind: 'html', status: 200, on: 'read' });
    expect(await removal()).toEqual([expect.stringMatching(/^failed unavailable: .*no answer of the API/)]);
  });

  test('that gives one page again and again is not taken for a whole', async () => {
    await fixture.close();
    fixture = await startCloudflareFixture('token', { zones: Array.from({ length: 60 }, (_, at) => `z${at}.test`) });
    const many = new Lab(edgedns, '', fixture);
    const first = await many.start().provider.listZones?.(many.start().call());
    expect(first).toHaveLength(60);
    const pages: object[] = [];
    const change = (answer: { readonly status: number; readonly body?: string | object }) => {
      pages.push(answer.body as object);
      return { ...answer, body: pages[0] as object };
    };
    fixture.cloudflare.fail({ kind: 'change-answer', times: 2, change });
    const listed = many.start().provider.listZones?.(many.start().call());
    await expect(listed).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/list of zones.*changed while its pages were read/),
    });
    await many.close();
  });

  test('with an answer without a result is not taken for one either', async () => {
    const change = () => ({ status: 200, body: { success: true, errors: [] } });
    fixture.cloudflare.fail({ kind: 'change-answer', on: 'read', change });
    expect(await removal()).toEqual([expect.stringMatching(/^failed unavailable/)]);
  });
});

test('too many requests pause until the end of the five minutes', async () => {
  await fixture.close();
  fixture = await startCloudflareFixture('token', { requestsPer5Minutes: 1 });
  const few = new Lab(edgedns, '', fixture);
  const { instance } = await few.prepare();
  const [outcome] = await instance.tryApply(zone, few.changes(['present', target.name, few.value()]));
  await few.close();
  expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'rate-limited' } });
  const wait = outcome && 'error' in outcome ? outcome.error.details.retryAfterMs : undefined;
  expect(wait).toBeGreaterThan(290_000);
  expect(wait).toBeLessThanOrEqual(300_000);
});

test('zones that the world does not see are left out, and told', async () => {
  fixture.cloudflare.addZone({ name: 'moved.test', status: 'moved' });
  fixture.cloudflare.addZone({ name: 'cname.test', type: 'partial' });
  fixture.cloudflare.addZone({ name: 'copy.test', type: 'secondary' });
  const call = lab.start().call();
  const zones = await lab.start().provider.listZones?.(call);
  expect(zones?.map(({ name }) => name)).toEqual(['example.test', 'deep.example.test']);
  expect(lab.said).toContainEqual(
    expect.stringMatching(
      /^edgedns "lab" \(Cloudflare\): no records are written to moved\.test \(moved\), cname\.test \(partial\), copy\.test \(secondary\): /,
    ),
  );
});

test('a Secret of Akamai is told before anything is sent', async () => {
  const start = fixture.cloudflare.seen.length;
  const error = await lab
    .start({ secrets: { cloudflare: { token: 'akab-abcdefghijklmnop' } } })
    .zoneOf(target)
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
  const instance = lab.start({ secrets });
  await expect(instance.zoneOf(target)).rejects.toMatchObject({ kind: 'auth' });
  text = fixture.cloudflare.apiToken;
  expect((await instance.zoneOf(target))?.name).toBe('example.test');
});

describe('check', () => {
  const found = async (instance = lab.start()): Promise<string[]> =>
    (await instance.check()).map(({ what, result }) => `${what} ${result}`);

  test('tells what a list of zones proves', async () => {
    expect(await found()).toEqual(['reachable ok', 'credentials ok', 'zones ok']);
    expect(await found(lab.start({ secrets: fixture.wrongSecrets ?? {} }))).toEqual(['credentials failed']);
    fixture.cloudflare.fail({ kind: 'server-error' });
    expect(await found()).toEqual(['reachable failed']);
    fixture.cloudflare.permissions.delete('Zone:Zone:Read');
    expect(await found()).toEqual(['zones failed']);
  });

  test('asks for a zone where there is none', async () => {
    const empty = await startCloudflareFixture('token', { zones: [] });
    const other = new Lab(edgedns, '', empty);
    expect(await found(other.start())).toEqual(['reachable ok', 'credentials ok', 'zones failed']);
    await other.close();
    await empty.close();
  });
});
