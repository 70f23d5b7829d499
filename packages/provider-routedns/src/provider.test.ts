import { type ChangeOutcome, isProviderError, type RecordTarget, type Zone } from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import { documentedChangeBatchRefusal, readingPolicy, writingPolicy } from '@zoneproof/provider-testkit/route53';
import { routedns } from './plugin.ts';
import { identifierOf } from './record-sets.ts';
import { closeProviders, startProvider } from './testing/host.ts';
import { type Route53Fixture, startRoute53Fixture, targetOf } from './testing/route53-fixture.ts';

let fixture: Route53Fixture;
let lab: Lab;
let zone: Zone;

beforeEach(async () => {
  fixture = await startRoute53Fixture({ policy: writingPolicy });
  lab = new Lab(routedns, '', fixture);
  ({ zone } = await lab.prepare());
  mark();
});

afterEach(async () => {
  await closeProviders();
  await lab.close();
  await fixture.close();
});

let start = 0;
const mark = () => {
  start = fixture.aws.seen.length;
};
const actions = () => fixture.aws.seen.slice(start).map(({ action }) => action);
const nameOf = (label: string) => targetOf(`${label}.example.test`).name;
const valuesAt = (name: DnsName) => [...fixture.aws.published(name).values].sort();
const shown = (outcomes: readonly ChangeOutcome[]) =>
  outcomes.map((one) => ('error' in one ? `${one.status}/${one.error.kind}` : one.status));
type Change = readonly ['present' | 'absent', DnsName, string];
const apply = (...wanted: readonly Change[]) => lab.start().tryApply(zone, lab.changes(...wanted));
const errorOf = (outcomes: readonly ChangeOutcome[], at = 0) => {
  const outcome = outcomes[at];
  if (outcome === undefined || !('error' in outcome)) throw new Error(`no error in ${shown(outcomes)}`);
  return outcome.error;
};
const write = 'ChangeResourceRecordSets';
const read = 'ListResourceRecordSets';

describe('under the policy of the specification', () => {
  const name = nameOf('a');

  test('a first value takes one request, and so does its removal', async () => {
    expect(shown(await apply(['present', name, 'v1']))).toEqual(['changed']);
    expect(shown(await apply(['absent', name, 'v1']))).toEqual(['changed']);
    expect(actions()).toEqual([write, write]);
    expect(valuesAt(name)).toEqual([]);
  });

  test('one more value beside ours is one request', async () => {
    await apply(['present', name, 'v1']);
    mark();
    expect(shown(await apply(['present', name, 'v2']))).toEqual(['changed']);
    expect(actions()).toEqual([write]);
    expect(valuesAt(name)).toEqual(['v1', 'v2']);
  });

  test('a simple set of others ends in a permission error that names the action and what grants it, and stays', async () => {
    fixture.aws.plant(name, 'foreign', 300);
    const outcomes = await apply(['present', name, 'v1'], ['present', nameOf('b'), 'v2']);
    expect(shown(outcomes)).toEqual(['failed/permission', 'changed']);
    expect(errorOf(outcomes).message).toContain('route53:ListResourceRecordSets on hostedzone/');
    expect(errorOf(outcomes).message).toContain('zoneproof policy routedns --merge');
    expect(fixture.aws.published(name)).toEqual({ name, values: ['foreign'], ttl: 300 });
    expect(actions().filter((action) => action === read)).toHaveLength(1);
  });

  test('a set of ours that others have changed is left as it is when ours has to go', async () => {
    await apply(['present', name, 'v1']);
    fixture.aws.plant(name, 'foreign', 300);
    expect(shown(await apply(['absent', name, 'v1']))).toEqual(['failed/permission']);
    expect(valuesAt(name)).toEqual(['foreign', 'v1']);
    fixture.aws.setPolicy(readingPolicy);
    expect(shown(await apply(['absent', name, 'v1']))).toEqual(['changed']);
    expect(valuesAt(name)).toEqual(['foreign']);
  });

  test('beside multivalue sets each value has a set of its own, found again after a restart', async () => {
    const own = { ttl: 60, values: ['"foreign"'], setIdentifier: 'theirs', multiValueAnswer: true };
    fixture.aws.putRecordSet(zone.id, { name, type: 'TXT', ...own });
    expect(shown(await apply(['present', name, 'v1'], ['present', name, 'v2']))).toEqual(['changed', 'changed']);
    const identifiers = fixture.aws.recordSets(zone.id).flatMap(({ setIdentifier }) => setIdentifier ?? []);
    expect(identifiers.sort()).toEqual([identifierOf('v1'), identifierOf('v2'), 'theirs'].sort());
    expect(shown(await apply(['absent', name, 'v1']))).toEqual(['changed']);
    expect(valuesAt(name)).toEqual(['foreign', 'v2']);
    expect(actions()).not.toContain(read);
  });

  test('values that were never written are proven gone beside multivalue sets, though one is named at a time', async () => {
    const own = { ttl: 60, values: ['"foreign"'], setIdentifier: 'theirs', multiValueAnswer: true };
    fixture.aws.putRecordSet(zone.id, { name, type: 'TXT', ...own });
    fixture.aws.setMaxMessages(1);
    const values = ['v1', 'v2', 'v3', 'v4'];
    const outcomes = await apply(...values.map((value) => ['absent', name, value] as const));
    expect(shown(outcomes)).toEqual(values.map(() => 'unchanged'));
  });

  test('of three intents one was written: all are taken away', async () => {
    await apply(['present', name, 'v2']);
    const outcomes = await apply(['absent', name, 'v1'], ['absent', name, 'v2'], ['absent', name, 'v3']);
    expect(shown(outcomes)).toEqual(['unchanged', 'changed', 'unchanged']);
    expect(valuesAt(name)).toEqual([]);
  });

  test('that a value is gone is proven without reading', async () => {
    expect(shown(await apply(['absent', name, 'never']))).toEqual(['unchanged']);
    expect(actions()).toEqual([write, write]);
  });
});

