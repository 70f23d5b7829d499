import { exchange, systemTransport, toDnsName, txtValue } from '@zoneproof/dns';
import type { AcmeDnsAccount } from './accounts.ts';
import { type SandboxAcmeDns, startAcmeDns } from './server.ts';

const a = 'a'.repeat(43);
const b = 'b'.repeat(43);
const c = 'c'.repeat(43);
let now: number;
let acmeDns: SandboxAcmeDns;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 21, 12);
  acmeDns = await startAcmeDns({ domain: 'auth.example.test', clock: { now: () => now } });
});
afterEach(() => acmeDns.close());

describe('POST /register', () => {
  test.each([
    ['no body', undefined, []],
    ['null', 'null', []],
    ['an empty object', '{}', []],
    ['allowfrom, which is echoed', '{"allowfrom":["192.0.2.0/24","2001:db8::/32"]}', ['192.0.2.0/24', '2001:db8::/32']],
  ])('%s: 201 and an account', async (_title, body, allowfrom) => {
    const answer = await post('/register', body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json']);
    const account = (await answer.json()) as AcmeDnsAccount;
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(account).toEqual({
      username: expect.stringMatching(uuid),
      password: expect.stringMatching(/^[\w-]{40}$/),
      subdomain: expect.stringMatching(uuid),
      fulldomain: `${account.subdomain}.auth.example.test`,
      allowfrom,
    });
  });

  test.each([
    ['no JSON', '{', 'malformed_json_payload'],
    ['a text for allowfrom', '{"allowfrom":"192.0.2.0/24"}', 'malformed_json_payload'],
    ['an address without a prefix', '{"allowfrom":["192.0.2.1"]}', 'invalid_allowfrom_cidr'],
    ['a prefix too long', '{"allowfrom":["192.0.2.0/33"]}', 'invalid_allowfrom_cidr'],
  ])('%s: 400', async (_title, body, error) => {
    const answer = await post('/register', body);
    expect([answer.status, await answer.json()]).toEqual([400, { error }]);
  });

  test('switched off: 404', async () => {
    const closed = await startAcmeDns({ domain: 'auth.example.test', registration: false });
    const answer = await fetch(`${closed.url}/register`, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([404, '404 page not found\n']);
    await closed.close();
  });
});

describe('POST /update', () => {
  test('200 and the value, which the DNS then shows with TTL 1', async () => {
    const account = acmeDns.register();
    const answer = await update(account, a);
    expect([answer.status, await answer.json()]).toEqual([200, { txt: a }]);
    expect(await ask(account.fulldomain, 'TXT')).toEqual(`NOERROR aa 1 ${a}`);
  });

  test.each<[string, (account: AcmeDnsAccount) => Promise<Response>]>([
    ['an unknown user', (account) => update({ ...account, username: 'nobody' }, a)],
    ['a wrong key', (account) => update({ ...account, password: 'x'.repeat(40) }, a)],
    [
      'the subdomain of another account',
      (account) => update({ ...account, subdomain: acmeDns.register().subdomain }, a),
    ],
    ['an address that is not allowed', () => update(acmeDns.register(['192.0.2.0/24']), a)],
    ['no JSON', (account) => post('/update', '{', account)],
    ['no body', (account) => post('/update', undefined, account)],
  ])('%s: 401 forbidden', async (_title, send) => {
    const answer = await send(acmeDns.register());
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'forbidden' }]);
    expect(acmeDns.updates).toEqual([]);
  });

  test('an address that is allowed', async () => {
    expect((await update(acmeDns.register(['127.0.0.0/8', '::1/128']), a)).status).toBe(200);
  });

  test.each(['short', 'a'.repeat(44), `${'a'.repeat(42)}=`])('the value %s: 400 bad_txt', async (txt) => {
    const answer = await update(acmeDns.register(), txt);
    expect([answer.status, await answer.json()]).toEqual([400, { error: 'bad_txt' }]);
  });
});

