import { type DnsName, toDnsName } from '@zoneproof/dns';
import { ProviderError } from '../contract/index.ts';
import { LocateError, type Location } from '../selfcheck/types.ts';
import type { BoundProvider } from '../writer/index.ts';
import { judgeCaaFor } from './caa.ts';
import { type ChallengeObservation, judgeLeftovers, judgeLocation, judgeWildcard } from './challenge-name.ts';
import { judgeDelegation } from './delegation.ts';
import { judgeNegativeTtl } from './negative-ttl.ts';
import type { ServerAnswer, ServerObservation, ZoneObservation } from './observe-zone.ts';
import { judgeProviderZone } from './provider.ts';
import { judgeSerials } from './serials.ts';
import { judgeServers } from './servers.ts';
import { expectVerdict, type Row } from './testing/expect-verdict.ts';

const zone = toDnsName('example.com');
const names = (...texts: string[]): DnsName[] => texts.map(toDnsName);
const both = names('ns1.example.com', 'ns2.example.com');

function answer(serial = 7, soa: { ttl?: number; minimum?: number } = {}): ServerAnswer {
  const { ttl = 60, minimum = 60 } = soa;
  return { rcode: 'NOERROR', rttMs: 1, isAuthoritative: true, soa: { serial, refresh: 3600, minimum, ttl } };
}

const silent: ServerAnswer = { problem: 'no answer within 2000 ms', noWay: false };
const noWay: ServerAnswer = { problem: 'no way to this address from here (ENETUNREACH)', noWay: true };
const refused: ServerAnswer = { rcode: 'REFUSED', rttMs: 1, isAuthoritative: false };

function server(name: string, udp: ServerAnswer = answer(), tcp = udp, nameservers = both): ServerObservation {
  const address = name.endsWith('v6') ? '2001:db8::1' : `192.0.2.${name.charCodeAt(2) - 48}`;
  return { name: toDnsName(`${name.replace('v6', '')}.example.com`), address, udp, tcp, nameservers };
}

function observed(parts: Partial<ZoneObservation> = {}): ZoneObservation {
  return {
    zone,
    parent: { zone: toDnsName('com'), nameservers: both, aa: false },
    servers: [server('ns1'), server('ns2')],
    unresolved: [],
    ...parts,
  };
}

const delegations: readonly Row<ZoneObservation>[] = [
  ['both ends agree', observed(), 'ok', /^com delegates example\.com to ns1\.example\.com, ns2\.example\.com/],
  [
    'the parent names one more',
    observed({ parent: { zone: toDnsName('com'), nameservers: [...both, ...names('old.example.net')], aa: false } }),
    'warning',
    /only com names old\.example\.net/,
  ],
  [
    'the zone names one more',
    observed({ parent: { zone: toDnsName('com'), nameservers: names('ns1.example.com'), aa: false } }),
    'warning',
    /only example\.com itself names ns2\.example\.com/,
  ],
  [
    'nobody delegates it',
    observed({ parent: { zone: toDnsName('com'), nameservers: [], aa: true } }),
    'failed',
    /^com does not delegate example\.com.*register or delegate it there$/,
  ],
  [
    'a private top-level domain',
    observed({ parent: { zone: '' as DnsName, nameservers: [], aa: true } }),
    'ok',
    /below no public top-level domain/,
  ],
  ['the parent is out of reach', observed({ parent: { problem: 'told' } }), 'unknown', /could not be seen: told$/],
  [
    'one server has another copy',
    observed({ servers: [server('ns1'), server('ns2', answer(), answer(), names('ns1.example.com'))] }),
    'warning',
    /^ns2\.example\.com 192\.0\.2\.2 has other NS records/,
  ],
];

test.each(delegations)('delegation: %s', (_title, seen, result, detail) =>
  expectVerdict(judgeDelegation(seen), result, detail),
);

