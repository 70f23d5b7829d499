import { randomBytes } from 'node:crypto';
import {
  bindProvider,
  type ChangeOutcome,
  createEgress,
  createRecordWriter,
  type Egress,
  longestZone,
  MemoryLedger,
  type RecordTarget,
  SecretValue,
  systemClock,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import { fastdns } from './plugin.ts';
import { secretsOf, startFastdnsFixture } from './testing/emulator-fixture.ts';

let fixture: Awaited<ReturnType<typeof startFastdnsFixture>>;
let emulator: (typeof fixture)['emulator'];
let lab: Lab;
let target: RecordTarget;
let name: DnsName;
const zone: Zone = { id: 'example.test', name: toDnsName('example.test') };

beforeEach(async () => {
  fixture = await startFastdnsFixture();
  emulator = fixture.emulator;
  lab = new Lab(fastdns, '', fixture);
  target = await fixture.newTarget();
  name = target.name;
});

afterEach(async () => {
  await lab.close();
  await fixture.close();
});

const shown = (outcomes: readonly ChangeOutcome[]) =>
  outcomes.map((one) => ('error' in one ? `${one.status} ${one.error.kind}: ${one.error.message}` : one.status));
const present = (value = lab.value(), at = name) => lab.changes(['present', at, value]);
const absent = (value: string, at = name) => lab.changes(['absent', at, value]);
const actions = (from = 0) => emulator.seen.slice(from).map(({ action }) => action);
const valuesAt = (at: DnsName) => [...emulator.published(at).values].sort();

describe('requests', () => {
  test('a value where nothing is takes one, and nothing is read', async () => {
    expect(shown(await lab.start().apply(zone, present()))).toEqual(['changed']);
    expect(actions()).toEqual(['post-zones-zone-recordsets']);
    expect(emulator.published(name).ttl).toBe(300);
  });

  test('apex and wildcard of one order are one set', async () => {
    await lab.start().apply(zone, lab.changes(['present', name, 'a'], ['present', name, 'b']));
    expect(actions()).toHaveLength(1);
    expect(valuesAt(name)).toEqual(['a', 'b']);
  });

  test('a removal takes a look, a change list, an edit, a comparison and the submission', async () => {
    await lab.start().apply(zone, present('a'));
    const from = emulator.seen.length;
    expect(shown(await lab.start().apply(zone, absent('a')))).toEqual(['changed']);
    expect(actions(from)).toEqual([
      'get-zone-name-type',
      'post-changelists',
      'post-changelists-zone-recordsets-add-change',
      'get-changelists-zone-diff',
      'post-changelists-zone-submit',
    ]);
    expect(valuesAt(name)).toEqual([]);
  });

  test('what is so already costs a look and leaves no change list', async () => {
    await lab.start().apply(zone, present('a'));
    const from = emulator.seen.length;
    expect(shown(await lab.start().apply(zone, present('a')))).toEqual(['unchanged']);
    expect(shown(await lab.start().apply(zone, absent('none')))).toEqual(['unchanged']);
    expect(actions(from)).toEqual(['post-zones-zone-recordsets', 'get-zone-name-type', 'get-zone-name-type']);
  });

  test('one set that is there among many costs one look, one creation and one change list', async () => {
    const names = Array.from({ length: 40 }, (_, at) => toDnsName(`_acme-challenge.h${at}.example.test`));
    emulator.plant(names[7] as DnsName, 'foreign', 900);
    const changes = lab.changes(...names.map((at) => ['present', at, 'ours'] as const));
    expect(new Set(shown(await lab.start().apply(zone, changes)))).toEqual(new Set(['changed']));
    expect(actions()).toEqual([
      'post-zones-zone-recordsets',
      'get-zones-zone-recordsets',
      'post-zones-zone-recordsets',
      'post-changelists',
      'post-changelists-zone-recordsets-add-change',
      'get-changelists-zone-diff',
      'post-changelists-zone-submit',
    ]);
    expect(emulator.published(names[7] as DnsName)).toMatchObject({ values: ['foreign', 'ours'], ttl: 900 });
  });

  test('1,000 values of one zone are created by the record writer with at most 10 requests, the list of zones included', async () => {
    const { provider, writer, close } = startWriter();
    const zones = (await provider.provider.listZones?.(lab.start().call())) ?? [];
    const found = longestZone(name, zones) as Zone;
    const records = Array.from({ length: 1_000 }, (_, at) => ({
      name: toDnsName(`_acme-challenge.host${at}.example.test`),
      value: lab.value(),
    }));
    const request = { owner: 'test/order', provider, zone: found, signal: AbortSignal.timeout(20_000) };
    const done = await writer.write({ ...request, state: 'present', records });
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set(['done']));
    expect(emulator.seen.length).toBeLessThanOrEqual(10);
    const receipts = new Set(done.map((one) => ('receipt' in one ? one.receipt?.token : undefined)));
    expect(receipts.size).toBe(8);

    const from = emulator.seen.length;
    const gone = await writer.write({ ...request, state: 'absent', records: records.slice(0, 125) });
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set(['done']));
    // One a set, and four for the batch: the list of sets has two pages here.
    expect(emulator.seen.length - from).toBeLessThanOrEqual(125 + 5);
    await close();
  }, 30_000);
});

