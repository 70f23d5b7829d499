import type { ChangeOutcome, RecordTarget, Zone } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import { acmedns } from './plugin.ts';
import { startAcmednsFixture } from './testing/sandbox-fixture.ts';

let fixture: Awaited<ReturnType<typeof startAcmednsFixture>>;
let lab: Lab;
let target: RecordTarget;
let zone: Zone;

beforeEach(async () => {
  fixture = await startAcmednsFixture();
  lab = new Lab(acmedns, '', fixture);
  target = await fixture.newTarget();
  zone = { id: target.name, name: target.name };
});

afterEach(async () => {
  await lab.close();
  await fixture.close();
});

const messageOf = (outcome: ChangeOutcome | undefined): string =>
  outcome && 'error' in outcome
    ? `${outcome.status} ${outcome.error.kind}: ${outcome.error.message}`
    : `${outcome?.status}`;
const applyOne = async (value = lab.value()): Promise<string> =>
  messageOf((await lab.start().apply(zone, lab.changes(['present', zone.name, value])))[0]);

test('apex and wildcard of one order take the two slots in one call', async () => {
  const [apex, wildcard] = [lab.value(), lab.value()];
  const changes = lab.changes(['present', zone.name, apex], ['present', zone.name, wildcard]);
  expect(await lab.start().apply(zone, changes)).toEqual([{ status: 'changed' }, { status: 'changed' }]);
  expect([...fixture.server.values(zone.name)].sort()).toEqual([apex, wildcard].sort());
  expect(await lab.start().apply(zone, changes)).toEqual([{ status: 'unchanged' }, { status: 'unchanged' }]);
  expect(fixture.server.updates).toHaveLength(2);
});

test('nothing is ever registered', async () => {
  await applyOne();
  await lab.start().check();
  expect(fixture.server.requests.register).toBe(0);
});

test.each<[number, string | undefined, RegExp]>([
  [
    401,
    '{"error": "forbidden"}',
    /^failed auth: .* answered 401 \(forbidden\).*four things.*user name.*password.*allowfrom.*subdomain/,
  ],
  [400, '{"error": "bad_subdomain"}', /^failed invalid: .*400 \(bad_subdomain\)/],
  [403, undefined, /^failed permission: /],
  [404, '404 page not found', /^failed unavailable: .*no acme-dns API at this URL: check host/],
  [500, '{"error": "db_error"}', /^failed unavailable: .*500 \(db_error\)/],
  [502, '<html>Bad gateway, password=hunter2</html>', /^failed unavailable: (?!.*hunter2)/],
])('an answer %d is an error that says what to do', async (status, body, expected) => {
  fixture.server.failNext({ at: 'update', status, ...(body === undefined ? {} : { body }) });
  expect(await applyOne()).toMatch(expected);
});

const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();

test.each([
  ['7', (_from: number) => 7000],
  [inTenMinutes, (from: number) => Date.parse(inTenMinutes) - from],
  ['soon', () => undefined],
])('a 429 with Retry-After %j is a pause', async (retryAfter, pauseFrom) => {
  fixture.server.failNext({ at: 'update', status: 429, headers: { 'retry-after': retryAfter } });
  const before = Date.now();
  const [outcome] = await lab.start().apply(zone, lab.changes(['present', zone.name, lab.value()]));
  const after = Date.now();
  expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'rate-limited' } });
  const { retryAfterMs } = (outcome as Extract<ChangeOutcome, { status: 'failed' }>).error.details;
  if (pauseFrom(before) === undefined) expect(retryAfterMs).toBeUndefined();
  else {
    expect(retryAfterMs).toBeLessThanOrEqual(pauseFrom(before) as number);
    expect(retryAfterMs).toBeGreaterThanOrEqual(pauseFrom(after) as number);
  }
});

test('any 2xx is a yes', async () => {
  fixture.server.failNext({ at: 'update', status: 204, applied: true });
  expect(await applyOne()).toBe('changed');
});

test('a redirect is not followed, and its target is named', async () => {
  fixture.server.failNext({ at: 'update', status: 301, headers: { location: 'https://auth.example.net/update' } });
  expect(await applyOne()).toMatch(/^failed invalid: .*redirects to https:\/\/auth\.example\.net\/update; set host/);
});

test('of an endless redirect, the beginning is named', async () => {
  const location = `https://auth.example.net/${'a'.repeat(5000)}`;
  fixture.server.failNext({ at: 'update', status: 302, headers: { location } });
  const told = await applyOne();
  expect(told).toContain('redirects to https://auth.example.net/aaa');
  expect(told.length).toBeLessThan(1000);
});

test('what follows a lost request is not sent', async () => {
  lab.traffic.mode = 'lose-answers';
  const changes = lab.changes(['present', zone.name, lab.value()], ['present', zone.name, lab.value()]);
  const outcomes = await lab.start().apply(zone, changes);
  expect(outcomes.map(({ status }) => status)).toEqual(['unknown', 'failed']);
  expect(fixture.server.updates).toHaveLength(1);
});

test('where no DNS answer is to be had, one value is written on the word of the API, and none beside another order', async () => {
  const config = { ...fixture.config, nameserver: '127.0.0.1:1' };
  const unseen = new Lab(acmedns, '', { ...fixture, secrets: fixture.secrets, config });
  const first = unseen.value();
  const apply = async (value: string): Promise<string> =>
    messageOf((await unseen.start().apply(zone, unseen.changes(['present', zone.name, value])))[0]);
  expect(await apply(first)).toBe('changed');
  expect(await apply(unseen.value())).toMatch(/^failed unavailable: .*Set nameserver to the address and port/);
  await unseen.close();
  expect(fixture.server.values(zone.name)).toEqual([first]);
});

test('a CNAME that leads to another account of the document is served', async () => {
  const other = await fixture.newTarget();
  const crossed = { ...target, name: other.name };
  expect(await lab.start().zoneOf(crossed)).toEqual({ id: other.name, name: other.name });
});

test('a CNAME that leads elsewhere is named beside the record to create', async () => {
  const strayed = { ...target, name: toDnsName('old.auth.example.org') };
  await expect(lab.start().zoneOf(strayed)).rejects.toMatchObject({
    kind: 'action-required',
    message: `acmedns "lab": ${target.challengeName} leads to old.auth.example.org now, so the challenge would not be seen. Create this record in its zone: ${target.challengeName} CNAME ${target.name}.`,
    details: { action: { kind: 'create-cname', name: target.challengeName, target: target.name } },
  });
});

test('an account that has left the document is asked for', async () => {
  const secrets = { acmedns: { 'accounts.json': '{}' } };
  const [outcome] = await lab.start({ secrets }).tryApply(zone, lab.changes(['present', zone.name, lab.value()]));
  expect(messageOf(outcome)).toMatch(/^failed auth: .*it holds no account/);
});

test('check reads the document and asks for the health', async () => {
  const results = async (): Promise<string[]> =>
    (await lab.start().check()).map(({ what, result }) => `${what} ${result}`);
  expect(await results()).toEqual(['credentials unknown', 'reachable ok']);
  fixture.server.failNext({ at: 'health', status: 404 });
  expect(await results()).toEqual(['credentials unknown', 'reachable unknown']);
  fixture.server.failNext({ at: 'health', status: 503 });
  expect(await results()).toEqual(['credentials unknown', 'reachable failed']);
});
