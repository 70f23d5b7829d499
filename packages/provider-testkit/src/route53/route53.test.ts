import { createHash, createHmac } from 'node:crypto';
import { createEgress, type Egress, type HttpAnswer } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { type Route53Emulator, readingPolicy, startRoute53 } from './index.ts';

let aws: Route53Emulator;
let egress: Egress;
let zone: string;

beforeEach(async () => {
  aws = await startRoute53({ policy: readingPolicy });
  zone = aws.addZone({ name: 'example.com' });
  egress = createEgress({ caBundle: aws.caBundle });
});

afterEach(async () => {
  await egress.close();
  await aws.close();
});

interface Signing {
  readonly at?: number;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly region?: string;
  readonly service?: string;
  readonly body?: string;
  readonly sentBody?: string;
}

/** Signs as the signing steps of AWS say, one after the other. */
async function send(method: 'GET' | 'POST', path: string, signing: Signing = {}): Promise<HttpAnswer> {
  const { at = Date.now(), region = 'us-east-1', service = 'route53', body = '' } = signing;
  const { accessKeyId = aws.accessKeyId, secretAccessKey = aws.secretAccessKey } = signing;
  const url = new URL(path, aws.origin);
  const amzDate = new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${amzDate.slice(0, 8)}/${region}/${service}/aws4_request`;
  url.searchParams.sort();
  const hashed = createHash('sha256').update(body).digest('hex');
  const signed = `host:${url.host}\nx-amz-date:${amzDate}\n\nhost;x-amz-date`;
  const canonical = `${method}\n${url.pathname}\n${url.searchParams}\n${signed}\n${hashed}`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  let key = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${digest}`).digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
  return egress.http({
    method,
    url: url.href,
    headers: { 'x-amz-date': amzDate, authorization },
    ...(body !== '' && { body: signing.sentBody ?? body }),
  });
}

const text = ({ body }: HttpAnswer) => Buffer.from(body).toString();
const all = (answer: HttpAnswer, name: string) =>
  [...text(answer).matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, content]) => content);

function set(name: string, values: readonly string[], more = ''): string {
  const records = values.map((value) => `<ResourceRecord><Value>${value}</Value></ResourceRecord>`).join('');
  return `<ResourceRecordSet><Name>${name}</Name><Type>TXT</Type>${more}<TTL>60</TTL><ResourceRecords>${records}</ResourceRecords></ResourceRecordSet>`;
}

function change(...changes: readonly (readonly [action: string, set: string])[]): Promise<HttpAnswer> {
  const list = changes.map(([action, one]) => `<Change><Action>${action}</Action>${one}</Change>`).join('');
  const body = `<?xml version="1.0"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes>${list}</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`;
  return send('POST', `/2013-04-01/hostedzone/${zone}/rrset`, { body });
}

const values = (name: string) => aws.published(toDnsName(name)).values;
const multivalue = (id: string) => `<SetIdentifier>${id}</SetIdentifier><MultiValueAnswer>true</MultiValueAnswer>`;

describe('signatures', () => {
  const list = '/2013-04-01/hostedzonesbyname?maxitems=1';

  test('a right one is taken', async () => {
    expect((await send('GET', list)).status).toBe(200);
  });

  const wrong: readonly [string, Signing, string, RegExp][] = [
    ['another secret', { secretAccessKey: 'x' }, 'SignatureDoesNotMatch', /we calculated does not match/],
    ['another region', { region: 'eu-west-1' }, 'SignatureDoesNotMatch', /valid region, not 'eu-west-1'/],
    ['another service', { service: 'sts' }, 'SignatureDoesNotMatch', /correct service/],
    [
      'an unknown key',
      { accessKeyId: 'AKIAUNKNOWN' },
      'InvalidClientTokenId',
      /token included in the request is invalid/,
    ],
    [
      'a date before',
      { at: Date.now() - 301_000 },
      'SignatureDoesNotMatch',
      /Signature expired: .* is now earlier than/,
    ],
    ['a date ahead', { at: Date.now() + 900_000 }, 'SignatureDoesNotMatch', /not yet current: .* is still later than/],
  ];
  test.each(wrong)('%s is refused', async (_title, signing, code, message) => {
    const answer = await send('GET', list, signing);
    expect([answer.status, ...all(answer, 'Code')]).toEqual([403, code]);
    expect(text(answer)).toMatch(message);
  });

  test('a body that was changed on the way is refused', async () => {
    const path = `/2013-04-01/hostedzone/${zone}/rrset`;
    const answer = await send('POST', path, { body: '<a>1</a>', sentBody: '<a>2</a>' });
    expect(all(answer, 'Code')).toEqual(['SignatureDoesNotMatch']);
  });

  test('the clock of the emulator can be set off, and its answers carry that date', async () => {
    aws.setSkewMs(600_000);
    const answer = await send('GET', list);
    expect(all(answer, 'Code')).toEqual(['SignatureDoesNotMatch']);
    expect(Math.abs(Date.parse(answer.headers.date as string) - Date.now() - 600_000)).toBeLessThan(5_000);
  });

  test('what is not signed at all is refused', async () => {
    const answer = await egress.http({ method: 'GET', url: `${aws.origin}${list}` });
    expect(all(answer, 'Code')).toEqual(['MissingAuthenticationToken']);
  });
});

