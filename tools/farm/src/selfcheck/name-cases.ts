import type { RecordLine } from '../scripted/index.ts';
import { type SelfCheckCase, visibleAt } from './case.ts';
import { type CaseWorld, type Member, member } from './world.ts';

const challenge = '_acme-challenge.www.example.com';
const never = { showsAfterMs: undefined };

/** Names that lead elsewhere, and names that seem to. */
export const nameCases: readonly SelfCheckCase[] = [
  {
    title: 'ten CNAMEs',
    stands: 'the challenge name leads to another zone over ten CNAMEs, from one zone to the other and back',
    asked: 'the servers of both zones, for the TXT of each name on the way; then those of the last zone for the value',
    verdict: 'visible',
    sentence: visibleAt('2 of 2', 'end.example.net', 'example.net'),
    atMost: { queries: 36, ms: 2000 },
    set: (world) => twoZones(world, 'end.example.net', chainOf(9, 'end.example.net')),
  },
  {
    title: 'eleven CNAMEs',
    stands: 'one more than a CA may be expected to follow',
    asked: 'the servers of both zones',
    verdict: 'cname-loop',
    sentence: `the CNAME chain ${challenge} -> c1.example.net -> … is longer than 10 aliases; correct the CNAME of ${challenge}`,
    forTheCa: { finds: undefined, because: 'resolvers give up after 8 to 12 CNAMEs' },
    atMost: { queries: 30, ms: 2000 },
    set: (world) => twoZones(world, 'end.example.net', chainOf(10, 'end.example.net')),
  },
  {
    title: 'a CNAME loop over two zones',
    stands: 'the challenge name is a CNAME to another zone, which leads back',
    asked: 'each zone once',
    verdict: 'cname-loop',
    sentence:
      `the CNAME chain ${challenge} -> back.example.net -> ${challenge} leads back to itself; ` +
      `correct the CNAME of ${challenge}`,
    atMost: { queries: 19, ms: 1500 },
    set: (world) =>
      twoZones(world, 'end.example.net', [
        [challenge, 'CNAME', 'back.example.net'],
        ['back.example.net', 'CNAME', challenge],
      ]),
  },
  {
    title: 'a CNAME to a domain that does not exist',
    stands: 'the challenge name is a CNAME to uuid.auth.exmaple.net, where nobody has registered the domain',
    asked: 'the zone of the CNAME, and the resolver for the domain it leads to',
    verdict: 'cname-dangling',
    sentence:
      `${challenge} is a CNAME to uuid.auth.exmaple.net, and there it ends: no zone holds uuid.auth.exmaple.net: the ` +
      'name servers to start from know none (exmaple.net: NXDOMAIN from 192.0.2.53:53…); check the spelling, that the ' +
      `domain is registered, and its delegation. Or correct the CNAME of ${challenge}`,
    atMost: { queries: 14, ms: 1500 },
    set: (world) => exampleCom(world, [[challenge, 'CNAME', 'uuid.auth.exmaple.net']]),
  },
  {
    title: 'a DNAME',
    stands: 'the challenge name is a CNAME below a DNAME, which moves the whole tree to another zone',
    asked: 'both zones; the value belongs where the DNAME leads to',
    verdict: 'visible',
    sentence: visibleAt('2 of 2', 'www.here.example.net', 'example.net'),
    atMost: { queries: 26, ms: 1500 },
    set: (world) =>
      twoZones(world, 'www.here.example.net', [
        [challenge, 'CNAME', 'www.dcv.example.com'],
        ['dcv.example.com', 'DNAME', 'here.example.net'],
      ]),
  },
  {
    title: 'a wildcard CNAME',
    stands: '*.example.com is a CNAME to a CDN and so, as long as nothing stands there, is every challenge name below',
    asked: 'a sibling that nobody has made shows the wildcard; it is not followed, since the value will hide it',
    domain: 'shop.example.com',
    verdict: 'visible',
    sentence: visibleAt('2 of 2', '_acme-challenge.shop.example.com'),
    notBeforeMs: 3000,
    atMost: { queries: 24, ms: 1500 },
    set: (world) =>
      exampleCom(world, [['*.example.com', 'CNAME', 'lb.cdn.example.org']], { ns2: { showsAfterMs: 3000 } }),
  },
  {
    title: 'a wildcard CNAME that stays',
    stands: 'the same, and the value never comes',
    asked: 'both servers',
    domain: 'shop.example.com',
    verdict: 'missing',
    sentence:
      '2 of 2 authoritative servers of example.com lack the value at _acme-challenge.shop.example.com (…it has a CNAME ' +
      'to lb.cdn.example.org there…); a CNAME hides the value there: remove it, or wait until its removal or our value ' +
      'has reached every server',
    atMost: { queries: 22, ms: 1500 },
    set: (world) => exampleCom(world, [['*.example.com', 'CNAME', 'lb.cdn.example.org']], { ns1: never, ns2: never }),
  },
  {
    title: 'a wildcard CNAME with a delegation beside it',
    stands: 'a wildcard CNAME, and an explicit CNAME of the challenge name to another zone',
    asked: 'the explicit one is followed',
    verdict: 'visible',
    sentence: visibleAt('2 of 2', 'end.example.net', 'example.net'),
    atMost: { queries: 25, ms: 1500 },
    set: (world) =>
      twoZones(world, 'end.example.net', [
        ['*.example.com', 'CNAME', 'lb.cdn.example.org'],
        [challenge, 'CNAME', 'end.example.net'],
      ]),
  },
  {
    title: 'a delegated child',
    stands: 'www.example.com is a zone of its own on other servers; its parent has old values at the challenge name',
    asked: "the child's servers, those that the child names and those that the parent names",
    verdict: 'visible',
    sentence: visibleAt('2 of 2', challenge, 'www.example.com'),
    atMost: { queries: 24, ms: 1500 },
    set: async (world) => {
      await exampleCom(
        world,
        [
          ['www.example.com', 'NS', 'ns1.www.example.com'],
          ['ns1.www.example.com', 'A', '198.51.100.1'],
          [challenge, 'TXT', 'old'],
        ],
        { ns1: never, ns2: never },
      );
      await world.zone('www.example.com', [member('ns1', '198.51.100.1'), member('ns2', '198.51.100.2')]);
    },
  },
  {
    title: 'a child on the servers of its parent',
    stands: 'www.example.com is a zone of its own on the same servers, so that no referral ever names it',
    asked: 'a name below that nobody has made: its SOA tells the zone',
    verdict: 'visible',
    sentence: visibleAt('2 of 2', challenge, 'www.example.com'),
    atMost: { queries: 22, ms: 1500 },
    set: async (world) => {
      const members = [member('ns1.example.com', '192.0.2.1'), member('ns2.example.com', '192.0.2.2')];
      await world.zones([
        [
          'example.com',
          [member('ns1', '192.0.2.1', never), member('ns2', '192.0.2.2', never)],
          [
            ['www.example.com', 'NS', 'ns1.example.com'],
            ['www.example.com', 'NS', 'ns2.example.com'],
          ],
        ],
        ['www.example.com', members, []],
      ]);
    },
  },
  {
    title: 'the challenge name is a zone',
    stands: `${challenge} itself is delegated to another server`,
    asked: 'that server, for TXT only',
    verdict: 'visible',
    sentence: visibleAt('1 of 1', challenge, challenge),
    atMost: { queries: 15, ms: 1500 },
    set: async (world) => {
      await exampleCom(
        world,
        [
          [challenge, 'NS', 'ns.dcv.example.com'],
          ['ns.dcv.example.com', 'A', '198.51.100.1'],
        ],
        { ns1: never, ns2: never },
      );
      await world.zone(challenge, [member('ns.dcv.example.com', '198.51.100.1')]);
    },
  },
  {
    title: 'acme-dns',
    stands:
      'the challenge name is a CNAME to a leaf at acme-dns, one server that answers NXDOMAIN there to everything but TXT',
    asked: 'at the leaf nothing but TXT, of nobody but acme-dns',
    verdict: 'visible',
    sentence: visibleAt('1 of 1', acmednsLeaf(), 'auth.example.org'),
    atMost: { queries: 25, ms: 1500 },
    set: acmedns,
    also: ({ net }) => {
      const others = net.servers.flatMap(({ queries }) =>
        queries.filter(({ name, type }) => name === acmednsLeaf() && type !== 'TXT'),
      );
      return others.length === 0 ? undefined : `the leaf was asked for ${others[0]?.type}`;
    },
  },
];

