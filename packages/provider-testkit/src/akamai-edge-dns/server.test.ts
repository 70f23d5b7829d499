import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createEgress, type Egress } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { EdgeGridClient } from './edgegrid.ts';
import { type AkamaiEdgeDnsEmulator, startAkamaiEdgeDns } from './server.ts';

let emulator: AkamaiEdgeDnsEmulator;
let egress: Egress;
const zone = 'example.test';
const name = toDnsName('_acme-challenge.example.test');

beforeEach(async () => {
  emulator = await startAkamaiEdgeDns();
  emulator.addZone(zone);
  egress = createEgress().withCaBundle(emulator.caBundle);
});

afterEach(async () => {
  await egress.close();
  await emulator.close();
});

interface Seen {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `POST /zones/example.test/recordsets`, signed for the client. */
async function call(line: string, content?: object, client: EdgeGridClient = emulator.client): Promise<Seen> {
  const [method = 'GET', path = ''] = line.split(' ') as ['GET' | 'POST' | 'DELETE', string];
  const url = new URL(`/config-dns/v2${path}`, emulator.origin);
  const body = content === undefined ? '' : JSON.stringify(content);
  const stamp = `${new Date(Date.now() + emulator.skewMs).toISOString().slice(0, 19).replaceAll('-', '')}+0000`;
  const start = `EG1-HMAC-SHA256 client_token=${client.clientToken};access_token=${client.accessToken};timestamp=${stamp};nonce=${randomUUID()};`;
  const hash = method === 'POST' && body !== '' ? createHash('sha256').update(body).digest('base64') : '';
  const key = createHmac('sha256', client.clientSecret).update(stamp).digest('base64');
  const data = [method, 'https', url.host, url.pathname + url.search, '', hash, start].join('\t');
  const authorization = `${start}signature=${createHmac('sha256', key).update(data).digest('base64')}`;
  const type = { 'content-type': 'application/json' };
  const answer = await egress.http({
    method,
    url: url.href,
    headers: { authorization, ...type },
    ...(body && { body }),
  });
  const text = Buffer.from(answer.body).toString();
  const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  const problem = parsed.type as string | undefined;
  return { status: answer.status, type: problem?.split('/').at(-1), headers: answer.headers, body: parsed };
}

const set = (owner: string, ...values: string[]) => ({
  name: owner,
  type: 'TXT',
  ttl: 300,
  rdata: values.map((value) => `"${value}"`),
});
const create = (...sets: object[]) => call(`POST /zones/${zone}/recordsets`, { recordsets: sets });
const stage = (op: string, one: object, client?: EdgeGridClient) =>
  call(`POST /changelists/${zone}/recordsets/add-change`, { op, ...one }, client);

test('what is not signed is refused as Akamai does it', async () => {
  const answer = await egress.http({ method: 'GET', url: `${emulator.origin}/config-dns/v2/zones` });
  expect(answer.status).toBe(400);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  const wrong = await call('GET /zones', undefined, { ...emulator.client, clientSecret: 'wrong' });
  expect(wrong).toMatchObject({
    status: 401,
    body: { detail: 'The signature does not match', title: 'Not authorized' },
  });
});

test('lists have pages of 25 unless a size is asked for, and showAll has none', async () => {
  for (let at = 0; at < 59; at++) emulator.addZone(`zone${at}.test`);
  const page = async (query: string) => {
    const { body } = await call(`GET /zones?types=primary&${query}`);
    return [(body.zones as unknown[]).length, (body.metadata as { totalElements: number }).totalElements];
  };
  expect(await page('')).toEqual([25, 60]);
  expect(await page('page=3')).toEqual([10, 60]);
  expect(await page('page=4')).toEqual([0, 60]);
  expect(await page('pageSize=50&page=2')).toEqual([10, 60]);
  expect(await page('showAll=true')).toEqual([60, 60]);
});

test('record sets are created all or none', async () => {
  expect(await create(set('a.example.test', '1'), set('b.example.test', '2'))).toMatchObject({ status: 204, body: {} });
  expect(await create(set('c.example.test', '3'), set('b.example.test', '4'))).toMatchObject({
    status: 409,
    type: 'duplicateRecordSet',
    body: { detail: 'Duplicate record set found with name b.example.test and type TXT' },
  });
  expect(emulator.published(toDnsName('c.example.test')).values).toEqual([]);
  expect(emulator.published(toDnsName('b.example.test'))).toMatchObject({ values: ['2'], ttl: 300 });
});

test.each<[string, object]>([
  ['a TTL below 300 s', { ...set(name, 'a'), ttl: 60 }],
  ['a string of 256 octets', set(name, 'x'.repeat(256))],
  ['the same value twice', set(name, 'a', 'a')],
  ['no value', set(name)],
  ['quotes that are not closed', { ...set(name), rdata: ['"a'] }],
  ['a name of another zone', set('example.invalid', 'a')],
  ['a name with a CNAME', set('alias.example.test', 'a')],
])('%s is refused', async (_title, one) => {
  emulator.plantOther('alias.example.test', 'CNAME', 'elsewhere.example.');
  expect(await create(one)).toMatchObject({ status: 400, type: 'badRequest' });
});

test('a change list is one per user and zone, and applies when it is submitted', async () => {
  emulator.plant(name, 'foreign', 600);
  expect(await call(`POST /changelists?zone=${zone}`)).toMatchObject({ status: 201, body: { stale: false } });
  expect(await call(`POST /changelists?zone=${zone}`)).toMatchObject({ status: 409, type: 'changeListExists' });
  expect((await call(`POST /changelists?zone=${zone}&overwrite=stale`)).status).toBe(409);
  const other = emulator.addClient('somebody');
  expect((await call(`POST /changelists?zone=${zone}`, undefined, other)).status).toBe(201);

  expect((await stage('EDIT', { ...set(name, 'foreign', 'ours'), ttl: 600 })).status).toBe(204);
  expect((await stage('ADD', set(name, 'again'))).status).toBe(409);
  expect((await stage('DELETE', { name: 'none.example.test', type: 'TXT' })).status).toBe(400);
  expect(emulator.published(name).values).toEqual(['foreign']);
  const { body } = await call(`GET /changelists/${zone}/diff`);
  expect(body).toMatchObject({
    diffs: {
      recordSetDiffs: [
        { name, type: 'TXT', operation: 'EDIT', fromValue: { ttl: 600, rdata: ['"foreign"'] }, toValue: { ttl: 600 } },
      ],
    },
  });
  expect((await call(`POST /changelists/${zone}/submit`)).status).toBe(204);
  expect(emulator.published(name)).toMatchObject({ values: ['foreign', 'ours'], ttl: 600 });
  expect((await call(`GET /changelists/${zone}`)).status).toBe(404);
});

test('a new version of the zone makes change lists stale: they can be read, not edited or submitted', async () => {
  await call(`POST /changelists?zone=${zone}`);
  await stage('ADD', set(name, 'ours'));
  emulator.plant(toDnsName('other.example.test'), 'foreign', 300);
  expect((await call(`GET /changelists/${zone}`)).body).toMatchObject({ stale: true });
  expect((await stage('ADD', set('b.example.test', 'b'))).type).toBe('staleChangeList');
  expect(await call(`POST /changelists/${zone}/submit`)).toMatchObject({ status: 409, type: 'staleChangeList' });
  expect((await call(`GET /changelists/${zone}/diff`)).status).toBe(200);
  expect((await call(`POST /changelists?zone=${zone}&overwrite=stale`)).status).toBe(201);
  expect(emulator.staged(zone)).toEqual([]);
});

test('a zone is PENDING after a change, then ACTIVE; its version is another', async () => {
  const look = async () =>
    (await call(`GET /zones/${zone}`)).body as unknown as { activationState: string; versionId: string };
  const before = await look();
  await create(set(name, 'a'));
  const [pending, active] = [await look(), await look()];
  expect([before, pending, active].map(({ activationState }) => activationState)).toEqual([
    'ACTIVE',
    'PENDING',
    'ACTIVE',
  ]);
  expect(pending.versionId).not.toBe(before.versionId);
  const release = emulator.holdPropagation();
  const published: unknown[] = [];
  emulator.onPublish((change) => published.push(change));
  await create(set('b.example.test', 'b'));
  await look();
  expect((await look()).activationState).toBe('PENDING');
  expect(published).toEqual([]);
  release();
  expect(published).toEqual([{ name: 'b.example.test', values: ['b'], ttl: 300 }]);
  expect((await look()).activationState).toBe('ACTIVE');
});

test('grants, roles, a zone in use, limits and throttling are refused in the forms of Akamai', async () => {
  const allow = emulator.deny('WRITE');
  expect(await create(set(name, 'a'))).toMatchObject({ status: 403, type: 'deny' });
  expect((await call('GET /zones')).status).toBe(200);
  allow();
  const open = emulator.forbidWrites(zone);
  expect(await create(set(name, 'a'))).toMatchObject({ status: 403, type: 'forbidden' });
  open();
  emulator.busy(zone);
  expect(await create(set(name, 'a'))).toMatchObject({ status: 409, type: 'concurrentZoneModification' });
  emulator.limitRecordSets(2)();
  emulator.limitRecordSets(2);
  expect(await create(set(name, 'a'))).toMatchObject({ status: 400 });
  emulator.fail({ kind: 'throttled', retryAfterSeconds: 7 });
  expect(await call('GET /zones')).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
  expect((await call('GET /zones/absent.test')).body).toMatchObject({ detail: "Unable to find zone 'absent.test'" });
  expect((await call(`DELETE /zones/${zone}/recordsets`)).status).toBe(405);
  expect(emulator.seen.at(-2)).toMatchObject({ action: 'get-zone', status: 404 });
});
