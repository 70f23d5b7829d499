import { type Manner, toRecord } from '../scripted/index.ts';
import * as manners from '../scripted/manners.ts';
import { type SelfCheckCase, visibleAt, visibleBut } from './case.ts';
import { type CaseWorld, type Member, member } from './world.ts';

/** Name servers that lag, fail or answer strangely. */
export const serverCases: readonly SelfCheckCase[] = [
  {
    title: 'all is well',
    stands: 'three name servers with four addresses, one of them IPv6',
    asked: 'every address, and once more a second after the last of them showed the value',
    verdict: 'visible',
    sentence: visibleAt('4 of 4'),
    atMost: { queries: 24, ms: 1500 },
    set: (world) => threeServers(world),
  },
  {
    title: 'secondaries lag by seconds',
    stands: 'four name servers; three get the zone 2, 5 and 9 s after the first',
    asked: 'each until it has the value, none of them again before the confirmation',
    verdict: 'visible',
    sentence: visibleAt('4 of 4'),
    notBeforeMs: 9000,
    atMost: { queries: 71, ms: 2500 },
    set: (world) =>
      serve(world, [
        member('ns1', '192.0.2.1'),
        member('ns2', '192.0.2.2', { showsAfterMs: 2000 }),
        member('ns3', '192.0.2.3', { showsAfterMs: 5000 }),
        member('ns4', '192.0.2.4', { showsAfterMs: 9000 }),
      ]),
  },
  {
    title: 'a zone transfer that does not come',
    stands: 'three name servers; the third keeps serial 7 while the others have 9',
    asked: 'the third every second; after six looks every server for its serial',
    verdict: 'missing',
    sentence:
      '1 of 3 authoritative servers of example.com lacks the value at _acme-challenge.www.example.com ' +
      '(ns3.example.com 192.0.2.3, udp, … ms, NXDOMAIN); ns3.example.com still serves serial 7 while others have 9: ' +
      "its zone transfer is late; look at NOTIFY and transfers there if this lasts beyond the zone's SOA refresh (3600 s)",
    atMost: { queries: 30, ms: 3000 },
    set: (world) =>
      serve(world, [
        member('ns1', '192.0.2.1', { serials: [7, 9] }),
        member('ns2', '192.0.2.2', { serials: [7, 9] }),
        member('ns3', '192.0.2.3', { showsAfterMs: undefined }),
      ]),
  },
  {
    title: 'a server with another copy of the zone',
    stands: 'three name servers of one serial; the third never gets the value',
    asked: 'as above',
    verdict: 'missing',
    sentence:
      '1 of 3 authoritative servers of example.com lacks the value at _acme-challenge.www.example.com ' +
      '(ns3.example.com 192.0.2.3, udp, … ms, NXDOMAIN); ns3.example.com serves serial 7 like the others but not the ' +
      'value: it serves another copy of the zone; compare its zone with that of the others',
    atMost: { queries: 31, ms: 3000 },
    set: (world) =>
      serve(world, [
        member('ns1', '192.0.2.1', { serials: [7, 7] }),
        member('ns2', '192.0.2.2', { serials: [7, 7] }),
        member('ns3', '192.0.2.3', { showsAfterMs: undefined }),
      ]),
  },
  {
    title: 'written to the wrong zone',
    stands: 'two name servers; neither ever gets the value',
    asked: 'both',
    verdict: 'missing',
    sentence:
      '2 of 2 authoritative servers of example.com lack the value at _acme-challenge.www.example.com (…); if this ' +
      "lasts beyond the zone's SOA refresh (3600 s), check that the zone example.com that the provider writes to is the " +
      'one these servers serve',
    atMost: { queries: 21, ms: 2000 },
    set: (world) =>
      serve(world, [
        member('ns1', '192.0.2.1', { showsAfterMs: undefined }),
        member('ns2', '192.0.2.2', { showsAfterMs: undefined }),
      ]),
  },
  {
    title: 'one address with two sites behind it',
    stands:
      'two name servers; the second is anycast, and for 6 s every other answer comes from a site without the value',
    asked: 'the confirmation round finds the other site; in doubt it comes after two seconds instead of one',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 39, ms: 2500 },
    notBeforeMs: 6000,
    set: (world) => {
      let turn = 0;
      return serve(world, [
        member('ns1', '192.0.2.1'),
        member('ns2', '192.0.2.2', {
          manner: ({ type }, usual) => {
            const known = world.published();
            if (type !== 'TXT' || known === undefined || world.now() > known.at + 6000) return {};
            return turn++ % 2 === 0 ? usual : { answers: [] };
          },
        }),
      ]);
    },
  },
  {
    title: 'one server is lame',
    stands: 'three name servers; the third answers for the zone without authority',
    asked: 'all three',
    verdict: 'visible',
    sentence: visibleBut('2 of 3', 'ns3.example.com 192.0.2.3, udp, … ms, NOERROR, it answers without authority'),
    atMost: { queries: 24, ms: 1500 },
    set: (world) => threeWith(world, { manner: manners.lacksAuthority }),
  },
  {
    title: 'one server refuses',
    stands: 'three name servers; the third answers REFUSED',
    asked: 'all three',
    verdict: 'visible',
    sentence: visibleBut('2 of 3', 'ns3.example.com 192.0.2.3, udp, … ms, REFUSED, it answers REFUSED'),
    atMost: { queries: 25, ms: 1500 },
    set: (world) => threeWith(world, { manner: manners.refuses }),
  },
  {
    title: 'one server is silent',
    stands: 'three name servers; nothing comes from the third, neither over UDP nor over TCP',
    asked: 'all three; the silent one with one short question every 2 s',
    verdict: 'visible',
    sentence: visibleBut('2 of 3', 'ns3.example.com 192.0.2.3, tcp, … udp: no answer to … queries'),
    tryMs: 200,
    atMost: { queries: 25, ms: 3000 },
    set: (world) => threeWith(world, { manner: manners.silent }),
  },
  {
    title: 'most servers are silent',
    stands: 'three name servers; the second and the third are silent',
    asked: 'all three',
    verdict: 'unreachable',
    sentence:
      'only 1 of 3 authoritative servers of example.com can be seen to have the value at _acme-challenge.www.example.com ' +
      '(…); check that this machine reaches port 53 of these servers over UDP and TCP',
    tryMs: 200,
    forTheCa: { finds: undefined, because: 'from here nobody can tell what the silent ones show to others' },
    atMost: { queries: 22, ms: 3000 },
    set: (world) =>
      serve(world, [
        member('ns1', '192.0.2.1'),
        member('ns2', '192.0.2.2', { manner: manners.silent }),
        member('ns3', '192.0.2.3', { manner: manners.silent }),
      ]),
  },
  {
    title: 'a name server without an address',
    stands: 'two name servers, and a third in the NS records that has neither A nor AAAA record',
    asked: 'two, and the resolver for the addresses of the third',
    verdict: 'visible',
    sentence: visibleBut('2 of 3', 'ns3.example.net, no address is known for it'),
    atMost: { queries: 19, ms: 1500 },
    set: async (world) => {
      await serve(world, [member('ns1', '192.0.2.1'), member('ns2', '192.0.2.2'), member('ns3.example.net', [])]);
    },
  },
  {
    title: 'truncated answers',
    stands: 'two name servers that cut every answer over UDP (TC)',
    asked: 'both over UDP, then over TCP',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 22, ms: 1500 },
    set: (world) => twoThat(world, manners.truncates),
    also: ({ net }) =>
      net.servers.some(({ queries }) => queries.some(({ transport }) => transport === 'tcp'))
        ? undefined
        : 'nobody was asked over TCP',
  },
  {
    title: 'a server that knows no EDNS',
    stands: 'two name servers that answer FORMERR to EDNS (RFC 6891 7)',
    asked: 'both with EDNS, then without',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 22, ms: 1500 },
    set: (world) => twoThat(world, manners.refusesEdns),
  },
  {
    title: 'EDNS is dropped on the way',
    stands: 'two name servers behind a firewall that drops datagrams with EDNS; TCP passes',
    asked: 'both over UDP, then over TCP',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    tryMs: 200,
    atMost: { queries: 31, ms: 3500 },
    set: (world) => twoThat(world, manners.dropsEdns),
  },
  {
    title: 'names come back in lower case',
    stands: 'two name servers that do not keep the letter case of the question (0x20)',
    asked: 'both over UDP, then over TCP',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 22, ms: 1500 },
    set: (world) => twoThat(world, manners.lowersCase),
  },
  {
    title: 'forgeries with other ids',
    stands:
      'two name servers that lack the value; before each answer come 200 forged ones that have it, with other ids',
    asked: 'both; what has another id is dropped (RFC 5452)',
    verdict: 'missing',
    sentence: '2 of 2 authoritative servers of example.com lack the value at _acme-challenge.www.example.com…',
    atMost: { queries: 19, ms: 2500 },
    set: (world) =>
      twoThatLack(
        world,
        manners.floodsWrongIds(200, () => wantedRecords(world)),
      ),
  },
  {
    title: 'forgeries from another address',
    stands:
      'two name servers that lack the value; somebody else answers first, with the right id and the value, 50 times',
    asked: 'both; what comes from another address is never read',
    verdict: 'missing',
    sentence: '2 of 2 authoritative servers of example.com lack the value at _acme-challenge.www.example.com…',
    atMost: { queries: 21, ms: 2500 },
    set: (world) =>
      twoThatLack(
        world,
        manners.isSpoofedFrom('127.66.6.6', 50, () => wantedRecords(world)),
      ),
  },
  {
    title: 'a forger who guessed the id',
    stands: 'two name servers that lack the value; a forger at their address knows the id but not the letter case',
    asked: 'both over UDP, and over TCP where the letter case is wrong',
    verdict: 'missing',
    sentence: '2 of 2 authoritative servers of example.com lack the value at _acme-challenge.www.example.com…',
    atMost: { queries: 32, ms: 2500 },
    set: (world) =>
      twoThatLack(
        world,
        manners.isSpoofedInLowerCase(() => wantedRecords(world)),
      ),
  },
];