describe('permissions', () => {
  test('an action that no statement allows is refused in the words of IAM', async () => {
    const answer = await send('GET', `/2013-04-01/hostedzone/${zone}`);
    expect(answer.status).toBe(403);
    expect(all(answer, 'Message')).toEqual([
      `User: arn:aws:iam::123456789012:user/zoneproof is not authorized to perform: route53:GetHostedZone on resource: arn:aws:route53:::hostedzone/${zone} because no identity-based policy allows the route53:GetHostedZone action`,
    ]);
  });

  test('a statement for one zone does not reach another', async () => {
    const resource = `arn:aws:route53:::hostedzone/${zone}`;
    aws.setPolicy({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: ['route53:ChangeResourceRecordSets'], Resource: resource }],
    });
    expect((await change(['CREATE', set('a.example.com', ['"x"'])])).status).toBe(200);
    zone = aws.addZone({ name: 'example.org' });
    expect(all(await change(['CREATE', set('a.example.org', ['"x"'])]), 'Code')).toEqual(['AccessDenied']);
  });
});

describe('lists', () => {
  test('zones come in the order of labels from the right, page by page', async () => {
    for (const name of ['a.example.com', 'example.org', 'b.org', 'zz.com']) aws.addZone({ name });
    const seen: (string | undefined)[] = [];
    let query = 'maxitems=2';
    for (let page = 0; page < 3; page++) {
      const answer = await send('GET', `/2013-04-01/hostedzonesbyname?${query}`);
      seen.push(...all(answer, 'Name'));
      if (all(answer, 'IsTruncated')[0] === 'false') break;
      query = `maxitems=2&dnsname=${all(answer, 'NextDNSName')}&hostedzoneid=${all(answer, 'NextHostedZoneId')}`;
    }
    expect(seen).toEqual(['example.com.', 'a.example.com.', 'zz.com.', 'b.org.', 'example.org.']);
  });

  test('never more than 100 zones a page', async () => {
    for (let i = 0; i < 120; i++) aws.addZone({ name: `z${i}.example` });
    expect(all(await send('GET', '/2013-04-01/hostedzonesbyname?maxitems=1000'), 'Id')).toHaveLength(100);
  });

  test('a name is where the list of record sets starts, no filter, and comes back escaped', async () => {
    await change(['CREATE', set('\\052.example.com', ['"w"'])], ['CREATE', set('b.example.com', ['"b"'])]);
    const answer = await send('GET', `/2013-04-01/hostedzone/${zone}/rrset?name=%5C052.example.com&type=TXT`);
    expect(all(answer, 'Name')).toEqual(['\\052.example.com.', 'b.example.com.']);
  });
});

