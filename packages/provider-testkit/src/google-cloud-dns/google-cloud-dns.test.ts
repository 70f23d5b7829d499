import { createSign } from 'node:crypto';
import { createEgress, type Egress, type HttpRequest } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { type GoogleCloudDns, startGoogleCloudDns } from './index.ts';

const scope = 'https://www.googleapis.com/auth/ndev.clouddns.readwrite';
const base = { now: Date.parse('2026-11-21T12:00:00Z') };
let emulator: GoogleCloudDns;
let egress: Egress;
let bearer: string;

beforeAll(async () => {
  emulator = await startGoogleCloudDns({ now: () => base.now, zones: ['example.test', 'deep.example.test'] });
  egress = createEgress({ caBundle: emulator.caBundle });
  bearer = (await askToken(assertion())).body.access_token;
});

afterAll(async () => {
  await egress.close();
  await emulator.close();
});

interface Answer<Body = ApiBody> {
  readonly status: number;
  readonly body: Body;
}

/** Every member that an answer of the API may have. */
interface ApiBody {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
    readonly errors: readonly { readonly reason: string; readonly message: string }[];
  };
  readonly id: string;
  readonly status: string;
  readonly managedZones: readonly object[];
  readonly rrsets: readonly object[];
  readonly nextPageToken?: string;
}

interface TokenBody {
  readonly access_token: string;
  readonly error: string;
  readonly error_description: string;
}

async function send<Body>(request: Omit<HttpRequest, 'url'>, path: string): Promise<Answer<Body>> {
  const { status, body } = await egress.http({ ...request, url: `${emulator.origin}${path}` });
  return { status, body: JSON.parse(Buffer.from(body).toString('utf8')) as Body };
}

function api(path: string, body?: object, headers: Record<string, string> = { authorization: `Bearer ${bearer}` }) {
  const method = body === undefined ? 'GET' : 'POST';
  return send<ApiBody>(
    { method, headers, ...(body && { body: JSON.stringify(body) }) },
    `/dns/v1/projects/test-project${path}`,
  );
}

const change = (body: object, zone = 'example-test') => api(`/managedZones/${zone}/changes`, body);

