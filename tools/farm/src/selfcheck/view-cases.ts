import { silent } from '../scripted/manners.ts';
import { type SelfCheckCase, visibleAt } from './case.ts';
import { type CaseWorld, type Member, member } from './world.ts';

const challenge = '_acme-challenge.www.example.com';
const never = { showsAfterMs: undefined };

/** Who can be asked, and what the one who is asked knows. */
export const viewCases: readonly SelfCheckCase[] = [
  {
    title: 'a resolver that keeps denials',
    stands: 'two name servers; the second gets the value after 20 s; the resolver keeps a denial for an hour',
    asked: 'the resolver for the zone and the addresses only, never for the challenge name: nothing is planted in it',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    notBeforeMs: 20_000,
    speed: 40,
    atMost: { queries: 47, ms: 2500 },
    set: (world) => twoServers(world, { showsAfterMs: 20_000 }, 3600),
  },
  {
    title: 'a resolver that is asked last',
    stands: 'the same, and the resolver is listed to be asked once the authoritative servers agree',
    asked: 'the resolver for the challenge name, after 20 s, when it finds the value',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    notBeforeMs: 20_000,
    speed: 40,
    atMost: { queries: 49, ms: 2500 },
    set: async (world) => {
      await twoServers(world, { showsAfterMs: 20_000 }, 3600);
      world.lastResolvers = world.listed;
    },
  },
  {
    title: 'somebody else has asked the resolver too early',
    stands: 'the value is on both servers, and a resolver that is asked last keeps an older denial for an hour',
    asked: 'the resolver last; it is not asked more often than every ten seconds',
    verdict: 'missing',
    sentence:
      `${visibleAt('2 of 2')}; of the resolvers that are asked last, 192.0.2.53:53 lacks it: nothing to do unless this ` +
      'lasts beyond the negative TTL of the zone',
    atMost: { queries: 19, ms: 1500 },
    plants: 1,
    notForLego: 'it has no resolvers that are asked last',
    set: async (world) => {
      await twoServers(world, {}, 3600);
      world.lastResolvers = world.listed;
      await world.askEarly();
    },
  },
  {
    title: 'split horizon: the listed resolver sees the inner view',
    stands: 'the value is on the public servers; the resolver knows an inner zone of the same name at 10.0.0.1 only',
    asked: 'the inner servers, and the sentence says why that is no use',
    verdict: 'missing',
    sentence:
      `2 of 2 authoritative servers of example.com lack the value at ${challenge} (…); these are inner addresses, and ` +
      'the CA asks the servers of the public DNS: unless they are the same, list public name servers in ' +
      '--dns01-self-check-nameservers or selfCheck.nameservers (split view)',
    forTheCa: { finds: true, because: 'it asks the public servers' },
    atMost: { queries: 21, ms: 1500 },
    set: async (world) => {
      await twoViews(world);
      world.listed = [{ address: '10.0.0.53', port: 53 }];
    },
  },
  {
    title: 'split horizon: a public resolver is listed',
    stands: 'the same two views, and --dns01-self-check-nameservers names a resolver outside',
    asked: 'the public servers',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 16, ms: 1500 },
    set: async (world) => {
      await twoViews(world);
      world.listed = [{ address: '198.51.100.53', port: 53 }];
    },
  },
  {
    title: 'split horizon: a hidden primary is listed',
    stands:
      'an authoritative server that no NS record names is listed; the value is there at once, at the others after 4 s',
    asked: 'all three: mode auto takes a listed server that is authoritative itself as one more',
    verdict: 'visible',
    sentence: visibleAt('3 of 3'),
    notBeforeMs: 4000,
    atMost: { queries: 39, ms: 1500 },
    set: async (world) => {
      await world.zone(
        'example.com',
        [member('ns1', '192.0.2.1', { showsAfterMs: 4000 }), member('ns2', '192.0.2.2', { showsAfterMs: 4000 })],
        ['www.example.com', 'A', '192.0.2.80'],
      );
      await world.hidden('example.com', '192.0.2.3', 0);
      world.listed = [{ address: '192.0.2.3', port: 53 }, ...world.listed];
    },
  },
  {
    title: 'split horizon: the listed server has another copy',
    stands: 'the value is on the public servers; a listed server is authoritative for an inner copy without it',
    asked: 'all three',
    verdict: 'missing',
    sentence:
      `1 of 3 authoritative servers of example.com lacks the value at ${challenge} (192.0.2.3:53, udp, … ms, NXDOMAIN); ` +
      'the listed server 192.0.2.3:53 serves another copy of the zone than the servers of its NS records: take it off ' +
      'the list, or bring the value there too (split view)',
    forTheCa: { finds: true, because: 'it asks the public servers' },
    atMost: { queries: 20, ms: 1500 },
    set: async (world) => {
      await twoServers(world);
      await world.hidden('example.com', '192.0.2.3', undefined);
      world.listed = [{ address: '192.0.2.3', port: 53 }, ...world.listed];
    },
  },
  {
    title: 'only resolvers can be reached',
    stands: 'a network that drops everything to the authoritative servers; the resolver keeps a denial for 30 s',
    asked: 'the resolver for the value, not before 30 s have passed, so that it finds it',
    verdict: 'visible',
    sentence: `1 of 1 listed server, by resolver only (no authoritative server of example.com answers), has the value at ${challenge}`,
    notBeforeMs: 30_000,
    tryMs: 200,
    speed: 60,
    atMost: { queries: 21, ms: 5000 },
    set: (world) => filtered(world),
  },
  {
    title: 'only resolvers can be reached, and nothing is there',
    stands: 'the same, and the value is never written',
    asked: 'the resolver, after 30 s and then ever more seldom',
    verdict: 'missing',
    sentence:
      '1 of 1 listed server, by resolver only (no authoritative server of example.com answers), lacks the value at ' +
      `${challenge} (192.0.2.53:53, udp, … ms, NXDOMAIN); a ` +
      'resolver keeps a negative answer for the negative TTL of the zone; nothing to do unless this lasts longer',
    tryMs: 200,
    speed: 60,
    plants: 1,
    atMost: { queries: 20, ms: 5000 },
    set: (world) => filtered(world, never),
  },
  {
    title: 'mode authoritative where they cannot be reached',
    stands: 'the same network, and no resolver may stand in',
    asked: 'the authoritative servers and nobody else',
    mode: 'authoritative',
    verdict: 'unreachable',
    sentence:
      `no authoritative server of example.com can be asked for ${challenge} (…); check that this machine reaches port ` +
      '53 over UDP and TCP, and that the delegation is right',
    tryMs: 200,
    atMost: { queries: 16, ms: 3000 },
    notForLego: 'it has no modes',
    set: (world) => filtered(world),
  },
  {
    title: 'mode listed-only',
    stands: 'two name servers and a resolver that keeps a denial for 10 s',
    asked: 'the resolver and nobody else, 10 s after the value was written',
    mode: 'listed-only',
    verdict: 'visible',
    sentence: `1 of 1 listed server, by resolver only (the mode is listed-only), has the value at ${challenge}`,
    notBeforeMs: 10_000,
    atMost: { queries: 7, ms: 2000 },
    notForLego: 'it has no modes',
    set: (world) => twoServers(world, { showsAfterMs: 6000 }, 10),
    also: ({ net }) =>
      net.servers.some(({ zones, queries }) => zones.length > 0 && queries.length > 0)
        ? 'an authoritative server was asked'
        : undefined,
  },
  {
    title: 'IPv6 only',
    stands: 'two name servers and a resolver with IPv6 addresses only',
    asked: 'both over IPv6',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 16, ms: 1500 },
    set: async (world) => {
      await world.zone(
        'example.com',
        [member('ns1', '2001:db8::1'), member('ns2', '2001:db8::2')],
        ['www.example.com', 'A', '192.0.2.80'],
      );
      await world.net.resolve('2001:db8::53');
      world.listed = [{ address: '2001:db8::53', port: 53 }];
    },
  },
  {
    title: 'no way to IPv6',
    stands: 'two name servers with IPv4 and IPv6 addresses, and no way to the IPv6 ones from here',
    asked: 'all four; a name server counts as good with one good address',
    verdict: 'visible',
    sentence:
      `${visibleAt('2 of 4')}; no usable answer from ns1.example.com 2001:db8::1, udp, …; ns2.example.com 2001:db8::2, ` +
      'udp, …, but from their other addresses: nothing to do if only this machine has no way there',
    atMost: { queries: 21, ms: 1500 },
    set: async (world) => {
      const down = { isDown: true };
      for (const address of ['2001:db8::1', '2001:db8::2']) world.net.lead(address, noWay);
      await world.zone(
        'example.com',
        [
          member('ns1', '192.0.2.1'),
          member('ns2', '192.0.2.2'),
          member('ns1', '2001:db8::1', down),
          member('ns2', '2001:db8::2', down),
        ],
        ['www.example.com', 'A', '192.0.2.80'],
      );
    },
  },
  {
    title: 'no resolver answers',
    stands: 'a listed address where nothing listens',
    asked: 'that address',
    verdict: 'unreachable',
    sentence:
      'none of the name servers to start from answers (192.0.2.99:53: …); check that this machine can reach them, or ' +
      'set --dns01-self-check-nameservers',
    forTheCa: { finds: true, because: 'it has resolvers of its own' },
    atMost: { queries: 4, ms: 1000 },
    set: async (world) => {
      await twoServers(world);
      world.listed = [{ address: '192.0.2.99', port: 53 }];
    },
  },
];