describe('change batches', () => {
  test('are carried out as a whole or not at all, and every change to blame is named', async () => {
    await change(['CREATE', set('a.example.com', ['"1"'])], ['CREATE', set('b.example.com', ['"1"'])]);
    const answer = await change(
      ['CREATE', set('new.example.com', ['"1"'])],
      ['CREATE', set('a.example.com', ['"2"'])],
      ['DELETE', set('b.example.com', ['"2"'])],
      ['DELETE', set('c.example.com', ['"2"'])],
      ['CREATE', set('example.org', ['"2"'])],
    );
    expect([answer.status, ...all(answer, 'Code')]).toEqual([400, 'InvalidChangeBatch']);
    expect(all(answer, 'Message')).toEqual([
      "[Tried to create resource record set [name='a.example.com.', type='TXT'] but it already exists, " +
        "Tried to delete resource record set [name='b.example.com.', type='TXT'] but the values provided do not match the current values, " +
        "Tried to delete resource record set [name='c.example.com.', type='TXT'] but it was not found, " +
        'RRSet with DNS name example.org. is not permitted in zone example.com.]',
    ]);
    expect(values('new.example.com')).toEqual([]);
  });

  test('a deletion has to name TTL and all values', async () => {
    await change(['CREATE', set('a.example.com', ['"1"', '"2"'])]);
    expect((await change(['DELETE', set('a.example.com', ['"1"'])])).status).toBe(400);
    const otherTtl = set('a.example.com', ['"1"', '"2"']).replace('<TTL>60', '<TTL>61');
    expect((await change(['DELETE', otherTtl])).status).toBe(400);
    expect((await change(['DELETE', set('a.example.com', ['"2"', '"1"'])])).status).toBe(200);
    expect(values('a.example.com')).toEqual([]);
  });

  test('deletion and creation of one set take its place', async () => {
    await change(['CREATE', set('a.example.com', ['"1"'])]);
    const old = set('a.example.com', ['"1"']);
    expect((await change(['DELETE', old], ['CREATE', set('a.example.com', ['"1"', '"2"'])])).status).toBe(200);
    expect(values('a.example.com')).toEqual(['1', '2']);
    expect(text(await change(['DELETE', old], ['DELETE', old]))).toContain('invalid set of changes');
  });

  test('a simple set and multivalue sets of one name exclude each other', async () => {
    await change(['CREATE', set('a.example.com', ['"1"'])]);
    await change(['CREATE', set('b.example.com', ['"1"'], multivalue('one'))]);
    expect((await change(['CREATE', set('b.example.com', ['"2"'], multivalue('two'))])).status).toBe(200);
    expect(values('b.example.com')).toEqual(['1', '2']);
    expect(text(await change(['CREATE', set('a.example.com', ['"2"'], multivalue('two'))]))).toContain(
      'type TXT, SetIdentifier two cannot be created because a non multivalue answer rrset exists with the same name and type.',
    );
    expect(text(await change(['CREATE', set('b.example.com', ['"3"'])]))).toContain(
      'RRSet with DNS name b.example.com., type TXT cannot be created as other RRSets exist with the same name and type.',
    );
  });

  test('weighted sets exclude both, and an identifier needs a routing policy', async () => {
    const weight = '<SetIdentifier>w</SetIdentifier><Weight>1</Weight>';
    await change(['CREATE', set('a.example.com', ['"1"'], weight)]);
    expect(text(await change(['CREATE', set('a.example.com', ['"2"'], multivalue('two'))]))).toContain(
      'SetIdentifier two cannot be created because a non multivalue answer rrset exists with the same name and type.',
    );
    await change(['CREATE', set('b.example.com', ['"1"'], multivalue('one'))]);
    expect(text(await change(['CREATE', set('b.example.com', ['"2"'], weight)]))).toContain(
      'SetIdentifier w cannot be created as a non-weighted set exists with the same name and type.',
    );
    expect(text(await change(['CREATE', set('c.example.com', ['"1"'], '<SetIdentifier>w</SetIdentifier>')]))).toContain(
      'Expected exactly one of [Weight, Region, Failover, GeoLocation, or MultiValueAnswer], but found none in Change with',
    );
  });

  test('eight multivalue sets are answered with, no more', async () => {
    for (let at = 0; at < 9; at++) await change(['CREATE', set('a.example.com', [`"${at}"`], multivalue(`set-${at}`))]);
    expect(values('a.example.com')).toHaveLength(8);
    expect(aws.recordSets(zone).filter(({ type }) => type === 'TXT')).toHaveLength(9);
  });

  test.each([
    ['unquoted', 'x', /InvalidCharacterString/],
    ['a string over 255', `"${'x'.repeat(256)}"`, /CharacterStringTooLong/],
    ['an octet above 127', '"ü"', /UnsupportedCharacter/],
  ])('a value is refused: %s', async (_title, value, message) => {
    expect(text(await change(['CREATE', set('a.example.com', [value])]))).toMatch(message);
  });

  test('values with octal escapes and several strings are published as one', async () => {
    await change(['CREATE', set('a.example.com', ['"a\\303\\274 \\"b\\"" "c\\\\"'])]);
    expect(values('a.example.com')).toEqual(['a\xc3\xbc "b"c\\']);
  });

  test.each([
    ['1,000 records', 1_001, 3, /records limit of 1000/],
    ['32,000 characters', 400, 81, /characters limit of 32000/],
  ])('no more than %s', async (_title, count, length, message) => {
    const sets = Array.from(
      { length: count },
      (_none, i) => ['CREATE', set(`n${i}.example.com`, [`"${'x'.repeat(length - 2)}"`])] as const,
    );
    expect(text(await change(...sets))).toMatch(message);
  });

  test('no TXT beside a CNAME', async () => {
    aws.putRecordSet(zone, { name: toDnsName('c.example.com'), type: 'CNAME', ttl: 60, values: ['d.example.com.'] });
    expect(text(await change(['CREATE', set('c.example.com', ['"1"'])]))).toContain('conflicting RRSet of type  CNAME');
  });

  test('a zone can be full', async () => {
    aws.setMaxRecordsPerZone(3);
    expect((await change(['CREATE', set('a.example.com', ['"1"'])])).status).toBe(200);
    expect(all(await change(['CREATE', set('b.example.com', ['"1"'])]), 'Code')).toEqual(['LimitsExceeded']);
  });
});

