import {
  type DnskeyData,
  type DnsRecord,
  keyTag,
  type RrsigData,
  type SignedRrset,
  signedRrset,
  toDnsName,
  verifyRrset,
  type ZoneKeys,
} from '@zoneproof/dns';
import { answerSets, answers, signedAt, walk } from './testing/answers.ts';
import { ownKey, signedBy } from './testing/own-keys.ts';

const day = 86_400_000;
const set = 'ECDSAP256SHA256';
const answer = answers(set);
const keys = walk(set).keys as ZoneKeys;
const txt = answer('_acme-challenge.a.test', 'TXT');
const last = (links: readonly { readonly state: string }[]) => links.at(-1);

describe('answers of BIND', () => {
  test.each(answerSets.filter((name) => name !== 'RSASHA1'))('%s: all links are sound', (name) => {
    const { links, keys: found } = walk(name);
    expect(links.map(({ state, name: owner, type }) => `${state} ${owner} ${type}`)).toEqual([
      'sound test DNSKEY',
      'sound a.test DS',
      'sound a.test DNSKEY',
    ]);
    expect(links[0]).toMatchObject({ expiresAt: Date.parse('2026-12-31T12:00:00Z'), notes: [] });
    const judge = (owner: string, type: SignedRrset['type']) =>
      verifyRrset(answers(name)(owner, type), found as ZoneKeys, signedAt);
    expect(judge('_acme-challenge.a.test', 'TXT')).toMatchObject({ state: 'sound' });
    if (name.includes('+')) return;
    for (const type of ['SOA', 'CAA'] as const) expect(judge('a.test', type).state).toBe('sound');
    for (const type of ['A', 'AAAA'] as const) expect(judge('www.a.test', type).state).toBe('sound');
    // The zone file has its target in capital letters, and BIND sends it so.
    expect(judge('alias.a.test', 'CNAME').state).toBe('sound');
    expect(judge('x.y.wild.a.test', 'TXT')).toMatchObject({ state: 'sound', wildcard: '*.wild.a.test' });
    expect(judge('mail.a.test', 'MX')).toMatchObject({
      state: 'broken',
      problem: 'unsupported-type',
      text: 'signatures of MX sets are not verified here',
    });
  });

  test('RSASHA1 alone counts as unsigned', () => {
    const { links, keys: found } = walk('RSASHA1');
    expect(found).toBeUndefined();
    expect(last(links)).toMatchObject({
      state: 'unsigned',
      reason: 'old-algorithm',
      text: 'the DS set of a.test has only algorithm 5 (RSASHA1), which is too old to prove anything (RFC 9905): resolvers treat the zone as unsigned',
    });
  });

  test('a signature by RSASHA1 where the zone has a better key proves nothing', () => {
    const both = answers('RSASHA1+ED25519')('_acme-challenge.a.test', 'TXT');
    const signatures = both.signatures.filter((rrsig) => rrsig.algorithm === 5);
    const found = walk('RSASHA1+ED25519').keys as ZoneKeys;
    expect(signatures).toHaveLength(1);
    expect(verifyRrset({ ...both, signatures }, found, signedAt)).toMatchObject({
      problem: 'algorithm',
      text: 'the signature of the TXT set of _acme-challenge.a.test is of algorithm 5 (RSASHA1), which is too old to prove anything (RFC 9905)',
    });
  });
});

