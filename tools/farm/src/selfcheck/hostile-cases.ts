import { randomBytes } from 'node:crypto';
import { encodeMessage } from '@zoneproof/dns';
import { type Manner, type RecordLine, type Reply, toRecord } from '../scripted/index.ts';
import { garbles } from '../scripted/manners.ts';
import { encodeAnswer, type Query } from '../scripted/server.ts';
import { type SelfCheckCase, visibleAt, visibleBut } from './case.ts';
import { type CaseWorld, type Member, member } from './world.ts';

const challenge = '_acme-challenge.www.example.com';
const never = { showsAfterMs: undefined };

/** Servers that would have us ask for ever, or choke. */
export const hostileCases: readonly SelfCheckCase[] = [
  {
    title: 'a huge answer',
    stands: 'the value stands among 550 others, in an answer of 60 KiB over TCP',
    asked: 'both servers over UDP, then over TCP',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 24, ms: 3000 },
    set: (world) =>
      twoServers(
        world,
        {},
        Array.from({ length: 550 }, (_, i): RecordLine => [challenge, 'TXT', `${i}${'x'.repeat(60)}`]),
      ),
  },
  {
    title: 'huge datagrams',
    stands: 'before each answer over UDP the second server sends datagrams of 60 KiB that are no answers',
    asked: 'both; what is no answer is dropped',
    verdict: 'visible',
    sentence: visibleAt('2 of 2'),
    atMost: { queries: 16, ms: 2000 },
    set: (world) => twoServers(world, { manner: beforeTheAnswer(() => [randomBytes(60_000), randomBytes(60_000)]) }),
  },
  {
    title: 'a stream that never ends',
    stands: 'the second server cuts its answers over UDP, and over TCP sends one octet of 65,535 and no more',
    asked: 'both, for the time of one try',
    verdict: 'visible',
    sentence: visibleBut(
      '1 of 2',
      'ns2.example.com 192.0.2.2, tcp, no answer within … ms; udp: its answer is cut (TC)',
    ),
    tryMs: 300,
    atMost: { queries: 19, ms: 4000 },
    set: (world) =>
      twoServers(world, {
        manner: ({ transport }) => {
          if (transport === 'udp') return { tc: true, answers: [], authorities: [] };
          return { octets: [Buffer.from([255, 255, 0])], unframed: true };
        },
      }),
  },
  {
    title: 'malformed messages',
    stands: 'the second server answers with names that point at themselves, counts that lie, and noise',
    asked: 'both; the second over UDP and TCP',
    verdict: 'visible',
    sentence: visibleBut(
      '1 of 2',
      'ns2.example.com 192.0.2.2, tcp, not a DNS message: …; udp: no answer to … queries (…)',
    ),
    tryMs: 200,
    atMost: { queries: 20, ms: 3000 },
    set: (world) => twoServers(world, { manner: garbles(malformed) }),
  },
  {
    title: 'delegations without end',
    stands: 'each of 18 labels of the name is a zone of its own, each further down',
    asked: '64 questions, and no more',
    domain: Array.from({ length: 18 }, (_, i) => `l${i}`)
      .join('.')
      .concat('.example.com'),
    verdict: 'unreachable',
    sentence:
      'finding the zone of _acme-challenge.l0.….example.com took more than 64 questions; check the delegations towards ' +
      'it and the addresses of its name servers',
    atMost: { queries: 64, ms: 2000 },
    set: async (world) => {
      let depth = 3;
      const manner: Manner = ({ name, type }) => {
        if (type !== 'TXT' || !name.startsWith('_acme')) return {};
        const zone = name.split('.').slice(-depth++).join('.');
        return {
          aa: false,
          rcode: 'NOERROR',
          answers: [],
          authorities: [toRecord([zone, 'NS', 'ns1.example.com'])],
        };
      };
      await twoServers(world, { manner }, [], { manner });
    },
  },
  {
    title: 'a delegation to many names without addresses',
    stands: 'www.example.com is delegated to 60 names, of which none has an address (NXNS)',
    asked: 'sixteen of them',
    verdict: 'unreachable',
    sentence:
      'no address is known for the name servers of www.example.com (…), asked at 192.0.2.53:53; check their A and AAAA records',
    atMost: { queries: 51, ms: 2000 },
    set: (world) =>
      twoServers(
        world,
        {},
        Array.from({ length: 60 }, (_, i): RecordLine => ['www.example.com', 'NS', `ns${i}.victim.example.org`]),
      ),
  },
  {
    title: 'CNAMEs without end',
    stands: 'each name is a CNAME to one that was never there before',
    asked: 'ten of them',
    verdict: 'cname-loop',
    sentence: `the CNAME chain ${challenge} -> … is longer than 10 aliases; correct the CNAME of ${challenge}`,
    atMost: { queries: 24, ms: 2000 },
    set: (world) => {
      let made = 0;
      const manner: Manner = ({ name, type }) =>
        type === 'TXT'
          ? { rcode: 'NOERROR', answers: [toRecord([name, 'CNAME', `n${made++}.example.com`])], authorities: [] }
          : {};
      return twoServers(world, { manner }, [], { manner });
    },
  },
  {
    title: 'referrals up and sideways',
    stands: 'the first server refers to the root, the second to the zone itself, the third to another zone',
    asked: 'each once; none of that is a referral towards the name',
    verdict: 'unreachable',
    sentence:
      `no authoritative server of example.com can be asked for ${challenge} (…it answers without authority…); correct ` +
      'the NS records of example.com at its parent, or let these servers serve it',
    atMost: { queries: 15, ms: 2000 },
    set: async (world) => {
      const to =
        (apex: string): Manner =>
        ({ type }) =>
          type === 'TXT'
            ? { rcode: 'NOERROR', aa: false, answers: [], authorities: [toRecord([apex, 'NS', 'ns1.example.com'])] }
            : {};
      await world.zone('example.com', [
        member('ns1', '192.0.2.1', { manner: to('') }),
        member('ns2', '192.0.2.2', { manner: to('example.com') }),
        member('ns3', '192.0.2.3', { manner: to('example.net') }),
      ]);
    },
  },
  {
    title: 'glue of somebody else',
    stands: 'the delegation of www.example.com names ns.example.net, with an address of a forger beside it',
    asked: 'the resolver for the address of ns.example.net; the forger never',
    verdict: 'visible',
    sentence: visibleAt('1 of 1', challenge, 'www.example.com'),
    atMost: { queries: 21, ms: 1500 },
    set: async (world) => {
      const forger = await world.net.serve('203.0.113.6');
      forger.manner = ({ name }) => ({ rcode: 'NOERROR', aa: true, answers: [toRecord([name, 'TXT', 'forged'])] });
      const manner: Manner = (_query, usual) => ({
        additionals: usual.authorities.some(({ name }) => name === 'www.example.com')
          ? [toRecord(['ns.example.net', 'A', '203.0.113.6'])]
          : usual.additionals,
      });
      const delegation: RecordLine = ['www.example.com', 'NS', 'ns.example.net'];
      await twoServers(world, { manner, ...never }, [delegation], { manner, ...never });
      await world.zone('example.net', [member('ns1', '198.51.100.2', never)], ['ns.example.net', 'A', '198.51.100.1']);
      await world.zone('www.example.com', [member('ns.example.net', '198.51.100.1')]);
    },
    also: ({ net }) =>
      net.servers.find(({ address }) => address === '203.0.113.6')?.queries.length === 0
        ? undefined
        : 'the forger was asked',
  },
];