describe('changes', () => {
  test('are pending for so many polls, and published when in sync', async () => {
    aws.setSync({ afterPolls: 1 });
    const published: unknown[] = [];
    aws.onPublish((one) => published.push(one));
    const [id] = all(await change(['CREATE', set('a.example.com', ['"1"'])]), 'Id');
    const poll = async () => all(await send('GET', `/2013-04-01${id}`), 'Status')[0];
    expect([await poll(), published.length, await poll()]).toEqual(['PENDING', 0, 'INSYNC']);
    expect(published).toEqual([{ name: 'a.example.com', values: ['1'], ttl: 60 }]);
  });

  test('wait for the test when it says so, and unknown ones are told', async () => {
    aws.setSync('manual');
    const [id] = all(await change(['CREATE', set('a.example.com', ['"1"'])]), 'Id');
    expect(all(await send('GET', `/2013-04-01${id}`), 'Status')).toEqual(['PENDING']);
    aws.settleChanges();
    expect(all(await send('GET', `/2013-04-01${id}`), 'Status')).toEqual(['INSYNC']);
    expect(all(await send('GET', '/2013-04-01/change/C000'), 'Code')).toEqual(['NoSuchChange']);
  });
});

describe('other writers', () => {
  test('add to a simple set, or bring a multivalue set where those stand', async () => {
    await change(
      ['CREATE', set('a.example.com', ['"1"'])],
      ['CREATE', set('b.example.com', ['"1"'], multivalue('one'))],
    );
    aws.plant(toDnsName('a.example.com'), 'x', 5);
    aws.plant(toDnsName('b.example.com'), 'x', 5);
    expect(aws.published(toDnsName('a.example.com'))).toMatchObject({ values: ['1', 'x'], ttl: 60 });
    expect(values('b.example.com')).toEqual(['1', 'x']);
  });
});

describe('STS', () => {
  const arn = 'arn:aws:iam::123456789012:role/dns';
  const form = (more: Record<string, string>, Action = 'AssumeRole') =>
    new URLSearchParams({ Action, RoleArn: arn, RoleSessionName: 'test', Version: '2011-06-15', ...more }).toString();
  const assume = (body: string) => send('POST', '/', { service: 'sts', region: 'eu-west-1', body });

  beforeEach(() => aws.addRole({ arn, policy: readingPolicy, externalId: 'shared', webIdentityToken: 'token' }));

  test('a role is handed out to who knows its external id', async () => {
    expect(all(await assume(form({})), 'Code')).toEqual(['AccessDenied']);
    expect(all(await assume(form({ ExternalId: 'shared' })), 'AccessKeyId')[0]).toMatch(/^ASIA/);
  });

  test('keys of a session count only with its token', async () => {
    const answer = await assume(form({ ExternalId: 'shared' }));
    const [id = '', secret = ''] = [all(answer, 'AccessKeyId')[0], all(answer, 'SecretAccessKey')[0]];
    const without = await send('GET', '/2013-04-01/hostedzonesbyname', { accessKeyId: id, secretAccessKey: secret });
    expect(all(without, 'Code')).toEqual(['InvalidClientTokenId']);
  });

  test('a web identity needs the right token and no signature', async () => {
    const ask = (WebIdentityToken: string) =>
      egress.http({
        method: 'POST',
        url: `${aws.origin}/`,
        body: form({ WebIdentityToken }, 'AssumeRoleWithWebIdentity'),
      });
    expect(all(await ask('wrong'), 'Code')).toEqual(['InvalidIdentityToken']);
    expect(all(await ask('token'), 'AccessKeyId')[0]).toMatch(/^ASIA/);
  });
});

test('a throttled request gets 400 and Throttling', async () => {
  aws.fail({ kind: 'throttled' });
  const answer = await change(['CREATE', set('a.example.com', ['"1"'])]);
  expect([answer.status, ...all(answer, 'Code'), ...all(answer, 'Message')]).toEqual([
    400,
    'Throttling',
    'Rate exceeded',
  ]);
  expect(aws.seen.map(({ action }) => action)).toEqual(['ChangeResourceRecordSets']);
});
