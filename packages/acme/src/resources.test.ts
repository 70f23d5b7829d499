import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDirectory } from './directory.ts';
import { dns01Challenge } from './dns01.ts';
import { AcmeProtocolError } from './errors.ts';
import { parseAccountStatus, parseAuthorization, parseOrder } from './resources.ts';

const url = 'https://ca.example/1';
const authorization = (members: object) =>
  parseAuthorization(
    { status: 'pending', identifier: { type: 'dns', value: 'example.com' }, ...members },
    url,
    undefined,
  );
const order = (members: object) =>
  parseOrder({ status: 'pending', authorizations: [], finalize: `${url}/finalize`, ...members }, url, undefined);

describe('RFC 8555 7.1.4: authorization', () => {
  test('challenges of unknown types and without a token are no obstacle; dns-01 is found among them', () => {
    const read = authorization({
      challenges: [
        { type: 'dns-persist-01', url: `${url}/p`, status: 'pending', issuerDomainNames: ['ca.example'] },
        { type: 'hologram-42', url: `${url}/h`, status: 'pending', token: { x: 1 }, extra: [null] },
        { type: 'weird-status', url: `${url}/w`, status: 'simmering' },
        { type: 'no-url' },
        null,
        'text',
        { type: 'dns-01', url: `${url}/d`, status: 'pending', token: 'abc_-9' },
      ],
    });
    expect(read.challenges.map(({ type, token }) => [type, token])).toEqual([
      ['dns-persist-01', undefined],
      ['hologram-42', undefined],
      ['dns-01', 'abc_-9'],
    ]);
    expect(dns01Challenge(read)).toEqual({ type: 'dns-01', url: `${url}/d`, status: 'pending', token: 'abc_-9' });
  });

  test.each([
    ['no challenge at all', undefined],
    ['no dns-01', [{ type: 'http-01', url, token: 'a' }]],
    ['a dns-01 whose token is not base64url', [{ type: 'dns-01', url, token: 'a b' }]],
  ])('a CA that offers %s gives no dns-01 challenge', (_what, challenges) => {
    expect(dns01Challenge(authorization({ challenges }))).toBeUndefined();
  });

  test('RFC 8555 7.1.3: the wildcard is a flag, also where a CA leaves *. in the identifier', () => {
    expect(authorization({ wildcard: true })).toMatchObject({ identifier: { value: 'example.com' }, wildcard: true });
    expect(authorization({})).toMatchObject({ wildcard: false });
    expect(authorization({ identifier: { type: 'dns', value: '*.Example.com' } })).toMatchObject({
      identifier: { type: 'dns', value: 'example.com' },
      wildcard: true,
    });
  });

  test('RFC 8555 7.5.1: a failed challenge keeps its error', () => {
    const read = authorization({
      status: 'invalid',
      challenges: [
        {
          type: 'dns-01',
          url,
          status: 'invalid',
          token: 'a',
          error: { type: 'urn:ietf:params:acme:error:dns', detail: 'NXDOMAIN' },
        },
      ],
    });
    expect(read.challenges[0]?.error).toMatchObject({ type: 'dns', detail: 'NXDOMAIN', disposition: 'new-order' });
  });

  test.each(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'])('status %s', (status) => {
    expect(authorization({ status }).status).toBe(status);
  });

  test('an authorization without identifier or with an unknown status is no ACME', () => {
    expect(() => authorization({ identifier: undefined })).toThrow(AcmeProtocolError);
    expect(() => authorization({ status: 'maybe' })).toThrow('"status" is missing or malformed');
  });
});

