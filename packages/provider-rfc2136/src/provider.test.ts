import type { ChangeOutcome, Zone } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import { rfc2136 } from './plugin.ts';
import { targetOf } from './testing/observer.ts';
import { startRfc2136Fixture } from './testing/sandbox-fixture.ts';

let fixture: Awaited<ReturnType<typeof startRfc2136Fixture>>;
let lab: Lab;
const zone: Zone = { id: 'example.test', name: toDnsName('example.test') };
const name = toDnsName('_acme-challenge.www.example.test');

beforeEach(async () => {
  fixture = await startRfc2136Fixture();
  lab = new Lab(rfc2136, '', fixture);
});

afterEach(async () => {
  await lab.close();
  await fixture.close();
});

const messageOf = (outcome: ChangeOutcome | undefined): string =>
  outcome && 'error' in outcome ? `${outcome.error.kind}: ${outcome.error.message}` : `${outcome?.status}`;

test('sixty names of one zone are one signed message, with one read before and one after for each', async () => {
  const wanted = Array.from(
    { length: 60 },
    (_, at) => ['present', toDnsName(`_acme-challenge.h${at}.example.test`), lab.value()] as const,
  );
  const outcomes = await lab.start().apply(zone, lab.changes(...wanted));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['changed']));
  expect(fixture.dns.updates).toEqual([{ zone: 'example.test', records: 60, rcode: 'NOERROR', key: 'acme-update' }]);
  expect(fixture.dns.queries).toHaveLength(120);
});

test('a batch with nothing to do sends no UPDATE', async () => {
  const value = lab.value();
  fixture.dns.set({ name, type: 'TXT', value });
  const outcomes = await lab.start().apply(zone, lab.changes(['present', name, value], ['absent', name, lab.value()]));
  expect(outcomes.map(({ status }) => status)).toEqual(['unchanged', 'unchanged']);
  expect(fixture.dns.updates).toEqual([]);
});

test('a CNAME at the name fails that name only, and says where it leads', async () => {
  fixture.dns.set({ name, type: 'CNAME', value: 'x.other.test' });
  const other = toDnsName('_acme-challenge.example.test');
  const outcomes = await lab
    .start()
    .apply(zone, lab.changes(['present', name, lab.value()], ['present', other, lab.value()]));
  expect(messageOf(outcomes[0])).toMatch(/^action-required: .* is a CNAME to x\.other\.test there/);
  expect(outcomes[1]).toEqual({ status: 'changed' });
});

test('a CNAME that a wildcard made is no obstacle', async () => {
  fixture.dns.set({ name: '*.example.test', type: 'CNAME', value: 'web.example.test' });
  const free = toDnsName('_acme-challenge.example.test');
  const value = lab.value();
  expect(await lab.start().apply(zone, lab.changes(['present', free, value]))).toEqual([{ status: 'changed' }]);
  expect(fixture.dns.values(free)).toEqual([value]);
  expect(await lab.start().apply(zone, lab.changes(['absent', free, value]))).toEqual([{ status: 'changed' }]);
});

test('below a zone cut nothing is added, and what was written before the cut was made is deleted', async () => {
  const value = lab.value();
  expect(await lab.start().apply(zone, lab.changes(['present', name, value]))).toEqual([{ status: 'changed' }]);
  fixture.dns.set({ name: 'www.example.test', type: 'NS', value: 'ns1.other.test' });
  const outcomes = await lab.start().apply(zone, lab.changes(['present', name, lab.value()], ['absent', name, value]));
  expect(messageOf(outcomes[0])).toMatch(/^zone-not-found: .* delegates www\.example\.test to ns1\.other\.test/);
  expect(outcomes[1]).toEqual({ status: 'unchanged' });
  expect(fixture.dns.updates.map(({ records }) => records)).toEqual([1, 1]);
  fixture.dns.remove({ name: 'www.example.test', type: 'NS' });
  expect(fixture.dns.values(name)).toEqual([]);
});