describe('foreign values', () => {
  test('odd rdata is written back byte for byte', async () => {
    const rdata = ['unquoted', '"two" "strings"', '"esc\\097ped \\"quotes\\""'];
    for (const one of rdata) emulator.plantRdata(name, one, 60);
    await lab.start().apply(zone, present('ours'));
    expect(emulator.rdata(name)).toEqual([...rdata, '"ours"']);
    await lab.start().apply(zone, absent('ours'));
    expect(emulator.rdata(name)).toEqual(rdata);
    expect(emulator.published(name).ttl).toBe(60);
  });

  test.each(['post-changelists', 'post-changelists-zone-recordsets-add-change', 'post-changelists-zone-submit'])(
    'one that is added just before %s survives: conflict, then done',
    async (action) => {
      emulator.plant(name, 'first', 600);
      emulator.fail({ kind: 'before', on: { action }, run: () => emulator.plant(name, 'second', 600) });
      const changes = present('ours');
      expect(shown(await lab.start().apply(zone, changes))[0]).toMatch(/^failed conflict: /);
      expect(emulator.staged('example.test')).toBeUndefined();
      expect(shown(await lab.start().apply(zone, changes))).toEqual(['changed']);
      expect(valuesAt(name)).toEqual(['first', 'ours', 'second']);
    },
  );

  test('a set that appears between the look and the creation is left alone', async () => {
    const [one, two] = [name, (await fixture.newTarget()).name];
    emulator.plant(one, 'foreign', 600);
    let writes = 0;
    emulator.fail({
      kind: 'before',
      on: { action: 'post-zones-zone-recordsets' },
      times: 2,
      run: () => (++writes === 2 ? emulator.plant(two, 'late', 600) : undefined),
    });
    const changes = lab.changes(['present', one, 'a'], ['present', two, 'b']);
    const outcomes = shown(await lab.start().apply(zone, changes));
    expect(outcomes[0]).toBe('changed');
    expect(outcomes[1]).toMatch(/^failed conflict: .* was not created/);
    expect(valuesAt(two)).toEqual(['late']);
  });
});