describe('where reading is allowed', () => {
  beforeEach(() => fixture.aws.setPolicy(readingPolicy));

  test('values join sets of others byte for byte, with their TTL, and leave them', async () => {
    const name = nameOf('a');
    const raw = [
      '"v=spf1 -all"',
      '"two" "strings"',
      '"octal \\303\\274 and \\"quotes\\""',
      '"<a> & &amp; &#65; &amp;lt; \'b\'  "',
      '"007" "  "',
      '"]]>"',
    ];
    fixture.aws.putRecordSet(zone.id, { name, type: 'TXT', ttl: 4711, values: raw });
    const stored = () => fixture.aws.recordSets(zone.id).find((set) => set.name === name);
    expect(shown(await apply(['present', name, 'v1']))).toEqual(['changed']);
    expect(stored()).toMatchObject({ ttl: 4711, values: [...raw, '"v1"'] });
    expect(shown(await apply(['absent', name, 'v1']))).toEqual(['changed']);
    expect(stored()).toMatchObject({ ttl: 4711, values: raw });
  });

  test('one read serves many names', async () => {
    const names = Array.from({ length: 40 }, (_none, at) => nameOf(`host${at}`));
    for (const name of names) fixture.aws.plant(name, 'foreign', 300);
    const outcomes = await apply(...names.map((name) => ['present', name, 'v1'] as const));
    expect(new Set(shown(outcomes))).toEqual(new Set(['changed']));
    expect(actions()).toEqual([write, write, read, write]);
    for (const name of names) expect(valuesAt(name)).toEqual(['foreign', 'v1']);
  });

  test('names on far pages are read there', async () => {
    for (let at = 0; at < 700; at++)
      fixture.aws.plant(toDnsName(`m${String(at).padStart(3, '0')}.example.test`), 'x', 60);
    const names = [toDnsName('a.example.test'), toDnsName('m350.example.test'), toDnsName('z.example.test')];
    for (const name of names) fixture.aws.plant(name, 'foreign', 300);
    const outcomes = await apply(...names.map((name) => ['present', name, 'v1'] as const));
    expect(shown(outcomes)).toEqual(['changed', 'changed', 'changed']);
    expect(actions().filter((action) => action === read).length).toBeLessThanOrEqual(3);
    for (const name of names) expect(valuesAt(name)).toContain('foreign');
  });

  test('a writer between our read and our write is a conflict, and loses nothing', async () => {
    const name = nameOf('a');
    fixture.aws.plant(name, 'foreign', 300);
    let writes = 0;
    fixture.aws.fail({
      kind: 'before',
      on: 'write',
      times: 3,
      run() {
        if (++writes === 3) fixture.aws.plant(name, 'late', 300);
      },
    });
    expect(shown(await apply(['present', name, 'v1']))).toEqual(['failed/conflict']);
    expect(valuesAt(name)).toEqual(['foreign', 'late']);
    expect(shown(await apply(['present', name, 'v1']))).toEqual(['changed']);
  });

  test('sets of weighted routing are told', async () => {
    const name = nameOf('a');
    const set = { name, type: 'TXT', ttl: 60, values: ['"x"'], setIdentifier: 'blue', weight: 1 };
    fixture.aws.putRecordSet(zone.id, set);
    const outcomes = await apply(['present', name, 'v1']);
    expect(shown(outcomes)).toEqual(['failed/invalid']);
    expect(errorOf(outcomes).message).toMatch(/routing policy.*CNAME/);
  });
});