const reachability: readonly Row<ZoneObservation>[] = [
  [
    'all answer',
    observed(),
    'ok',
    /^2 addresses of 2 name servers of example\.com answer with authority over UDP and TCP$/,
  ],
  [
    'no IPv6 from here, and IPv4 of the same server answers',
    observed({ servers: [server('ns1'), server('ns1v6', noWay)] }),
    'ok',
    /1 with no way from here was left out$/,
  ],
  [
    'one is silent',
    observed({ servers: [server('ns1'), server('ns2', silent)] }),
    'warning',
    /ns2\.example\.com 192\.0\.2\.2 does not answer \(no answer within 2000 ms\); check that port 53/,
  ],
  [
    'one is lame',
    observed({ servers: [server('ns1'), server('ns2', refused)] }),
    'warning',
    /ns2\S* \S+ answers REFUSED without authority for the zone; let these servers serve example\.com/,
  ],
  [
    'one has no TCP',
    observed({ servers: [server('ns1'), server('ns2', answer(), silent)] }),
    'warning',
    /ns2\S* \S+ answers over UDP only .*; open port 53 for both/,
  ],
  [
    'UDP is blocked',
    observed({ servers: [server('ns1', silent, answer()), server('ns2', silent, answer())] }),
    'warning',
    /answers over TCP only/,
  ],
  [
    'one has no address',
    observed({ servers: [server('ns1')], unresolved: names('ns2.example.com') }),
    'warning',
    /ns2\.example\.com has no known address/,
  ],
  [
    'two of three are dead, so that the self check could not pass',
    observed({ servers: [server('ns1'), server('ns2', silent), server('ns3', refused)] }),
    'failed',
    /^only 1 of 3 name servers of example\.com answers for it/,
  ],
  ['all are dead', observed({ servers: [server('ns1', silent)] }), 'failed', /^none of 1 name servers/],
];

test.each(reachability)('servers: %s', (_title, seen, result, detail) =>
  expectVerdict(judgeServers(seen), result, detail),
);

const serials: readonly Row<ZoneObservation>[] = [
  ['equal', observed(), 'ok', /have serial 7$/],
  [
    'one behind',
    observed({ servers: [server('ns1', answer(9)), server('ns2', answer(7))] }),
    'warning',
    /^ns2\.example\.com 192\.0\.2\.2 still serves serial 7, 2 behind \(ns1\.example\.com has 9\).*refresh \(3600 s\), its zone transfer is late/,
  ],
  [
    'over the end of the numbers (RFC 1982)',
    observed({ servers: [server('ns1', answer(4294967295)), server('ns2', answer(1))] }),
    'warning',
    /^ns1\S* \S+ still serves serial 4294967295, 2 behind/,
  ],
  ['a lame server has no say', observed({ servers: [server('ns1'), server('ns2', refused)] }), 'ok', /serial 7/],
  ['nobody tells', observed({ servers: [server('ns1', silent)] }), 'skipped', /none tells it/],
];

test.each(serials)('serials: %s', (_title, seen, result, detail) => expectVerdict(judgeSerials(seen), result, detail));

const negativeTtls: readonly Row<ZoneObservation>[] = [
  ['short', observed(), 'ok', /for 60 s at most$/],
  [
    'a day, and the SOA record itself a minute',
    observed({ servers: [server('ns1', answer(1, { ttl: 60, minimum: 86400 }))] }),
    'ok',
    /for 60 s/,
  ],
  ['exactly an hour', observed({ servers: [server('ns1', answer(1, { ttl: 86400, minimum: 3600 }))] }), 'ok', /3600 s/],
  [
    'a day',
    observed({ servers: [server('ns1', answer(1, { ttl: 86400, minimum: 86400 }))] }),
    'warning',
    /for 86400 s .*lower the last number/,
  ],
];

test.each(negativeTtls)('negative TTL: %s', (_title, seen, result, detail) =>
  expectVerdict(judgeNegativeTtl(seen), result, detail),
);

const challenge = toDnsName('_acme-challenge.example.com');
const location: Location = {
  name: challenge,
  chain: [challenge],
  target: challenge,
  zone,
  servers: [{ name: toDnsName('ns1.example.com'), address: '192.0.2.1' }],
};
const chained = (...texts: string[]): Location => ({
  ...location,
  chain: names(...texts),
  target: toDnsName(texts.at(-1) ?? ''),
});

const locations: readonly Row<Location | LocateError>[] = [
  ['plain', location, 'ok', /^the value belongs to _acme-challenge\.example\.com in zone example\.com$/],
  ['one CNAME', chained('_acme-challenge.example.com', 'a.example.com'), 'ok', /leads to a\.example\.com/],
  [
    'many CNAMEs',
    chained('_acme-challenge.example.com', 'a.x', 'b.x', 'c.x', 'd.x'),
    'warning',
    /by 4 CNAMEs \(.*\); point the first at the last$/,
  ],
  ['nowhere', new LocateError('cname-dangling', 'told'), 'failed', /^told$/],
];

test.each(locations)('challenge name: %s', (_title, seen, result, detail) =>
  expectVerdict(judgeLocation(challenge, seen), result, detail),
);

const none = { kind: 'none' } as const;
const challengeSeen = (parts: Partial<ChallengeObservation>): ChallengeObservation => ({
  location,
  there: none,
  sibling: none,
  ...parts,
});