test('a name that the server delegates away has no zone there, and the error says who has it', async () => {
  fixture.dns.set({ name: 'www.example.test', type: 'NS', value: 'ns1.other.test' });
  await expect(lab.start().zoneOf(targetOf('www.example.test'))).rejects.toThrow(
    /delegates www\.example\.test to ns1\.other\.test/,
  );
});

test('the zone of a name with a CNAME is the one that holds the CNAME', async () => {
  fixture.dns.set({ name, type: 'CNAME', value: 'x.other.test' });
  expect(await lab.start().zoneOf(targetOf('www.example.test'))).toEqual({ id: 'example.test', name: 'example.test' });
});

test('SERVFAIL for the deeper zone is no reason to write the one above', async () => {
  fixture.dns.endpoints[0]!.queryRcode = 'SERVFAIL';
  await expect(lab.start().zoneOf(targetOf('www.sub.example.test'))).rejects.toMatchObject({ kind: 'unavailable' });
});

test.each([
  [3_600_000, /behind that of 127/],
  [-3_600_000, /ahead of that of 127/],
])('a clock %d ms apart is made good, and said once', async (skewMs, said) => {
  fixture.dns.skewMs = skewMs;
  const instance = lab.start();
  expect(await instance.apply(zone, lab.changes(['present', name, lab.value()]))).toEqual([{ status: 'changed' }]);
  expect(await instance.apply(zone, lab.changes(['present', name, lab.value()]))).toEqual([{ status: 'changed' }]);
  const warnings = lab.said.filter((one) => typeof one === 'string');
  expect(warnings).toEqual([expect.stringMatching(said)]);
  expect((await instance.check()).map(({ what, result }) => `${what} ${result}`)).toEqual([
    'reachable ok',
    'credentials ok',
    'clock warning',
  ]);
});

test.each([
  ['REFUSED', 'permission'],
  ['SERVFAIL', 'unavailable'],
  ['NOTZONE', 'zone-not-found'],
] as const)('%s fails what was to be written and nothing else', async (rcode, kind) => {
  const value = lab.value();
  fixture.dns.set({ name, type: 'TXT', value });
  fixture.dns.updateFault = rcode;
  const outcomes = await lab.start().apply(zone, lab.changes(['present', name, value], ['present', name, lab.value()]));
  expect(outcomes.map(messageOf)).toEqual(['unchanged', expect.stringMatching(new RegExp(`^${kind}: `))]);
});

test('a server that will not be read is not written', async () => {
  fixture.dns.endpoints[0]!.queryRcode = 'REFUSED';
  const [outcome] = await lab.start().apply(zone, lab.changes(['present', name, lab.value()]));
  expect(messageOf(outcome)).toMatch(/^permission: .*Let this address query zone example\.test/);
  expect(fixture.dns.updates).toEqual([]);
});

test('a secondary that hands updates on and lags is caught up with on the next call', async () => {
  const [endpoint] = fixture.dns.endpoints;
  endpoint!.frozen = true;
  const changes = lab.changes(['present', name, lab.value()]);
  expect(messageOf((await lab.start().apply(zone, changes))[0])).toMatch(/^unavailable: /);
  endpoint!.frozen = false;
  expect(await lab.start().apply(zone, changes)).toEqual([{ status: 'unchanged' }]);
});

test('without a key, check says that only the first update will tell', async () => {
  const { nameserver } = fixture.config as { nameserver: string };
  const unsigned = new Lab(rfc2136, '', { ...fixture, config: { nameserver }, secrets: {} });
  const items = await unsigned.start().check();
  await unsigned.close();
  expect(items.map(({ what, result }) => `${what} ${result}`)).toEqual(['reachable ok', 'credentials unknown']);
});

test('check tells a wrong secret from a right one without writing', async () => {
  const wrong = await lab.start({ secrets: fixture.wrongSecrets! }).check();
  expect(wrong.at(-1)).toMatchObject({
    what: 'credentials',
    result: 'failed',
    detail: expect.stringMatching(/refused an empty update that tests the key \(NOTAUTH, TSIG BADSIG\)/),
  });
});