describe('change lists of others', () => {
  /** As a person in Control Center, or another tool, does it with the same user. */
  async function stageForeign(): Promise<void> {
    const other = lab.start({ secrets: secretsOf(emulator.addClient('zoneproof')) });
    const at = toDnsName('_acme-challenge.foreign.example.test');
    emulator.plant(at, 'theirs', 600);
    const stop = emulator.fail({ kind: 'reset', on: { action: 'post-changelists-zone-submit' } });
    await other.tryApply(zone, absent('theirs', at));
    stop();
    expect(emulator.staged('example.test')).toHaveLength(1);
  }

  test('staged changes are never thrown away, and the error says what to do', async () => {
    emulator.plant(name, 'a', 600);
    await stageForeign();
    const changes = absent('a');
    expect(shown(await lab.start().apply(zone, changes))[0]).toMatch(
      /^failed conflict: .*another process or person.*changing zone example\.test, last 0 s ago.*API client for zoneproof alone/,
    );
    ageLists(600);
    expect(shown(await lab.start().apply(zone, changes))[0]).toMatch(
      /^failed conflict: .*other changes \(_acme-challenge\.foreign\.example\.test TXT\)\. Submit or discard it in Akamai Control Center/,
    );
    expect(emulator.staged('example.test')).toHaveLength(1);
    expect(emulator.seen.some(({ target: path }) => path.includes('overwrite=any'))).toBe(false);
  });

  test('a new version of the zone makes them stale, and then they are replaced', async () => {
    emulator.plant(name, 'a', 600);
    await stageForeign();
    emulator.plant(name, 'b', 600);
    ageLists(61);
    expect(shown(await lab.start().apply(zone, absent('a')))).toEqual(['changed']);
    expect(valuesAt(name)).toEqual(['b']);
  });

  test.each(['post-changelists', 'post-changelists-zone-recordsets-add-change', 'post-changelists-zone-submit'])(
    'a call whose answer to %s was lost is made good by the next one of the same process',
    async (action) => {
      emulator.plant(name, 'a', 600);
      const instance = lab.start();
      emulator.fail({ kind: 'lose-answer', on: { action } });
      const changes = absent('a');
      expect(shown(await instance.tryApply(zone, changes))[0]).toMatch(/unavailable/);
      expect(shown(await instance.apply(zone, changes))[0]).toMatch(/^(un)?changed$/);
      expect(valuesAt(name)).toEqual([]);
      expect(emulator.staged('example.test')).toBeUndefined();
    },
  );

  test('what a crash left is taken over by the next process once it is quiet', async () => {
    emulator.plant(name, 'a', 600);
    emulator.fail({ kind: 'reset', on: { action: 'post-changelists-zone-submit' } });
    const changes = absent('a');
    await lab.start().tryApply(zone, changes);
    expect(shown(await lab.start().apply(zone, changes))[0]).toMatch(/^failed conflict/);
    ageLists(6);
    expect(shown(await lab.start().apply(zone, changes))).toEqual(['changed']);
  });

  test('what another tool adds to the list in use is not submitted', async () => {
    emulator.plant(name, 'a', 600);
    emulator.fail({
      kind: 'before',
      on: { action: 'get-changelists-zone-diff' },
      run: () =>
        emulator.stage('example.test', {
          op: 'ADD',
          name: 'x.example.test',
          type: 'A',
          ttl: 300,
          rdata: ['192.0.2.1'],
        }),
    });
    expect(shown(await lab.start().apply(zone, absent('a')))[0]).toMatch(/^failed conflict: .*was not submitted/);
    expect(valuesAt(name)).toEqual(['a']);
    expect(emulator.staged('example.test')).toHaveLength(2);
  });

  function ageLists(seconds: number): void {
    emulator.ageLists(seconds * 1000);
  }
});

describe('bad days', () => {
  test('a zone in use is a conflict, for creation and for submission', async () => {
    emulator.busy('example.test');
    expect(shown(await lab.start().tryApply(zone, present()))[0]).toMatch(
      /^failed conflict: .*concurrent|being modified/i,
    );
    emulator.plant(name, 'a', 600);
    emulator.busy('example.test');
    expect(shown(await lab.start().tryApply(zone, absent('a')))[0]).toMatch(/^failed conflict: /);
    expect(emulator.staged('example.test')).toBeUndefined();
    expect(shown(await lab.start().apply(zone, absent('a')))).toEqual(['changed']);
  });

  test('an edit that is refused for what it is does not keep the others back', async () => {
    const other = (await fixture.newTarget()).name;
    emulator.plant(other, 'x', 600);
    emulator.plantOther(name, 'CNAME', 'elsewhere.example.');
    await lab.start().tryApply(zone, present('first'));
    // Held values make it a change list: the ledger knows of "first".
    const outcomes = shown(await lab.start().apply(zone, lab.changes(['present', name, 'b'], ['absent', other, 'x'])));
    expect(outcomes[0]).toMatch(/^failed invalid: .*CNAME/);
    expect(outcomes[1]).toBe('changed');
  });

  test('what there is no time for is left for the next call', async () => {
    const names = Array.from({ length: 5 }, (_, at) => toDnsName(`_acme-challenge.late${at}.example.test`));
    for (const at of names) emulator.plant(at, 'a', 600);
    const instance = lab.start();
    const changes = lab.changes(...names.map((at) => ['absent', at, 'a'] as const));
    const call = { ...instance.call(), deadlineAt: Date.now() + 1_000 };
    const outcomes = shown(await instance.provider.apply(zone, changes, call));
    expect(outcomes[0]).toBe('changed');
    for (const outcome of outcomes.slice(1)) expect(outcome).toMatch(/^failed unavailable: .*no time was left/);
    expect(shown(await instance.apply(zone, changes.slice(1)))).toEqual(Array(4).fill('changed'));
  });

  test.each([
    [502, 'unknown unavailable'],
    [503, 'failed unavailable'],
    [403, 'failed permission'],
  ])('an HTML page with %d is %s', async (status, expected) => {
    emulator.fail({ kind: 'html', status });
    expect(shown(await lab.start().tryApply(zone, present()))[0]).toMatch(new RegExp(`^${expected}: (?!.*<)`));
    expect(emulator.seen).toHaveLength(1);
  });

  test('a page with 200 is no success', async () => {
    emulator.fail({ kind: 'html', status: 200 });
    expect(shown(await lab.start().tryApply(zone, present()))[0]).toMatch(
      /^unknown unavailable: .*not as the API does/,
    );
  });

  test('throttling is told with its pause', async () => {
    emulator.fail({ kind: 'throttled', retryAfterSeconds: 7 });
    const [outcome] = await lab.start().tryApply(zone, present());
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'rate-limited', details: { retryAfterMs: 7_000 } },
    });
  });

  test('check tells a wrong clock before it stops requests, and after', async () => {
    emulator.skewMs = -20_000;
    expect(await lab.start().check()).toContainEqual({
      what: 'clock',
      result: 'warning',
      detail: expect.stringMatching(/(19|20|21) s ahead of Akamai's/),
    });
    emulator.skewMs = 300_000;
    const [item] = await lab.start().check();
    expect(item).toMatchObject({ what: 'credentials', result: 'failed' });
    expect(item?.detail).toMatch(/Invalid timestamp\. The clock of this machine is (299|300|301) s behind Akamai's\./);
  });

  test('a garbled Secret is an error that names the entry, and nothing is sent', async () => {
    const secrets = { akamai: { ...fixture.secrets.akamai, clientSecret: 'client_secret = hunter2hunter2' } };
    const [outcome] = shown(await lab.start({ secrets }).tryApply(zone, present()));
    expect(outcome).toMatch(/^failed auth: .*entry "clientSecret" of Secret "akamai" holds the text of \.edgerc/);
    expect(outcome).not.toContain('hunter2');
    expect(emulator.seen).toHaveLength(0);
  });
});

