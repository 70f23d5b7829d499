import {
  type DnskeyData,
  type DsData,
  dsDigest,
  keyTag,
  type SignedRrset,
  signedRrset,
  toDnsName,
  verifyAnchoredZone,
  verifyZoneCut,
  type ZoneKeys,
} from '@zoneproof/dns';
import { anchorsOf, answers, keysOf, signedAt, walk } from './testing/answers.ts';
import { type OwnKey, ownKey, signedBy } from './testing/own-keys.ts';

const day = 86_400_000;
const set = 'ECDSAP256SHA256';
const answer = answers(set);
const keys = walk(set).keys as ZoneKeys;
const last = (links: readonly { readonly state: string }[]) => links.at(-1);

describe('the way from a DS set to the keys of a zone', () => {
  const change = (type: string, name: string, by: (rrset: SignedRrset) => SignedRrset) => (rrset: SignedRrset) =>
    rrset.type === type && rrset.name === name ? by(rrset) : rrset;
  const dnskeys = answer('a.test', 'DNSKEY');
  const published = keysOf(dnskeys);
  const ksk = published.find((key) => (key.flags & 1) === 1) as DnskeyData;
  const zsk = published.find((key) => (key.flags & 1) === 0) as DnskeyData;
  const dsOf = (key: DnskeyData, digestType = 2): DsData => ({
    keyTag: keyTag(key),
    algorithm: key.algorithm,
    digestType,
    digest: dsDigest(dnskeys.name, key, digestType) ?? new Uint8Array(32),
  });
  /** The DNSKEY set judged with DS data that needs no parent. */
  const judge = (ds: readonly DsData[], rrset = dnskeys, at = signedAt) =>
    last(verifyAnchoredZone(rrset, ds, at).links);
  const withKeys = (records: readonly DnskeyData[]): SignedRrset => ({
    ...dnskeys,
    records: records.map((data) => ({ name: dnskeys.name, type: 'DNSKEY', ttl: 60, data })),
  });

  test.each<[string, (rrset: SignedRrset) => SignedRrset, string, string]>([
    [
      'signatures of the keys have expired',
      change('DNSKEY', 'a.test', (rrset) => ({
        ...rrset,
        signatures: rrset.signatures.map((one) => ({ ...one, expiration: Date.parse('2026-11-01T12:00:00Z') / 1000 })),
      })),
      'expired',
      'the signature of the DNSKEY set of a.test expired 2026-11-01 12:00 UTC',
    ],
    [
      'the DS set is not signed',
      change('DS', 'a.test', (rrset) => ({ ...rrset, signatures: [] })),
      'no-signature',
      'the DS set of a.test has no signature, and its zone is said to be signed',
    ],
    [
      'the DS set is changed',
      change('DS', 'a.test', (rrset) => ({
        ...rrset,
        records: [{ name: rrset.name, type: 'DS', ttl: 60, data: dsOf(zsk) }],
      })),
      'bad-signature',
      expect.stringMatching(
        /^the signature of the DS set of a\.test is not one that key \d+ of test made/,
      ) as unknown as string,
    ],
    [
      'the DS set belongs to a name elsewhere',
      change('DS', 'a.test', (rrset) => ({ ...rrset, name: toDnsName('a.example') })),
      'wrong-signer',
      'the DS set of a.example is not one that test can sign',
    ],
    [
      'the zone has no keys',
      change('DNSKEY', 'a.test', (rrset) => ({ ...rrset, records: [], signatures: [] })),
      'no-dnskey',
      `a.test has no DNSKEY record, and the DS record (key tag ${keyTag(ksk)}) at its parent says that it is signed`,
    ],
    [
      'the key of the DS record is not there',
      change('DNSKEY', 'a.test', () => withKeys([zsk])),
      'ds-mismatch',
      `no DNSKEY of a.test matches the DS record (key tag ${keyTag(ksk)}) at its parent`,
    ],
    [
      'the keys of the zone are not those that were signed',
      change('DNSKEY', 'a.test', () => withKeys([ksk])),
      'bad-signature',
      `the signature of the DNSKEY set of a.test is not one that key ${keyTag(ksk)} of a.test made over these records`,
    ],
  ])('%s: broken', (_title, tamper, problem, text) => {
    const { links, keys: found } = walk(set, tamper);
    expect(found).toBeUndefined();
    expect(last(links)).toMatchObject({ state: 'broken', problem, text, advice: expect.stringMatching(/./) });
  });

  test('no DS record: unsigned as far as the parent says', () => {
    const { links, keys: found } = walk(
      set,
      change('DS', 'a.test', (rrset) => ({ ...rrset, records: [], signatures: [] })),
    );
    expect(found).toBeUndefined();
    expect(last(links)).toMatchObject({
      state: 'unsigned',
      reason: 'no-ds',
      text: 'test has no DS record for a.test: unsigned as far as the parent says',
    });
  });

  test('the parent cannot vouch for itself or a name beside it', () => {
    const ds = { ...answer('a.test', 'DS'), name: toDnsName('a.test') };
    expect(last(verifyZoneCut({ parent: keys, ds, dnskeys }, signedAt).links)).toMatchObject({
      problem: 'wrong-signer',
      text: 'the DS set of a.test is not one that a.test can sign',
    });
  });

  test('no anchor matches', () => {
    const anchors = anchorsOf(set).map((anchor) => ({ ...anchor, keyTag: 1 }));
    expect(last(verifyAnchoredZone(answer('test', 'DNSKEY'), anchors, signedAt).links)).toMatchObject({
      problem: 'ds-mismatch',
      text: 'no DNSKEY of test matches a trust anchor (key tags 1)',
    });
  });

  test('the root is called by name', () => {
    const root = signedRrset([], toDnsName(''), 'DNSKEY');
    expect(last(verifyAnchoredZone(root, anchorsOf(set), signedAt).links)).toMatchObject({
      text: expect.stringMatching(/^the root zone has no DNSKEY record, and the trust anchor/),
    });
  });

  test('a DS record with another digest is told apart from one of another key', () => {
    expect(judge([{ ...dsOf(ksk), digest: new Uint8Array(32) }])).toMatchObject({
      problem: 'ds-mismatch',
      text: `DNSKEY ${keyTag(ksk)} of a.test has another digest than the trust anchor (key tag ${keyTag(ksk)})`,
    });
    expect(judge([{ ...dsOf(ksk), algorithm: 8 }])).toMatchObject({ problem: 'ds-mismatch' });
  });

  test.each([2, 4])('digest type %i', (digestType) => {
    expect(judge([dsOf(ksk, digestType)])).toMatchObject({ state: 'sound', notes: [] });
  });

  test('digest type 1 works, with a note; beside a better one it is not looked at', () => {
    expect(judge([dsOf(ksk, 1)])).toMatchObject({
      state: 'sound',
      notes: ['the DS record of a.test uses SHA-1 (digest type 1): replace it by one with SHA-256 (digest type 2)'],
    });
    expect(judge([dsOf(ksk, 1), { ...dsOf(ksk), digest: new Uint8Array(32) }])).toMatchObject({
      problem: 'ds-mismatch',
    });
  });

  test('unknown algorithms and digests are left out; nothing else is unsigned', () => {
    const unknown = [
      { ...dsOf(ksk), algorithm: 200 },
      { ...dsOf(ksk), digestType: 200 },
    ];
    expect(judge([...unknown, dsOf(ksk)])).toMatchObject({ state: 'sound' });
    expect(judge(unknown)).toMatchObject({
      state: 'unsigned',
      reason: 'unknown-algorithm',
      text: 'the DS set of a.test has only algorithm 200, which is not known here: resolvers treat the zone as unsigned',
    });
    expect(judge(unknown.slice(1))).toMatchObject({
      text: 'the DS set of a.test has only digest type 200, which is not known here: resolvers treat the zone as unsigned',
    });
  });

  test('a rollover: DS records of a key to come, of one gone and of the one that signs', () => {
    const coming = dsOf({ ...ksk, publicKey: Uint8Array.from(ksk.publicKey).reverse() });
    const gone = { ...dsOf(ksk), keyTag: 1 };
    expect(judge([coming, gone, dsOf(ksk)])).toMatchObject({ state: 'sound', keyTag: keyTag(ksk) });
    expect(judge([coming, gone])).toMatchObject({
      text: expect.stringMatching(/^no DNSKEY of a\.test matches a trust anchor \(key tags \d+, 1\)$/),
    });
  });

  test('a DS record of a key that does not sign the keys', () => {
    expect(judge([dsOf(zsk)])).toMatchObject({
      problem: 'no-key',
      text: `the DNSKEY set of a.test is not signed by key ${keyTag(zsk)}, which matches the trust anchor (key tag ${keyTag(zsk)})`,
    });
  });

  test.each([
    ['is revoked', 0x0181],
    ['has no zone key flag', 0x0001],
  ])('a DS record of a key that %s', (why, flags) => {
    const key = { ...ksk, flags };
    expect(judge([dsOf(key)], withKeys([key, zsk]))).toMatchObject({
      problem: 'key-flags',
      text: `DNSKEY ${keyTag(key)} of a.test, which matches the trust anchor (key tag ${keyTag(key)}), ${why}`,
    });
  });

  test('dates are those of now', () => {
    expect(judge([dsOf(ksk)], dnskeys, signedAt + 60 * day)).toMatchObject({ problem: 'expired' });
  });

  test('a key that shares its tag with the one of the DS record vouches for nothing', () => {
    const zone = toDnsName('z.test');
    const own = Array.from({ length: 600 }, (_, i) => ownKey(i));
    const tags = own.map(({ dnskey }) => keyTag(dnskey));
    const second = tags.findIndex((tag, i) => tags.indexOf(tag) !== i);
    const named = own[tags.indexOf(tags[second] as number)] as OwnKey;
    const twin = own[second] as OwnKey;
    const records = [named, twin].map(({ dnskey }) => ({ name: zone, type: 'DNSKEY', ttl: 60, data: dnskey }) as const);
    const judge = (key: OwnKey) => {
      const dnskeys = signedBy({ name: zone, type: 'DNSKEY', records, signatures: [] }, [{ key, days: 1 }]);
      const digest = dsDigest(zone, named.dnskey, 2) ?? new Uint8Array(0);
      const ds = { keyTag: keyTag(named.dnskey), algorithm: 15, digestType: 2, digest };
      return last(verifyAnchoredZone(dnskeys, [ds], signedAt).links);
    };
    expect(judge(named)).toMatchObject({ state: 'sound' });
    expect(judge(twin)).toMatchObject({ problem: 'bad-signature' });
  });
});