describe('refusals', () => {
  test('of some of a batch do not keep the others back, however few of them Route 53 names', async () => {
    for (const label of ['a', 'b', 'c']) fixture.aws.plant(nameOf(label), 'foreign', 300);
    fixture.aws.setMaxMessages(1);
    const labels = ['a', 'b', 'c', 'd', 'e'];
    const outcomes = await apply(...labels.map((label) => ['present', nameOf(label), 'v1'] as const));
    expect(shown(outcomes).slice(3)).toEqual(['changed', 'changed']);
    expect(
      shown(outcomes)
        .slice(0, 3)
        .every((one) => one.startsWith('failed/')),
    ).toBe(true);
  });

  test('in the form of the API reference are understood as well', async () => {
    const name = nameOf('a');
    await apply(['present', name, 'v1']);
    fixture.aws.fail({
      kind: 'change-answer',
      on: 'write',
      change: () =>
        documentedChangeBatchRefusal(
          [`Tried to create resource record set [name='${name}.', type='TXT'] but it already exists`],
          'request-1',
        ),
    });
    expect(shown(await apply(['present', name, 'v1']))).toEqual(['unchanged']);
  });

  test('that name no set end a batch in an error of Route 53 itself', async () => {
    fixture.aws.refuse({ action: write, status: 400, code: 'InvalidChangeBatch', message: '[Something new]' });
    const outcomes = await apply(['present', nameOf('a'), 'v1'], ['present', nameOf('b'), 'v2']);
    expect(shown(outcomes)).toEqual(['failed/invalid', 'failed/invalid']);
    expect(errorOf(outcomes).message).toContain('Something new');
    expect(actions()).toHaveLength(1);
  });

  describe('of one name, in words that are not understood,', () => {
    beforeEach(() => {
      fixture.aws.plant(nameOf('a'), 'foreign', 300);
      const message = '[Something is in the way]';
      fixture.aws.refuse({ action: write, status: 400, code: 'InvalidChangeBatch', message, times: 3 });
    });

    test('lead to the records where those may be read', async () => {
      fixture.aws.setPolicy(readingPolicy);
      expect(shown(await apply(['present', nameOf('a'), 'v1']))).toEqual(['changed']);
      expect(actions()).toEqual([write, write, write, read, write]);
      expect(valuesAt(nameOf('a'))).toEqual(['foreign', 'v1']);
    });

    test('end in a permission error with these words else', async () => {
      const outcomes = await apply(['present', nameOf('a'), 'v1']);
      expect(shown(outcomes)).toEqual(['failed/permission']);
      expect(errorOf(outcomes).message).toMatch(/\(Something is in the way\).*route53:ListResourceRecordSets/);
      expect(valuesAt(nameOf('a'))).toEqual(['foreign']);
    });
  });

  test('a prior request that is not complete is a conflict', async () => {
    const message = 'The request was rejected because Route 53 was still processing a prior request.';
    fixture.aws.refuse({ action: write, status: 400, code: 'PriorRequestNotComplete', message });
    expect(shown(await apply(['present', nameOf('a'), 'v1']))).toEqual(['failed/conflict']);
    expect(actions()).toHaveLength(1);
  });

  test('what is lost after some batches went through is unknown for its own values only', async () => {
    // 403 characters a value as stored: 350 of them are five batches of at most 32,000 characters.
    const names = Array.from({ length: 350 }, (_none, at) => nameOf(`host${at}`));
    let writes = 0;
    fixture.aws.fail({
      kind: 'change-answer',
      on: 'write',
      times: 9,
      change: (answer) => ({
        ...answer,
        status: ++writes === 2 ? 502 : 200,
        ...(writes === 2 && { body: 'bad gateway' }),
      }),
    });
    const outcomes = await apply(...names.map((name) => ['present', name, 'x'.repeat(398)] as const));
    const counts = { changed: 0, unknown: 0, failed: 0, unchanged: 0 };
    for (const { status } of outcomes) counts[status]++;
    expect(counts).toEqual({ changed: 79, unknown: 79, failed: 192, unchanged: 0 });
    expect(writes).toBe(2);
  });
});