describe('zones', () => {
  test('PENDING zones are used; zones that do not serve are left out with the reason', async () => {
    await lab.start().apply(zone, present());
    const locked = toDnsName('locked.test');
    emulator.addZone(locked, { state: 'LOCKED' });
    const instance = lab.start();
    const zones = await instance.provider.listZones?.(instance.call());
    expect(zones?.map(({ id }) => id).sort()).toEqual(['deep.example.test', 'example.test']);
    expect(lab.said).toContainEqual(expect.stringMatching(/zone locked\.test is left out.*LOCKED\. Unlock it/));
    expect(lab.said).toContainEqual(
      expect.stringMatching(/zone new\.example\.test is left out.*NEW\. Add its SOA and NS/),
    );
  });

  test('a zone in error is of unknown propagation', async () => {
    const instance = lab.start();
    const [outcome] = await instance.apply(zone, present());
    const receipt = (outcome as Extract<ChangeOutcome, { status: 'changed' }>).receipt;
    const look = () => instance.provider.syncState?.(receipt as NonNullable<typeof receipt>, instance.call());
    expect(await look()).toEqual({ state: 'pending' });
    expect(await look()).toEqual({ state: 'synced' });
    emulator.setState('example.test', 'ERROR');
    expect(await look()).toMatchObject({ state: 'unknown', reason: expect.stringContaining('ERROR') });
  });

  test('accountSwitchKey goes with each request, and is signed', async () => {
    const config = { ...fixture.config, accountSwitchKey: '1-5C0YLB:1-8BYUX' };
    emulator.plant(name, 'foreign', 600);
    expect(shown(await lab.start({ config }).apply(zone, present()))).toEqual(['changed']);
    await lab.start({ config }).zoneOf(target);
    expect(emulator.seen.length).toBeGreaterThan(5);
    for (const { target: path } of emulator.seen) expect(path).toMatch(/[?&]accountSwitchKey=1-5C0YLB%3A1-8BYUX$/);
  });
});

function startWriter() {
  const egress: Egress = createEgress();
  const provider = bindProvider(
    fastdns,
    { issuer: 'Issuer/test/test', name: 'prod', key: 'fastdns', config: fixture.config },
    {
      egress,
      dns: egress.dns,
      clock: systemClock,
      random: randomBytes,
      secret: ({ name: secret, key }) => ({
        get: async () => new SecretValue(Buffer.from(fixture.secrets[secret]?.[key] ?? '')),
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
