import { type DnskeyData, dsDigest, keyTag, type SignedRrset, toDnsName } from '@zoneproof/dns';
import { judgeDnssec } from './dnssec.ts';
import type { FindingResult } from './finding.ts';
import type { ResolverView, TrustObservation } from './observe-trust.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const [root, zone] = [toDnsName(''), toDnsName('example.com')];
const key: DnskeyData = { flags: 257, protocol: 3, algorithm: 13, publicKey: Buffer.alloc(64, 1) };
const digest = dsDigest(zone, key, 2) as Uint8Array;
const anchored = [{ zone, ds: [{ keyTag: keyTag(key), algorithm: 13, digestType: 2, digest }] }];
const otherKey = [{ zone, ds: [{ keyTag: keyTag(key), algorithm: 13, digestType: 2, digest: Buffer.alloc(32) }] }];
const old = [{ zone, ds: [{ keyTag: keyTag(key), algorithm: 5, digestType: 2, digest }] }];

const dnskeys: SignedRrset = {
  name: zone,
  type: 'DNSKEY',
  records: [{ name: zone, type: 'DNSKEY', ttl: 60, data: key }],
  signatures: [],
};

function seen(parts: Partial<TrustObservation> = {}): TrustObservation {
  return { zone, path: [{ zone, dnskeys }], servers: [], ...parts };
}

const view = (parts: Partial<ResolverView>): { readonly resolver: ResolverView } => ({
  resolver: { resolver: '192.0.2.53:53', rcode: 'NOERROR', ad: false, uncheckedRcode: 'NOERROR', ...parts },
});
const validated = view({ ad: true });
const bogus = view({ rcode: 'SERVFAIL', told: 'EDE 9 DNSKEY missing' });
const down = view({ rcode: 'SERVFAIL', uncheckedRcode: 'SERVFAIL' });

test.each<[string, TrustObservation, typeof anchored, FindingResult, RegExp, boolean]>([
  [
    'another key than its DS record',
    seen(),
    otherKey,
    'failed',
    /^DNSKEY \d+ of example\.com has another digest .*put the DS record of a published key/,
    true,
  ],
  [
    'the same, and the resolver agrees',
    seen(bogus),
    otherKey,
    'failed',
    /the resolver 192\.0\.2\.53:53 answers SERVFAIL unless it is told not to check \(EDE 9 DNSKEY missing\); put/,
    true,
  ],
  [
    'the same, and the resolver has not noticed yet',
    seen(validated),
    otherKey,
    'warning',
    /still takes its answers/,
    true,
  ],
  ['no signature', seen(), anchored, 'failed', /^the DNSKEY set of example\.com has no signature/, true],
  ['an algorithm that is not used any more', seen(), old, 'ok', /^example\.com is not signed: .*too old/, false],
  ['the same, and the resolver refuses it', seen(bogus), old, 'failed', /answers SERVFAIL unless.*although/, true],
  [
    'no anchor above it',
    seen({ path: [{ zone: toDnsName('corp'), dnskeys }] }),
    anchored,
    'unknown',
    /no trusted key is known for corp/,
    false,
  ],
  [
    'no anchor above it, but the resolver validates',
    seen({ ...validated, path: [] }),
    anchored,
    'ok',
    /the resolver 192\.0\.2\.53:53 validates example\.com/,
    false,
  ],
  [
    'no anchor above it, and the resolver finds it bogus',
    seen({ ...bogus, path: [] }),
    anchored,
    'failed',
    /DNSSEC of example\.com is broken/,
    true,
  ],
  ['nothing answers anybody', seen({ ...down, path: [] }), anchored, 'unknown', /could not be followed/, false],
  [
    'the root is out of reach',
    seen({ path: [{ zone: root, dnskeys: { problem: 'DNSKEY of the root: no answer' } }] }),
    [{ ...anchored[0], zone: root }] as typeof anchored,
    'unknown',
    /DNSKEY of the root: no answer$/,
    false,
  ],
])('%s', (_title, observation, anchors, result, detail, certain) => {
  expect(judgeDnssec(observation, anchors, now)).toMatchObject({
    result,
    detail: expect.stringMatching(detail),
    facts: { certain },
  });
});