async function twoServers(
  world: CaseWorld,
  second: Partial<Member>,
  records: readonly RecordLine[] = [],
  first: Partial<Member> = {},
): Promise<void> {
  await world.zone('example.com', [member('ns1', '192.0.2.1', first), member('ns2', '192.0.2.2', second)], ...records);
}

/** Octets first, and then the answer. Over UDP only. */
function beforeTheAnswer(octets: () => readonly Uint8Array[]): Manner {
  return ({ message, transport }, usual): Reply =>
    transport === 'tcp' ? {} : { octets: [...octets(), encodeAnswer(message, usual, transport)] };
}

let turn = 0;

/** With the right id each time, so that it has to be read. */
function malformed({ message: { id, questions } }: Query): Uint8Array {
  const whole = Buffer.from(encodeMessage({ id, questions, response: true, aa: true }));
  switch (turn++ % 4) {
    case 0:
      // A name that is a pointer to itself.
      return Buffer.concat([whole.subarray(0, 12), Buffer.from([0xc0, 12, 0, 16, 0, 1])]);
    case 1:
      // 65,535 answers, of which none is there.
      whole.writeUInt16BE(0xffff, 6);
      return whole;
    case 2:
      return Buffer.concat([whole.subarray(0, 2), randomBytes(40)]);
    default:
      return whole.subarray(0, 9);
  }
}