describe('the signature of an RRset', () => {
  const judge = (change: Partial<SignedRrset>, at = signedAt) => verifyRrset({ ...txt, ...change }, keys, at);
  const [rrsig] = txt.signatures as [RrsigData];
  const signedWith = (change: Partial<RrsigData>) => ({ signatures: [{ ...rrsig, ...change }] });
  const of = 'the signature of the TXT set of _acme-challenge.a.test';

  test('is that of the set: order, TTL and repeated records do not matter', () => {
    const changed = txt.records.map((record) => ({ ...record, ttl: 1 })).reverse();
    expect(judge({ records: [...changed, ...changed] }).state).toBe('sound');
  });

  test.each<[string, Partial<SignedRrset>, string, string]>([
    ['no records', { records: [] }, 'no-records', 'there is no TXT set of _acme-challenge.a.test'],
    [
      'no signature',
      { signatures: [] },
      'no-signature',
      'the TXT set of _acme-challenge.a.test has no signature, and its zone is said to be signed',
    ],
    [
      'a record too few',
      { records: txt.records.slice(1) },
      'bad-signature',
      `${of} is not one that key ${rrsig.keyTag} of a.test made over these records`,
    ],
    [
      'another value',
      { records: [{ ...txt.records[0], type: 'TXT', data: ['onetwo'] } as DnsRecord, ...txt.records.slice(1)] },
      'bad-signature',
      `${of} is not one that key ${rrsig.keyTag} of a.test made over these records`,
    ],
    [
      'another signer',
      signedWith({ signer: toDnsName('b.test') }),
      'wrong-signer',
      `${of} is made by b.test instead of a.test`,
    ],
    [
      'labels for a longer name',
      signedWith({ labels: 4 }),
      'wrong-labels',
      `${of} is made for a name of 4 labels, from which this one cannot come`,
    ],
    [
      'labels for a wildcard above the zone',
      signedWith({ labels: 1 }),
      'wrong-labels',
      `${of} is made for a name of 1 labels, from which this one cannot come`,
    ],
    [
      'labels for a wildcard that did not sign it',
      signedWith({ labels: 2 }),
      'bad-signature',
      `${of} is not one that key ${rrsig.keyTag} of a.test made over these records`,
    ],
    [
      'a name outside the zone',
      { name: toDnsName('x.b.test') },
      'wrong-signer',
      'the signature of the TXT set of x.b.test is made by a.test, in which it does not lie',
    ],
    [
      'the algorithm of another key',
      signedWith({ algorithm: 15 }),
      'no-key',
      `${of} is made by key ${rrsig.keyTag} of algorithm 15 (ED25519), which is not among the keys of a.test`,
    ],
    [
      'an unknown algorithm',
      signedWith({ algorithm: 250 }),
      'algorithm',
      `${of} is of algorithm 250, which is not known here`,
    ],
    [
      'a key that is not there',
      signedWith({ keyTag: 1 }),
      'no-key',
      `${of} is made by key 1 of algorithm 13 (ECDSAP256SHA256), which is not among the keys of a.test`,
    ],
    [
      'a signature cut short',
      signedWith({ signature: rrsig.signature.subarray(1) }),
      'bad-signature',
      `${of} is not one that key ${rrsig.keyTag} of a.test made over these records`,
    ],
    [
      'a later end than was signed',
      signedWith({ expiration: rrsig.expiration + 1 }),
      'bad-signature',
      `${of} is not one that key ${rrsig.keyTag} of a.test made over these records`,
    ],
  ])('%s is told', (_title, change, problem, text) => {
    expect(judge(change)).toMatchObject({ state: 'broken', problem, text });
  });

  test('is told with its date when it has expired or not begun', () => {
    expect(judge({}, Date.parse('2026-12-31T12:00:00.999Z')).state).toBe('sound');
    expect(judge({}, Date.parse('2026-12-31T12:00:01Z'))).toMatchObject({
      problem: 'expired',
      text: `${of} expired 2026-12-31 12:00 UTC`,
    });
    expect(judge({}, Date.parse('2025-12-31T23:59:59Z'))).toMatchObject({
      problem: 'not-yet-valid',
      text: `${of} is not valid before 2026-01-01 00:00 UTC`,
    });
  });

  test('has dates that go round every 136 years', () => {
    const [start, end] = [2 ** 32 - 100, 100];
    const around = (at: number) => judge(signedWith({ inception: start, expiration: end }), at * 1000);
    expect(around(2 ** 32 - 101)).toMatchObject({ problem: 'not-yet-valid' });
    expect(around(2 ** 32 + 101)).toMatchObject({ problem: 'expired' });
    for (const at of [2 ** 32 - 100, 2 ** 32, 2 ** 32 + 100])
      expect(around(at)).toMatchObject({ problem: 'bad-signature' });
  });

  test('may be any of several; of those that fail the one that came furthest is told', () => {
    const others = [
      { ...rrsig, keyTag: 1 },
      { ...rrsig, signer: toDnsName('b.test') },
      { ...rrsig, expiration: rrsig.expiration - 1 },
    ];
    expect(judge({ signatures: [...others, rrsig] }).state).toBe('sound');
    expect(judge({ signatures: others })).toMatchObject({ problem: 'bad-signature' });
    expect(judge({ signatures: others }, Date.parse('2027-02-01T00:00:00Z'))).toMatchObject({ problem: 'expired' });
  });

  test('of a wildcard may be asked for by its own name', () => {
    const wild = answer('x.y.wild.a.test', 'TXT');
    const name = toDnsName('*.wild.a.test');
    const own = { ...wild, name, records: wild.records.map((record) => ({ ...record, name })) };
    expect(verifyRrset(own, keys, signedAt)).not.toHaveProperty('wildcard');
    expect(verifyRrset(own, keys, signedAt).state).toBe('sound');
    const signatures = wild.signatures.map((one) => ({ ...one, labels: one.labels + 1 }));
    expect(verifyRrset({ ...own, signatures }, keys, signedAt)).toMatchObject({ problem: 'wrong-labels' });
    expect(verifyRrset({ ...own, name: toDnsName('x.y.tame.a.test') }, keys, signedAt)).toMatchObject({
      problem: 'bad-signature',
    });
  });

  test('is not made by keys that are revoked, no zone keys, or of another protocol', () => {
    const withKeys = (change: (key: DnskeyData) => DnskeyData) => {
      const changed = keys.keys.map(change);
      const signer = changed[keys.keys.findIndex((key) => keyTag(key) === rrsig.keyTag)] as DnskeyData;
      const rrset = { ...txt, ...signedWith({ keyTag: keyTag(signer) }) };
      return verifyRrset(rrset, { ...keys, keys: changed }, signedAt);
    };
    const text = (why: string) => expect.stringMatching(new RegExp(` is made by key \\d+, which ${why}$`));
    expect(withKeys((key) => ({ ...key, flags: key.flags | 0x80 }))).toMatchObject({ text: text('is revoked') });
    expect(withKeys((key) => ({ ...key, flags: 0 }))).toMatchObject({ text: text('has no zone key flag') });
    expect(withKeys((key) => ({ ...key, protocol: 2 }))).toMatchObject({ text: text('is of protocol 2 instead of 3') });
  });

  test.each([
    ['ECDSAP256SHA256', (key: Uint8Array) => key.map((octet, i) => (i === 0 ? octet ^ 1 : octet))],
    ['ED448', (key: Uint8Array) => key.subarray(1)],
    ['RSASHA256', () => Uint8Array.of(0, 255)],
    ['RSASHA256', () => Uint8Array.of(3, 1, 0, 1, ...new Uint8Array(513).fill(255))],
    ['RSASHA256', () => Uint8Array.of(9, ...new Uint8Array(9 + 128).fill(255))],
    ['RSASHA512', () => Uint8Array.of(0)],
  ])('by a key that is none of %s is told', (name, change) => {
    const rrset = answers(name)('_acme-challenge.a.test', 'TXT');
    const bad = (walk(name).keys as ZoneKeys).keys.map((key) => ({
      ...key,
      publicKey: Uint8Array.from(change(key.publicKey)),
    }));
    const signatures = bad.flatMap((key) => rrset.signatures.map((one) => ({ ...one, keyTag: keyTag(key) })));
    expect(verifyRrset({ ...rrset, signatures }, { ...keys, keys: bad }, signedAt)).toMatchObject({
      problem: 'bad-key',
    });
  });

  test('is looked for in bounded time among colliding keys and many signatures', () => {
    const key = keys.keys.find((one) => keyTag(one) === rrsig.keyTag) as DnskeyData;
    // Swapping octets two apart keeps the key tag.
    const colliding = Array.from({ length: 60 }, (_, i) => {
      const publicKey = Uint8Array.from(key.publicKey);
      [publicKey[i], publicKey[i + 2]] = [publicKey[i + 2] as number, publicKey[i] as number];
      return { ...key, publicKey };
    });
    const signatures = Array.from({ length: 500 }, (_, i) => ({ ...rrsig, expiration: rrsig.expiration + 500 - i }));
    const startedAt = performance.now();
    expect(verifyRrset({ ...txt, signatures }, { ...keys, keys: colliding }, signedAt)).toMatchObject({
      problem: 'too-many',
      text: 'the TXT set of _acme-challenge.a.test has so many signatures and keys that only 16 were tried',
    });
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

test('of several signatures the one that lasts longest is told', () => {
  const zone = toDnsName('z.test');
  const [one, other] = [ownKey(0), ownKey(1)];
  const rrset = signedBy({ name: zone, type: 'TXT', records: [], signatures: [] }, [
    { key: one, days: 5 },
    { key: other, days: 9 },
    { key: one, days: 7 },
  ]);
  const link = verifyRrset(rrset, { zone, keys: [one.dnskey, other.dnskey] }, signedAt);
  expect(link).toMatchObject({ state: 'sound', keyTag: keyTag(other.dnskey), expiresAt: signedAt + 9 * day });
});

test('an RRset is picked out of a section by name, type and class, with the signatures over its type only', () => {
  const name = toDnsName('a.test');
  const txtAt = (owner: string, value: string, more: object = {}): DnsRecord => ({
    name: toDnsName(owner),
    type: 'TXT',
    ttl: 60,
    data: [value],
    ...more,
  });
  const [over] = txt.signatures as [RrsigData];
  const rrsigs = (['TXT', 'A'] as const).map(
    (typeCovered): DnsRecord => ({ name, type: 'RRSIG', ttl: 60, data: { ...over, typeCovered } }),
  );
  const section = [
    txtAt('a.test', 'one'),
    txtAt('a.test', 'IN', { class: 'IN' }),
    txtAt('a.test', 'CH', { class: 'CH' }),
    txtAt('b.test', 'other'),
    ...rrsigs,
  ];
  expect(signedRrset(section, name, 'TXT')).toEqual({
    name,
    type: 'TXT',
    records: section.slice(0, 2),
    signatures: [{ ...over, typeCovered: 'TXT' }],
  });
});