describe('two rows', () => {
  test('the third value takes the place of the oldest', async () => {
    expect(await live([a, 1], [b, 1], [c, 1])).toEqual([b, c]);
  });

  test('sending a live value again evicts the other one', async () => {
    expect(await live([a, 1], [b, 1], [b, 1])).toEqual([b, b]);
  });

  test('within one second the age of the rows cannot be told: the first is taken', async () => {
    expect(await live([a, 0], [b, 0], [c, 0])).toEqual([b, c]);
    expect(await live([a, 0], [b, 0], [c, 0], [a, 0])).toEqual([a, b]);
  });

  async function live(...writes: [value: string, secondsAfter: number][]): Promise<string[]> {
    const account = acmeDns.register();
    for (const [value, seconds] of writes) {
      await update(account, value);
      now += seconds * 1000;
    }
    return [...acmeDns.values(account.fulldomain)].sort();
  }
});

describe('DNS', () => {
  test('every other type at a leaf is NXDOMAIN with the SOA', async () => {
    const account = acmeDns.register();
    await update(account, a);
    for (const type of ['A', 'AAAA', 'CNAME', 'SOA', 'NS', 'CAA'] as const)
      expect(await ask(account.fulldomain, type)).toBe('NXDOMAIN aa 0 SOA 3600/86400');
  });

  test('a leaf without a value, and an unknown one', async () => {
    expect(await ask(acmeDns.register().fulldomain, 'TXT')).toBe('NXDOMAIN aa 0 SOA 3600/86400');
    expect(await ask('nobody.auth.example.test', 'TXT')).toBe('NXDOMAIN aa 0 SOA 3600/86400');
  });

  test('its own names', async () => {
    expect(await ask('auth.example.test', 'NS')).toBe('NOERROR aa 1 auth.example.test');
    expect(await ask('auth.example.test', 'A')).toBe('NOERROR aa 1 127.0.0.1');
    expect(await ask('auth.example.test', 'TXT')).toBe('NOERROR aa 0');
  });

  test('outside its zone: NXDOMAIN without authority', async () => {
    expect(await ask('example.org', 'A')).toBe('NXDOMAIN 0');
  });
});

test('GET /health, other paths, other methods', async () => {
  const answers = await Promise.all([
    fetch(`${acmeDns.url}/health`),
    fetch(`${acmeDns.url}/nothing`),
    fetch(`${acmeDns.url}/update`),
  ]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 404, 405]);
  expect(acmeDns.requests).toEqual({ register: 0, update: 0, health: 1 });
});

test('a fault spoils the next call, done or not as it says', async () => {
  const account = acmeDns.register();
  acmeDns.failNext({ at: 'update', status: 500, body: '{"error":"db_error"}' });
  acmeDns.failNext({ at: 'update', status: 502, applied: true, headers: { 'retry-after': '3' } });
  const first = await update(account, a);
  expect([first.status, await first.text(), acmeDns.values(account.fulldomain)]).toEqual([
    500,
    '{"error":"db_error"}',
    [],
  ]);
  const second = await update(account, b);
  expect([second.status, second.headers.get('retry-after'), acmeDns.values(account.fulldomain)]).toEqual([
    502,
    '3',
    [b],
  ]);
  expect((await update(account, c)).status).toBe(200);
});

function post(path: string, body?: string, account?: AcmeDnsAccount): Promise<Response> {
  const headers = account ? { 'x-api-user': account.username, 'x-api-key': account.password } : {};
  return fetch(`${acmeDns.url}${path}`, { method: 'POST', headers, ...(body !== undefined && { body }) });
}

function update(account: AcmeDnsAccount, txt: string): Promise<Response> {
  return post('/update', JSON.stringify({ subdomain: account.subdomain, txt }), account);
}

/** rcode, AA, number of answers, their data, and the SOA of a negative answer with its two TTLs. */
async function ask(name: string, type: 'TXT' | 'A' | 'AAAA' | 'CNAME' | 'SOA' | 'NS' | 'CAA'): Promise<string> {
  const options = { transport: systemTransport, signal: AbortSignal.timeout(5000), rd: false };
  const { message } = await exchange({ name: toDnsName(name), type }, acmeDns.dns, options);
  for (const record of message.answers) if (record.type === 'TXT') expect(record.ttl).toBe(1);
  const data = message.answers.map((record) => (record.type === 'TXT' ? txtValue(record) : record.data));
  const soa = message.authorities.map((record) =>
    record.type === 'SOA' ? `SOA ${record.ttl}/${record.data.minimum}` : record.type,
  );
  return [message.rcode, message.aa ? 'aa' : '', message.answers.length, ...data, ...soa]
    .filter((part) => part !== '')
    .join(' ');
}