/** The broadcast address: no system opens a socket to it unasked. */
const noWay = { address: '255.255.255.255', port: 53 };

async function twoServers(world: CaseWorld, second: Partial<Member> = {}, negativeTtl = 60): Promise<void> {
  world.negativeTtl = negativeTtl;
  await world.zone(
    'example.com',
    [member('ns1', '192.0.2.1'), member('ns2', '192.0.2.2', second)],
    ['www.example.com', 'A', '192.0.2.80'],
  );
}

/** The public zone, and an inner one that never gets the value, each with a resolver that knows nothing of the other. */
async function twoViews(world: CaseWorld): Promise<void> {
  const inner = await world.zone(
    'example.com',
    [member('ns1', '10.0.0.1', never), member('ns2', '10.0.0.2', never)],
    ['www.example.com', 'A', '10.0.0.80'],
  );
  const outer = await world.zone(
    'example.com',
    [member('ns1', '192.0.2.1'), member('ns2', '192.0.2.2')],
    ['www.example.com', 'A', '192.0.2.80'],
  );
  await world.net.resolve('10.0.0.53', inner);
  await world.net.resolve('198.51.100.53', outer);
}

async function filtered(world: CaseWorld, more: Partial<Member> = {}): Promise<void> {
  world.negativeTtl = 30;
  const how = { manner: silent, ...more };
  await world.zone(
    'example.com',
    [member('ns1', '192.0.2.1', how), member('ns2', '192.0.2.2', how)],
    ['www.example.com', 'A', '192.0.2.80'],
  );
}