describe('RFC 8555 7.1.3: order', () => {
  test.each(['pending', 'ready', 'processing', 'invalid'])('status %s', (status) => {
    expect(order({ status }).status).toBe(status);
  });

  test('a valid order has a certificate', () => {
    expect(order({ status: 'valid', certificate: `${url}/c` })).toMatchObject({ certificateUrl: `${url}/c` });
    expect(() => order({ status: 'valid' })).toThrow('"certificate" is missing');
  });

  test.each([
    [{ status: 'cooking' }, 'status'],
    [{ authorizations: 'x' }, 'authorizations'],
    [{ authorizations: [1] }, 'authorizations'],
    [{ finalize: undefined }, 'finalize'],
  ])('%j is no ACME order', (members, member) => {
    expect(() => order(members)).toThrow(`"${member}" is missing or malformed`);
  });

  test('instants are epoch milliseconds; unreadable ones are left out', () => {
    expect(order({ expires: '2026-11-21T12:00:00.5Z' }).expires).toBe(Date.parse('2026-11-21T12:00:00.500Z'));
    for (const expires of ['tomorrow', 7, null, '2026']) expect(order({ expires })).not.toHaveProperty('expires');
  });
});

test('an account whose CA leaves the status out is valid', () => {
  expect(parseAccountStatus({}, url)).toBe('valid');
  expect(() => parseAccountStatus({ status: 'sleeping' }, url)).toThrow(AcmeProtocolError);
});

test('any JSON is an object of ACME or an AcmeProtocolError', () => {
  const member = fc.constantFrom(
    'status',
    'identifier',
    'type',
    'value',
    'challenges',
    'url',
    'authorizations',
    'finalize',
    'expires',
    'error',
    'meta',
    'newNonce',
    'newOrder',
    'newAccount',
  );
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('pending', 'valid', 'dns', url),
    fc.array(fc.dictionary(member, fc.jsonValue())),
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.oneof(value, fc.dictionary(member, value)))),
      (body) => {
        for (const parse of [
          () => parseOrder(body, url, undefined),
          () => parseAuthorization(body, url, undefined),
          () => parseAccountStatus(body, url),
          () => parseDirectory(body, url),
        ]) {
          try {
            parse();
          } catch (error) {
            expect(error).toBeInstanceOf(AcmeProtocolError);
          }
        }
      },
    ),
    { seed: 6, numRuns: 200 },
  );
});

describe('what a CA names is kept, so it has bounds', () => {
  const long = `https://ca.example/${'x'.repeat(2048)}`;

  test.each([
    ['an order whose finalize', () => order({ finalize: long })],
    ['a valid order whose certificate', () => order({ status: 'valid', certificate: long })],
    ['an order one of whose authorizations', () => order({ authorizations: [url, long] })],
  ])('%s is a URL of more than 2,048 characters is none', (_what, parse) => {
    expect(parse).toThrow(AcmeProtocolError);
  });

  test('a challenge at such a URL is left out', () => {
    expect(authorization({ challenges: [{ type: 'dns-01', url: long, token: 'a' }] }).challenges).toEqual([]);
  });

  test('no order needs more than 200 authorizations', () => {
    const many = (count: number) => order({ authorizations: Array.from({ length: count }, (_, at) => `${url}/${at}`) });
    expect(many(200).authorizationUrls).toHaveLength(200);
    expect(() => many(201)).toThrow('an order of 201 authorizations, more than any order needs');
  });

  test('of a directory, terms that are no URL are left out, and names and profiles are a few words', () => {
    const names = { newNonce: url, newAccount: url, newOrder: url };
    const meta = (members: object) => parseDirectory({ ...names, meta: members }, url).meta;
    for (const termsOfService of [long, 'https://ca.example/a\nb', 'see our page'])
      expect(meta({ termsOfService })).not.toHaveProperty('termsOfService');
    expect(meta({ termsOfService: url })).toHaveProperty('termsOfService', url);
    const read = meta({
      caaIdentities: Array.from({ length: 101 }, () => `ca\n${'x'.repeat(5000)}`),
      profiles: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}`, 'a\u0000b'])),
    });
    expect([read.caaIdentities.length, Object.keys(read.profiles).length]).toEqual([100, 100]);
    expect(read.caaIdentities[0]).toMatch(/^ca x{1018}\.\.\.$/);
    expect(read.profiles.p0).toBe('a b');
  });
});