test.each<Row<ChallengeObservation>>([
  ['none', challengeSeen({}), 'ok', /^no wildcard answers/],
  [
    'a CNAME',
    challengeSeen({ sibling: { kind: 'alias', target: toDnsName('lb.example.net') } }),
    'warning',
    /^\*\.example\.com is a CNAME to lb\.example\.net/,
  ],
  [
    'TXT values',
    challengeSeen({ sibling: { kind: 'values', values: ['v=spf1 -all'] } }),
    'ok',
    /a CA reads over them$/,
  ],
  ['out of reach', challengeSeen({ sibling: undefined }), 'unknown', /no server could be asked/],
])('wildcard: %s', (_title, seen, result, detail) => expectVerdict(judgeWildcard(seen), result, detail));

const values = (...texts: string[]) => ({ kind: 'values', values: texts }) as const;

test.each<Row<readonly [ChallengeObservation, boolean]>>([
  ['none', [challengeSeen({}), false], 'ok', /no value/],
  [
    'one of somebody',
    [challengeSeen({ there: values('x\u0007y') }), false],
    'warning',
    /^1 TXT value is at \S+ already \("x\?y"\)/,
  ],
  [
    'those of a wildcard do not count',
    [challengeSeen({ there: values('x'), sibling: values('x') }), false],
    'ok',
    /no value/,
  ],
  ['the two places of acme-dns', [challengeSeen({ there: values('x', 'y') }), true], 'ok', /keeps old ones/],
])('leftovers: %s', (_title, [seen, slots], result, detail) =>
  expectVerdict(judgeLeftovers(seen, slots), result, detail),
);

const provider = { displayName: 'edgedns "prod"' } as BoundProvider;
const held = (name: string) => ({ provider, zone: { id: 'z1', name: toDnsName(name) } });

test.each<Row<Parameters<typeof judgeProviderZone>[1]>>([
  [
    'the one that answers',
    held('example.com'),
    'ok',
    /^edgedns "prod" has zone example\.com \(z1\), the one that answers/,
  ],
  ['a parent of it', held('com'), 'failed', /example\.com is delegated away from it/],
  ['one that nobody delegates', held('deep.example.com'), 'failed', /nobody delegates deep\.example\.com/],
  [
    'another copy of it, at servers that nobody delegates to',
    { provider, zone: { id: 'z1', name: zone, nameServers: names('ns-cloud-a1.googledomains.com') } },
    'warning',
    /\(z1\) at ns-cloud-a1\.googledomains\.com, and in the DNS the zone is served by ns1\.example\.com/,
  ],
  ['served where the provider says', { provider, zone: { id: 'z1', name: zone, nameServers: both } }, 'ok', /has zone/],
  ['an acme-dns account', held('_acme-challenge.example.com'), 'ok', /has zone/],
  [
    'a CNAME is missing',
    { error: new ProviderError({ kind: 'action-required', message: 'create it' }) },
    'failed',
    /^create it$/,
  ],
  ['the service is down', { error: new ProviderError({ kind: 'unavailable', message: 'down' }) }, 'unknown', /^down$/],
])("provider's zone: %s", (_title, route, result, detail) =>
  expectVerdict(judgeProviderZone(location, route), result, detail),
);

const byResolver = {
  servers: [],
  listed: { servers: [{ address: '192.0.2.53', port: 53 }], waitMs: 60_000, reason: 'the mode is listed-only' },
};

test('where the servers of a zone are not known, no other ones are held against the provider', () => {
  const nameServers = names('ns-cloud-a1.googledomains.com');
  const verdict = judgeProviderZone(
    { ...location, ...byResolver },
    { provider, zone: { id: 'z1', name: zone, nameServers } },
  );
  expectVerdict(verdict, 'ok', /the one that answers for/);
});

test('a CNAME that a resolver was asked for is known', () => {
  const led = chained('_acme-challenge.example.com', 'a.example.com');
  expectVerdict(judgeLocation(challenge, { ...led, ...byResolver }), 'ok', /leads to a\.example\.com in zone/);
  expectVerdict(judgeLocation(challenge, { ...location, ...byResolver }), 'unknown', /is not known: the mode is/);
});

const ours = 'https://ca.example/acct/1';

test.each<Row<string>>([
  ['ours', ours, 'ok', /allows it$/],
  [
    'another',
    'https://ca.example/acct/2',
    'failed',
    /; write accounturi=https:\/\/ca\.example\/acct\/1 there, or remove/,
  ],
  ['one in the old form, which may be ours', 'https://ca.example/acme/reg/1', 'warning', /; compare the account URL/],
])('CAA for an account: %s', (_title, named, result, detail) => {
  const seen = { owner: zone, properties: [{ flags: 0, tag: 'issue', value: `ca.example; accounturi=${named}` }] };
  const issuance = { name: zone, wildcard: false, issuers: ['ca.example'], accountUrl: ours };
  expectVerdict(judgeCaaFor(seen, issuance), result, detail);
});