async function serve(world: CaseWorld, members: readonly Member[]): Promise<void> {
  await world.zone('example.com', members, ['www.example.com', 'A', '192.0.2.80']);
}

function threeServers(world: CaseWorld): Promise<void> {
  return serve(world, [
    member('ns1', '192.0.2.1'),
    member('ns2', ['192.0.2.2', '2001:db8::2']),
    member('ns3', '192.0.2.3'),
  ]);
}

function threeWith(world: CaseWorld, third: Partial<Member>): Promise<void> {
  return serve(world, [member('ns1', '192.0.2.1'), member('ns2', '192.0.2.2'), member('ns3', '192.0.2.3', third)]);
}

function twoThat(world: CaseWorld, manner: Manner): Promise<void> {
  return serve(world, [member('ns1', '192.0.2.1', { manner }), member('ns2', '192.0.2.2', { manner })]);
}

function twoThatLack(world: CaseWorld, manner: Manner): Promise<void> {
  const how = { manner, showsAfterMs: undefined };
  return serve(world, [member('ns1', '192.0.2.1', how), member('ns2', '192.0.2.2', how)]);
}

/** What a forger would have us see. */
function wantedRecords(world: CaseWorld) {
  return (world.published()?.values ?? []).map((value) => toRecord([world.challenge, 'TXT', value]));
}