function acmednsLeaf(): string {
  return 'd420c923-bbd7-4056-ab64-c3ca54c9b3cf.auth.example.org';
}

async function acmedns(world: CaseWorld): Promise<void> {
  await exampleCom(world, [[challenge, 'CNAME', acmednsLeaf()]]);
  await world.zone(
    'example.org',
    [member('ns1', '198.51.100.1', never)],
    ['auth.example.org', 'NS', 'auth.example.org'],
    ['auth.example.org', 'A', '198.51.100.9'],
  );
  await world.zone('auth.example.org', [
    member('auth.example.org', '198.51.100.9', {
      at: acmednsLeaf(),
      manner: ({ name, type }) =>
        name === acmednsLeaf() && type !== 'TXT' ? { rcode: 'NXDOMAIN', answers: [], authorities: [] } : {},
    }),
  ]);
}

async function exampleCom(
  world: CaseWorld,
  records: readonly RecordLine[],
  more: { readonly ns1?: Partial<Member>; readonly ns2?: Partial<Member> } = {},
): Promise<void> {
  await world.zone(
    'example.com',
    [member('ns1', '192.0.2.1', more.ns1), member('ns2', '192.0.2.2', more.ns2)],
    ...records,
  );
}

/** example.com and example.net on two servers each; the value is shown at `end` in the second. */
async function twoZones(world: CaseWorld, end: string, records: readonly RecordLine[]): Promise<void> {
  const within = (apex: string) => records.filter(([name]) => name === apex || name.endsWith(`.${apex}`));
  await exampleCom(world, within('example.com'), { ns1: never, ns2: never });
  await world.zone(
    'example.net',
    [member('ns1', '198.51.100.1', { at: end }), member('ns2', '198.51.100.2', { at: end })],
    ...within('example.net'),
  );
}

/** The challenge name, then `hops` more aliases in turn in both zones, then `end`. */
function chainOf(hops: number, end: string): RecordLine[] {
  const names = Array.from({ length: hops }, (_, i) => `c${i + 1}.example.${i % 2 === 0 ? 'net' : 'com'}`);
  const all = [challenge, ...names, end];
  return all.slice(0, -1).map((name, i): RecordLine => [name, 'CNAME', all[i + 1] as string]);
}