function assertion(): string {
  const key = emulator.serviceAccount;
  const iat = base.now / 1000;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { iss: key.client_email, scope, aud: key.token_uri, iat, exp: iat + 3600 };
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: key.private_key_id })}.${part(payload)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key.private_key, 'base64url')}`;
}

function askToken(jwt: string): Promise<Answer<TokenBody>> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  return send({ method: 'POST', body: new URLSearchParams({ grant_type, assertion: jwt }).toString() }, '/token');
}

const txt = (name: string, rrdatas: readonly string[], ttl = 60) => ({ name, type: 'TXT', ttl, rrdatas });
let names = 0;
const newName = () => `_acme-challenge.n${names++}.example.test.`;

test('gives a token that works until it expires, is revoked, or its key is deleted for the next one', async () => {
  const { status, body } = await askToken(assertion());
  expect({ status, ...body }).toMatchObject({ status: 200, expires_in: 3599, token_type: 'Bearer' });
  const headers = { authorization: `Bearer ${body.access_token}` };
  expect((await api('/managedZones', undefined, headers)).status).toBe(200);
  emulator.skewMs = 3_600_000;
  expect((await api('/managedZones', undefined, headers)).status).toBe(401);
  emulator.skewMs = 0;
  const undo = emulator.deleteKey(emulator.serviceAccount);
  expect((await askToken(assertion())).body.error_description).toBe('Invalid JWT Signature.');
  undo();
  expect((await askToken(assertion())).status).toBe(200);
});

test('without a token, and with a wrong one: 401 in the form of Google', async () => {
  expect(await api('/managedZones', undefined, {})).toMatchObject({
    status: 401,
    body: { error: { errors: [{ reason: 'required' }] } },
  });
  const wrong = { authorization: `Bearer ${bearer.slice(0, -1)}` };
  expect(await api('/managedZones', undefined, wrong)).toMatchObject({
    status: 401,
    body: {
      error: { code: 401, status: 'UNAUTHENTICATED', errors: [{ reason: 'authError', location: 'Authorization' }] },
    },
  });
});

test.each([
  ['dns.managedZones.list', () => api('/managedZones')],
  ['dns.managedZones.get', () => api('/managedZones/example-test')],
  ['dns.changes.create', () => change({ additions: [txt(newName(), ['"a"'])] })],
  ['dns.resourceRecordSets.create', () => change({ additions: [txt(newName(), ['"a"'])] })],
  ['dns.resourceRecordSets.list', () => api('/managedZones/example-test/rrsets')],
  ['dns.changes.get', () => api('/managedZones/example-test/changes/1')],
])('without %s: 403 that does not say what is missing', async (permission, request) => {
  const had = emulator.permissions.delete(permission);
  const { status, body } = await request().finally(() => had && emulator.permissions.add(permission));
  expect({ status, error: body.error }).toMatchObject({
    status: 403,
    error: { message: 'Forbidden', errors: [{ reason: 'forbidden' }] },
  });
});

test('lists are cut into pages, by the name of a zone only that one', async () => {
  const remove = Array.from({ length: 120 }, (_, i) => emulator.addZone(`z${i}.test`));
  const first = await api('/managedZones');
  expect(first.body.managedZones).toHaveLength(100);
  const second = await api(`/managedZones?pageToken=${first.body.nextPageToken}`);
  expect(second.body.managedZones).toHaveLength(22);
  expect(second.body.nextPageToken).toBeUndefined();
  expect((await api('/managedZones?maxResults=5')).body.managedZones).toHaveLength(5);
  expect((await api('/managedZones?dnsName=z7.test.')).body.managedZones).toMatchObject([{ name: 'z7-test' }]);
  expect((await api('/managedZones?maxResults=none')).status).toBe(400);
  for (const undo of remove) undo();
  expect((await api('/managedZones')).body.managedZones).toHaveLength(2);
});

test('type without name is refused, name and type find one set', async () => {
  const name = newName();
  await change({ additions: [txt(name, ['unquoted'])] });
  expect((await api('/managedZones/example-test/rrsets?type=TXT')).status).toBe(400);
  const { body } = await api(`/managedZones/example-test/rrsets?type=TXT&name=${name}`);
  expect(body.rrsets).toMatchObject([{ name, type: 'TXT', ttl: 60, rrdatas: ['"unquoted"'] }]);
});

describe('a change', () => {
  const reasonOf = ({ status, body }: Answer) => [status, body.error.errors[0]?.reason, body.error.message];

  test('is carried out as a whole, counts the serial up, and is published when it is done', async () => {
    const name = newName();
    const published: unknown[] = [];
    emulator.onPublish((one) => one.name === name.slice(0, -1) && published.push(one));
    const serial = () => Number(emulator.storedSet('example.test.', 'SOA')?.rrdatas[0]?.split(' ')[2]);
    const before = serial();
    const { body } = await change({ additions: [txt(name, ['"a" "b"'], 5)] });
    expect(body).toMatchObject({ kind: 'dns#change', status: 'pending', additions: [{ name }] });
    expect(serial()).toBe(before + 1);
    const look = async () => (await api(`/managedZones/example-test/changes/${body.id}`)).body.status;
    expect([await look(), published.length, await look(), await look()]).toEqual(['pending', 0, 'done', 'done']);
    expect(published).toEqual([{ name: name.slice(0, -1), values: ['ab'], ttl: 5 }]);
  });

  test.each([
    ['another value', { rrdatas: ['"b"'] }],
    ['one value more', { rrdatas: ['"a"', '"b"'] }],
    ['another TTL', { ttl: 61 }],
  ])('that deletes a set with %s: 412, and nothing of it happens', async (_title, differs) => {
    const [name, other] = [newName(), newName()];
    await change({ additions: [txt(name, ['"a"'])] });
    const refused = await change({
      deletions: [{ ...txt(name, ['"a"']), ...differs }],
      additions: [txt(other, ['"x"'])],
    });
    expect(reasonOf(refused)).toEqual([
      412,
      'conditionNotMet',
      "Precondition not met for 'entity.change.deletions[0]'",
    ]);
    expect(emulator.published(toDnsName(name)).values).toEqual(['a']);
    expect(emulator.published(toDnsName(other)).values).toEqual([]);
  });

  test('that deletes what is not there: 404, every such deletion named', async () => {
    const gone = [newName(), newName()];
    const { status, body } = await change({ deletions: gone.map((name) => txt(name, ['"a"'])) });
    expect(status).toBe(404);
    expect(body.error.errors.map(({ message }) => message)).toEqual(
      gone.map((name, at) => `The 'entity.change.deletions[${at}]' resource named '${name} (TXT)' does not exist.`),
    );
  });

  test('that adds what is there: 409, unless it deletes it, too', async () => {
    const name = newName();
    await change({ additions: [txt(name, ['"a"'])] });
    expect(reasonOf(await change({ additions: [txt(name, ['"b"'])] })).slice(0, 2)).toEqual([409, 'alreadyExists']);
    const replaced = await change({ deletions: [txt(name, ['"a"'])], additions: [txt(name, ['"a"', '"b"'])] });
    expect(replaced.status).toBe(200);
    emulator.plant(toDnsName(name), 'c', 60);
    expect((await change({ deletions: [txt(name, ['"a"', '"b"'])] })).status).toBe(412);
  });

  const long = `"${'x'.repeat(256)}"`;
  test.each<[string, () => object, number, string]>([
    ['nothing', () => ({ additions: [] }), 400, 'required'],
    [
      '1,001 additions',
      () => ({ additions: Array.from({ length: 1001 }, () => txt(newName(), ['"a"'])) }),
      403,
      'quotaExceeded',
    ],
    [
      '101 records',
      () => ({
        additions: [
          txt(
            newName(),
            Array.from({ length: 101 }, (_, i) => `"${i}"`),
          ),
        ],
      }),
      403,
      'quotaExceeded',
    ],
    [
      'too many octets',
      () => ({ additions: Array.from({ length: 500 }, () => txt(newName(), [`"${'x'.repeat(199)}"`])) }),
      403,
      'quotaExceeded',
    ],
    ['a string over 255 octets', () => ({ additions: [txt(newName(), [long])] }), 400, 'invalid'],
    ['an open quote', () => ({ additions: [txt(newName(), ['"a'])] }), 400, 'invalid'],
    ['a name of another zone', () => ({ additions: [txt('_acme-challenge.example.org.', ['"a"'])] }), 400, 'invalid'],
    ['a name without its final dot', () => ({ additions: [txt(newName().slice(0, -1), ['"a"'])] }), 400, 'invalid'],
    ['the same record twice', () => ({ additions: [txt(newName(), ['"a"', '"a"'])] }), 400, 'invalid'],
    ['no TTL', () => ({ additions: [{ name: newName(), type: 'TXT', rrdatas: ['"a"'] }] }), 400, 'invalid'],
  ])('with %s is refused', async (_title, body, status, reason) => {
    expect(reasonOf(await change(body())).slice(0, 2)).toEqual([status, reason]);
  });

  test('beside a CNAME is refused', async () => {
    const name = newName();
    emulator.putSet({ name, type: 'CNAME', ttl: 300, rrdatas: ['elsewhere.test.'] });
    expect(reasonOf(await change({ additions: [txt(name, ['"a"'])] })).slice(0, 2)).toEqual([
      400,
      'cnameResourceRecordSetConflict',
    ]);
  });

  test('in a zone or project that is not there', async () => {
    expect(reasonOf(await change({ additions: [txt(newName(), ['"a"'])] }, 'nowhere')).slice(0, 2)).toEqual([
      404,
      'notFound',
    ]);
    emulator.enabled = false;
    expect(reasonOf(await api('/managedZones')).slice(0, 2)).toEqual([403, 'accessNotConfigured']);
    emulator.enabled = true;
  });

  test('that creates, updates or deletes needs the permission of just that', async () => {
    const name = newName();
    const steps: [string, object][] = [
      ['create', { additions: [txt(name, ['"a"'])] }],
      ['update', { deletions: [txt(name, ['"a"'])], additions: [txt(name, ['"b"'])] }],
      ['delete', { deletions: [txt(name, ['"b"'])] }],
    ];
    for (const [right, body] of steps) {
      emulator.permissions.delete(`dns.resourceRecordSets.${right}`);
      expect((await change(body)).status).toBe(403);
      emulator.permissions.add(`dns.resourceRecordSets.${right}`);
      expect((await change(body)).status).toBe(200);
    }
  });
});

test('the deepest public zone holds a name, and what is planted is seen by the API', async () => {
  const name = toDnsName('a.deep.example.test');
  emulator.plant(name, 'with "quotes" and \\', 77);
  expect(emulator.published(name)).toEqual({ name, values: ['with "quotes" and \\'], ttl: 77 });
  const { body } = await api('/managedZones/deep-example-test/rrsets');
  expect(body.rrsets).toContainEqual(
    expect.objectContaining({ name: `${name}.`, rrdatas: ['"with \\"quotes\\" and \\\\"'] }),
  );
});
