import { createEgress, type Egress } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { type CloudflareEmulator, type CloudflareOptions, startCloudflare } from './index.ts';

let cloudflare: CloudflareEmulator;
let egress: Egress;
let now: number;

async function start(options: CloudflareOptions = {}): Promise<void> {
  await cloudflare?.close();
  await egress?.close();
  cloudflare = await startCloudflare({ zones: ['example.test'], now: () => now, ...options });
  egress = createEgress({ caBundle: cloudflare.caBundle });
}

beforeEach(async () => {
  now = 1_000_000;
  await start();
});

afterAll(async () => {
  await egress.close();
  await cloudflare.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** `200`, or status and codes: `403 9109`, `400 6003 6111`. */
  readonly verdict: string;
  readonly result: { readonly id: string; readonly name: string; readonly content: string }[] &
    Readonly<Record<'posts' | 'deletes', { readonly id: string }[] | null>>;
  readonly info: Readonly<Record<string, number>>;
}

const asToken = (token = cloudflare.apiToken) => ({ authorization: `Bearer ${token}` });
const asKey = (key = cloudflare.apiKey, email = cloudflare.email) => ({ 'x-auth-email': email, 'x-auth-key': key });

async function ask(path: string, body?: unknown, headers: Record<string, string> = asToken()): Promise<Answer> {
  const answer = await egress.http({
    method: body === undefined ? 'GET' : 'POST',
    url: `${cloudflare.endpoint}${path}`,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const read = JSON.parse(Buffer.from(answer.body).toString());
  expect(Object.keys(read)).toEqual(expect.arrayContaining(['success', 'errors', 'messages', 'result']));
  expect(read.success).toBe(answer.status === 200);
  const codes = read.errors.flatMap((error: { code: number; error_chain?: { code: number }[] }) => [
    error.code,
    ...(error.error_chain ?? []).map(({ code }) => code),
  ]);
  return {
    status: answer.status,
    headers: answer.headers,
    verdict: [answer.status, ...codes].join(' '),
    result: read.result,
    info: read.result_info,
  };
}

async function zoneId(name = 'example.test'): Promise<string> {
  return (await ask(`/zones?name=${name}`)).result[0]?.id as string;
}

const txt = (name: string, content: string, ttl = 60) => ({ type: 'TXT', name, content, ttl });
const name = toDnsName('_acme-challenge.example.test');
const values = (at = name) => cloudflare.published(at).values;

describe('credentials', () => {
  const flipped = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

  test.each<[title: string, headers: () => Record<string, string>, verdict: string]>([
    ['the token', () => asToken(), '200'],
    ['e-mail and key', () => asKey(), '200'],
    ['a token with one octet flipped', () => asToken(flipped(cloudflare.apiToken)), '403 9109'],
    ['a key with one octet flipped', () => asKey(flipped(cloudflare.apiKey)), '403 9103'],
    ['the key of somebody else', () => asKey(cloudflare.apiKey, 'other@example.com'), '403 9103'],
    ['a key as a token', () => asToken(cloudflare.apiKey), '400 6003 6111'],
    ['a token as a key', () => asKey(cloudflare.apiToken), '400 6003 6103'],
    ['something that is no e-mail address', () => asKey(cloudflare.apiKey, 'admin'), '400 6003 6102'],
    ['another scheme', () => ({ authorization: `Basic ${cloudflare.apiToken}` }), '400 6003 6111'],
    ['a key alone', () => ({ 'x-auth-key': cloudflare.apiKey }), '400 9106'],
    ['nothing', () => ({}), '400 9106'],
    ['both', () => ({ ...asToken(), ...asKey() }), '400 6003 6111'],
  ])('%s', async (_title, headers, verdict) => {
    expect((await ask('/zones', undefined, headers())).verdict).toBe(verdict);
  });

  test('a token that has expired', async () => {
    const renew = cloudflare.expireToken();
    expect((await ask('/zones')).verdict).toBe('403 9109');
    renew();
    expect((await ask('/zones')).verdict).toBe('200');
  });

  test('each call of a token needs its permission, and a key has them all', async () => {
    const zone = await zoneId();
    const verdicts = async (headers = asToken() as Record<string, string>) => [
      (await ask('/zones', undefined, headers)).verdict,
      (await ask(`/zones/${zone}/dns_records`, undefined, headers)).verdict,
      (await ask(`/zones/${zone}/dns_records/batch`, { deletes: [] }, headers)).verdict,
    ];
    expect(await verdicts()).toEqual(['200', '200', '200']);
    cloudflare.permissions.delete('Zone:DNS:Edit');
    expect(await verdicts()).toEqual(['200', '403 10000', '403 10000']);
    cloudflare.permissions.add('Zone:DNS:Read').delete('Zone:Zone:Read');
    expect(await verdicts()).toEqual(['403 9109', '200', '403 10000']);
    expect(await verdicts(asKey())).toEqual(['200', '200', '200']);
  });
});

describe('the list of zones', () => {
  test('comes in pages of 5 to 50, and 20 unless said', async () => {
    for (let at = 0; at < 54; at++) cloudflare.addZone({ name: `zone${at}.test` });
    const page = async (query: string) => {
      const { verdict, result, info } = await ask(`/zones${query}`);
      return verdict === '200' ? [result.length, info.page, info.total_count, info.total_pages] : verdict;
    };
    expect(await page('')).toEqual([20, 1, 55, 3]);
    expect(await page('?per_page=50&page=2')).toEqual([5, 2, 55, 2]);
    expect(await page('?per_page=50&page=3')).toEqual([0, 3, 55, 2]);
    for (const wrong of ['?per_page=51', '?per_page=4', '?page=0', '?page=x'])
      expect(await page(wrong)).toBe('400 6007');
  });

  test('has internal zones when they are asked for, and zones of one name', async () => {
    cloudflare.addZone({ name: 'example.test', type: 'internal' });
    const pending = cloudflare.addZone({ name: 'example.test', status: 'pending' });
    expect((await ask('/zones?name=example.test')).result).toHaveLength(2);
    expect((await ask('/zones?type=full,internal')).result).toHaveLength(3);
    cloudflare.removeZone(pending);
    expect((await ask('/zones')).result).toHaveLength(1);
    expect((await ask(`/zones/${pending}/dns_records`)).verdict).toBe('404 7003');
  });
});

describe('a batch', () => {
  const batch = async (body: unknown) => ask(`/zones/${await zoneId()}/dns_records/batch`, body);

  test('deletes first and then creates, and answers with the records', async () => {
    cloudflare.plant(name, 'old', 300);
    const [old] = (await ask(`/zones/${await zoneId()}/dns_records`)).result;
    const { result } = await batch({ posts: [txt(name, '"old"')], deletes: [{ id: old?.id }] });
    expect(result).toMatchObject({
      deletes: [{ id: old?.id }],
      patches: null,
      puts: null,
      posts: [{ id: expect.stringMatching(/^[0-9a-f]{32}$/), name, type: 'TXT', content: '"old"', ttl: 60 }],
    });
    expect(result.posts?.[0]).not.toHaveProperty('zone_id');
    expect(cloudflare.published(name)).toEqual({ name, values: ['old'], ttl: 60 });
  });

  test('is carried out as a whole or not at all, and tells the first error alone', async () => {
    cloudflare.plant(name, 'there', 300);
    const published: string[] = [];
    cloudflare.onPublish((change) => published.push(change.name));
    const posts = [txt(name, '"new"'), txt(name, '"there"'), txt(name, '')];
    expect((await batch({ posts })).verdict).toBe('400 81058');
    expect(values()).toEqual(['there']);
    expect(published).toEqual([]);
    expect((await batch({ posts: posts.slice(0, 1) })).verdict).toBe('200');
    expect(published).toEqual([name]);
  });

  test.each<[title: string, body: object | string, verdict: string]>([
    ['an id that is gone', { deletes: [{ id: '0'.repeat(32) }] }, '404 81044'],
    ['the same value without quotes', { posts: [txt(name, 'there')] }, '400 81058'],
    ['the same value in two strings', { posts: [txt(name, '"the" "re"')] }, '400 81058'],
    ['a CNAME beside', { posts: [txt('_acme-challenge.www.example.test', '"x"')] }, '400 81054'],
    ['a CNAME beside TXT', { posts: [{ ...txt(name, 'x.test'), type: 'CNAME' }] }, '400 81053'],
    ['a short TTL', { posts: [txt(name, '"x"', 59)] }, '400 9021'],
    ['a long TTL', { posts: [txt(name, '"x"', 86_401)] }, '400 9021'],
    ['the automatic TTL', { posts: [txt(name, '"x"', 1)] }, '200'],
    ['a quote that is open', { posts: [txt(name, '"x')] }, '400 9005'],
    ['a long content', { posts: [txt(name, `"${'x'.repeat(4095)}"`)] }, '400 9005'],
    ['much content at one name', { posts: ['a', 'b', 'c'].map((x) => txt(name, x.repeat(3000))) }, '400 9005'],
    ['no name', { posts: [txt('', '"x"')] }, '400 9000'],
    ['another type', { posts: [{ ...txt(name, 'x'), type: 'A' }] }, '400 9004'],
    ['no JSON', '{', '400 9207'],
    ['no batch', { posts: 'x' }, '400 9207'],
  ])('with %s', async (_title, body, verdict) => {
    cloudflare.plant(name, 'there', 300);
    cloudflare.plantCname(toDnsName('_acme-challenge.www.example.test'), toDnsName('elsewhere.example'));
    expect((await batch(body)).verdict).toBe(verdict);
  });

  test('holds as many operations, and a zone as many records, as the plan allows', async () => {
    const id = cloudflare.addZone({ name: 'free.test', plan: 'free' });
    const posts = (count: number, from = 0) =>
      Array.from({ length: count }, (_, at) => txt(`n${at + from}.free.test`, '"x"'));
    const send = async (count: number, from?: number) =>
      (await ask(`/zones/${id}/dns_records/batch`, { posts: posts(count, from) })).verdict;
    expect([await send(201), await send(200), await send(1, 200)]).toEqual(['400 9208', '200', '400 81045']);
  });

  test('takes a name outside the zone as one inside it', async () => {
    await batch({ posts: [txt('www.example.com', '"x"'), txt('@', '"apex"')] });
    expect(values(toDnsName('www.example.com.example.test'))).toEqual(['x']);
    expect(values(toDnsName('example.test'))).toEqual(['apex']);
  });

  test('that is pretended changes nothing and names no record', async () => {
    cloudflare.fail({ kind: 'pretend', on: 'write' });
    expect((await batch({ posts: [txt(name, '"x"')] })).result).toMatchObject({ posts: [], deletes: null });
    expect(values()).toEqual([]);
  });
});

test('records are listed by type and by filters of name and content, 100 a page unless said', async () => {
  const zone = await zoneId();
  for (let at = 0; at < 101; at++) cloudflare.plant(toDnsName(`n${at}.example.test`), `value${at}`, 300);
  cloudflare.plantCname(toDnsName('www.example.test'), toDnsName('elsewhere.example'));
  const count = async (query: string) => (await ask(`/zones/${zone}/dns_records?${query}`)).info?.total_count;
  expect(await count('')).toBe(102);
  expect(await count('type=TXT')).toBe(101);
  expect(await count('type=TXT&name.exact=N7.example.test')).toBe(1);
  expect(await count('name.startswith=n1&name.endswith=0.example.test')).toBe(2);
  expect(await count('match=any&name.exact=n1.example.test&content.contains=value77')).toBe(2);
  expect((await ask(`/zones/${zone}/dns_records`)).result).toHaveLength(100);
  expect((await ask(`/zones/${zone}/dns_records?per_page=5001`)).verdict).toBe('400 6007');
});

test('after too many requests nothing is answered until the five minutes are over', async () => {
  await start({ requestsPer5Minutes: 2 });
  const first = await ask('/zones');
  expect(first.headers).toMatchObject({ ratelimit: '"default";r=1;t=300', 'ratelimit-policy': '"default";q=2;w=300' });
  now += 100_000;
  await ask('/zones', undefined, asKey());
  const third = await ask('/zones');
  expect([third.verdict, third.headers['retry-after']]).toEqual(['429 971', '200']);
  now += 200_000;
  expect((await ask('/zones')).verdict).toBe('200');
});

test('the deepest active zone is the one that is published', async () => {
  cloudflare.plant(name, 'above', 300);
  const id = cloudflare.addZone({ name, status: 'pending' });
  expect(values()).toEqual(['above']);
  cloudflare.removeZone(id);
  cloudflare.addZone({ name });
  expect(values()).toEqual([]);
  expect(() => cloudflare.plant(toDnsName('www.elsewhere'), 'x', 300)).toThrow('no zone holds www.elsewhere');
});

test('every request is counted by the name of its call', async () => {
  await ask('/zones');
  await ask('/user');
  expect(cloudflare.seen.map(({ action, status }) => `${action} ${status}`)).toEqual(['ListZones 200', 'none 400']);
});