describe('a block with hostedZoneID', () => {
  const elsewhere: RecordTarget = {
    ...targetOf('www.example.test'),
    name: toDnsName('_acme-challenge.www.example.test'),
  };
  const startWith = (hostedZoneID: string) => {
    const { config, aws } = fixture;
    return startProvider({ ...config, hostedZoneID }, { secret: aws.secretAccessKey });
  };

  test('asks for no list, and names the zone that answers in the DNS', async () => {
    const { provider, call, requests } = startWith(`/hostedzone/${zone.id}`);
    expect(provider.listZones).toBeUndefined();
    const answering = { ...elsewhere, zone: toDnsName('example.test') };
    expect(await provider.findZone?.(answering, call)).toEqual({ id: zone.id, name: 'example.test' });
    expect(await provider.findZone?.(elsewhere, call)).toEqual({ id: zone.id, name: 'www.example.test' });
    expect(requests).toEqual([]);
  });

  test('works under the policy for that zone alone', async () => {
    fixture.aws.setPolicy(routedns.policy?.({ zoneId: zone.id }) as typeof writingPolicy);
    const { provider, call } = startWith(zone.id);
    const found = await provider.findZone?.(elsewhere, call);
    const outcomes = await provider.apply(found as Zone, lab.changes(['present', elsewhere.name, 'v1']), call);
    expect(shown(outcomes)).toEqual(['changed']);
  });

  test('that does not hold the name ends in zone-not-found', async () => {
    const { provider, call } = startWith(fixture.aws.zoneIdOf('deep.example.test'));
    const found = await provider.findZone?.(elsewhere, call);
    const outcomes = await provider.apply(found as Zone, lab.changes(['present', elsewhere.name, 'v1']), call);
    expect(shown(outcomes)).toEqual(['failed/zone-not-found']);
    expect(errorOf(outcomes).message).toContain('Check hostedZoneID');
    const removed = provider.apply(found as Zone, lab.changes(['absent', elsewhere.name, 'v1']), call);
    expect(shown(await removed)).toEqual(['unchanged']);
  });

  test('that does not exist, too', async () => {
    const { provider, call } = startWith('Z0GONE');
    const outcome = provider.apply(
      { id: 'Z0GONE', name: toDnsName('example.test') },
      lab.changes(['present', elsewhere.name, 'v1']),
      call,
    );
    expect(shown(await outcome)).toEqual(['failed/zone-not-found']);
  });

  test('is checked by a change that never was', async () => {
    const results = async () =>
      (await startWith(zone.id).provider.check(startWith(zone.id).call)).map(({ what, result }) => `${what} ${result}`);
    expect(await results()).toEqual(['credentials ok', 'zones unknown']);
    fixture.aws.setPolicy({ Version: '2012-10-17', Statement: [] });
    expect(await results()).toEqual(['credentials ok', 'zones unknown']);
    fixture.aws.refuse({ action: 'GetChange', status: 403, code: 'InvalidClientTokenId', message: 'no' });
    expect(await results()).toEqual(['credentials failed']);
  });
});

test('a call that is stopped while it waits for a permit has written nothing', async () => {
  const { provider, call } = startProvider(fixture.config, { secret: fixture.aws.secretAccessKey });
  const stopped = { ...call, permit: () => Promise.reject(new Error('over')) };
  const outcomes = await provider.apply(zone, lab.changes(['present', nameOf('a'), 'v1']), stopped);
  expect(shown(outcomes)).toEqual(['failed/aborted']);
});

test('names with a dot inside a label are those of others', async () => {
  fixture.aws.setPolicy(readingPolicy);
  const name = nameOf('a');
  fixture.aws.plant(name, 'foreign', 300);
  fixture.aws.fail({
    kind: 'change-answer',
    on: { action: read },
    change: (answer) => ({
      ...answer,
      body: String(answer.body).replace('_acme-challenge.a.example.test.', '_acme-challenge\\056a.example.test.'),
    }),
  });
  expect(shown(await apply(['present', name, 'v1']))).toEqual(['failed/conflict']);
  expect(valuesAt(name)).toEqual(['foreign']);
});

test('a write takes from the bucket of changes as many as it holds', async () => {
  const host = startProvider(fixture.config, { secret: fixture.aws.secretAccessKey });
  await host.provider.apply(
    zone,
    lab.changes(['present', nameOf('a'), 'v1'], ['present', nameOf('b'), 'v2']),
    host.call,
  );
  expect(host.permits).toEqual({ requests: 1, changes: 2 });
});

test('a zone that the account does not hold, and names that no challenge can have, are left out of the list', async () => {
  fixture.aws.fail({
    kind: 'change-answer',
    change: (answer) => ({
      ...answer,
      body: String(answer.body).replace('deep.example.test.', 'a\\040b.example.test.'),
    }),
  });
  const host = startProvider(fixture.config, { secret: fixture.aws.secretAccessKey });
  expect((await host.provider.listZones?.(host.call))?.map(({ name }) => name)).toEqual(['example.test']);
});

test('errors print nothing of what was sent', async () => {
  fixture.aws.fail({ kind: 'html', status: 403 });
  const error: unknown = await apply(['present', nameOf('a'), 'v1']).then((outcomes) => errorOf(outcomes));
  expect(isProviderError(error) && error.message).toMatch(/HTTP 403.*before Route 53/);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/Signature|authorization/i);
});
