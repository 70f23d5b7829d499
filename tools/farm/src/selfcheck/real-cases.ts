import { sendUpdate, systemTransport, toDnsName } from '@zoneproof/dns';
import { type NameServer, startBind } from '../bind.ts';
import { startKnot } from '../knot.ts';
import { type SignedZone, type SignOptions, signZone } from '../signed-zone.ts';
import { zoneFile } from '../zone-file.ts';
import { type SelfCheckCase, visibleAt } from './case.ts';
import { type CaseWorld, member } from './world.ts';

/** BIND and Knot. */
export const realCases: readonly SelfCheckCase[] = [
  {
    title: 'BIND and Knot, one after the other',
    stands: 'BIND and Knot serve one zone; BIND takes the value by an UPDATE, Knot 3 s later',
    asked: 'both; BIND is listed, and needs no resolver beside it',
    domain: 'www.example.test',
    verdict: 'visible',
    sentence: visibleAt('2 of 2', '_acme-challenge.www.example.test', 'example.test'),
    notBeforeMs: 3000,
    real: ['bind', 'knot'],
    atMost: { queries: 22, ms: 3000 },
    notForLego: 'the test itself brings the value to these servers',
    set: async (world) => {
      const { bind, knot } = await bindAndKnot(world);
      world.whenPublished(async (values) => {
        await add(world, bind, values);
        world.after(3000, () => add(world, knot, values));
      });
    },
  },
  {
    title: 'BIND and Knot, and one has another copy',
    stands: 'the same, and Knot never gets the value',
    asked: 'both; after six looks for their serials',
    domain: 'www.example.test',
    verdict: 'missing',
    sentence:
      '1 of 2 authoritative servers of example.test lacks the value at _acme-challenge.www.example.test (ns2.example.test ' +
      '192.0.2.2, udp, … ms, NXDOMAIN); ns2.example.test still serves serial 1 while others have 2: its zone transfer is ' +
      "late; look at NOTIFY and transfers there if this lasts beyond the zone's SOA refresh (3600 s)",
    real: ['bind', 'knot'],
    atMost: { queries: 21, ms: 3000 },
    notForLego: 'the test itself brings the value to these servers',
    set: async (world) => {
      const { bind } = await bindAndKnot(world);
      world.whenPublished((values) => add(world, bind, values));
    },
  },
];

const year = 365 * 86_400_000;

/** Zones that BIND signed and serves, their parent too; its key is trusted. */
export const dnssecCases: readonly SelfCheckCase[] = [
  signed({
    title: 'a signed zone',
    stands: 'example.test, signed under its parent test, whose key is trusted',
    verdict: 'ok',
    sentence: 'example.test is signed, and its chain of trust is whole.',
  }),
  signed({
    title: 'expired signatures',
    stands: 'the same; the signatures ended a year ago',
    verdict: 'failed',
    sentence:
      'the signature of the DNSKEY set of example.test expired …; sign the zone again, and see why its signer stopped.',
    options: { from: new Date(Date.now() - 2 * year), until: new Date(Date.now() - year) },
  }),
  signed({
    title: 'a record changed after signing',
    stands: 'the same; the SOA record is another one than was signed',
    verdict: 'failed',
    sentence:
      'the signature of the SOA set of example.test is not one that key … of example.test made over these records (at all servers); ' +
      'sign the zone again, and change its records through the signer only.',
    change: (zone) => ({ ...zone, file: zone.file.replace(/(SOA\s+\S+\s+)hostmaster/, '$1other') }),
  }),
  signed({
    title: 'a DS record of another key',
    stands: 'the parent has the DS record of a key that the zone does not have',
    verdict: 'failed',
    sentence:
      'no DNSKEY of example.test matches the DS record (key tag 4711) at its parent; put the DS record of ' +
      'a published key into the parent (at the registrar), or publish the old key again.',
    change: (zone) => ({ ...zone, ds: [`example.test. DS 4711 13 2 ${'ab'.repeat(32)}`] }),
  }),
  signed({
    title: 'a zone that is not signed any more',
    stands: 'the parent has a DS record, and the zone neither keys nor signatures',
    verdict: 'failed',
    sentence:
      'example.test has no DNSKEY record, and the DS record (key tag …) at its parent says that it is signed; ' +
      'publish the keys of the zone, or remove its DS record from the parent.',
    change: (zone) => ({ ...zone, file: zoneFile({ name: 'example.test' }, serverAddress) }),
  }),
  signed({
    title: 'a zone without a DS record',
    stands: 'the zone is signed, and the parent has no DS record: unsigned for everybody else',
    verdict: 'ok',
    sentence: 'example.test is not signed: test has no DS record for example.test: unsigned as far as the parent says.',
    change: (zone) => ({ ...zone, ds: [] }),
  }),
];

interface SignedCase extends Pick<SelfCheckCase, 'title' | 'stands' | 'verdict' | 'sentence'> {
  readonly options?: SignOptions;
  readonly change?: (zone: SignedZone) => SignedZone;
}

const serverAddress = '192.0.2.1';

function signed({ options = {}, change = (zone) => zone, ...one }: SignedCase): SelfCheckCase {
  return {
    ...one,
    asked: 'the preflight: DS, DNSKEY and SOA with their signatures, from the parent and every server',
    domain: 'example.test',
    judgedBy: 'preflight',
    real: ['bind', 'bind-dnssec'],
    atMost: { queries: 30, ms: 3000 },
    notForLego: 'its check does not look at signatures',
    set: async (world) => {
      const zone = change(await signZone({ name: 'example.test' }, { ...options, address: serverAddress }));
      const delegation = ['example NS ns1.example', `ns1.example A ${serverAddress}`, ...zone.ds];
      const parent = await signZone({ name: 'test', records: delegation }, { address: serverAddress });
      world.anchors = parent.ds;
      // What the resolver knows of the zones; whoever asks the server itself is led to BIND.
      const ns1 = member('ns1.example.test', serverAddress);
      await world.zones([
        ['test', [ns1], []],
        ['example.test', [ns1], []],
      ]);
      await startAt(world, serverAddress, '127.0.0.1', (address) => startBind({ address, zones: [parent, zone] }));
    },
  };
}

async function bindAndKnot(world: CaseWorld): Promise<{ readonly bind: NameServer; readonly knot: NameServer }> {
  const records = ['ns1 A 192.0.2.1', 'ns2 A 192.0.2.2', '@ NS ns2', 'www A 192.0.2.80'];
  const soa = ['$ORIGIN example.test.', '$TTL 60', '@ SOA ns1 hostmaster 1 3600 600 86400 60', '@ NS ns1'];
  const zones = [
    { name: 'example.test', updateFrom: ['127.0.0.1'], keys: [], file: [...soa, ...records, ''].join('\n') },
  ];
  const bind = await startAt(world, '192.0.2.1', '127.0.0.1', (address) => startBind({ address, zones }));
  const knot = await startAt(world, '192.0.2.2', '127.0.2.2', (address) => startKnot({ address, zones }));
  world.listed = [{ address: '192.0.2.1', port: 53 }];
  return { bind, knot };
}

/** BIND listens on addresses of interfaces only, and of those of loopback that is 127.0.0.1. */
async function startAt(
  world: CaseWorld,
  known: string,
  address: string,
  start: (address: string) => Promise<NameServer>,
): Promise<NameServer> {
  const server = await start(address);
  world.whenOver(() => server.stop());
  world.net.lead(known, server);
  return server;
}

async function add({ challenge }: CaseWorld, server: NameServer, values: readonly string[]): Promise<void> {
  const records = values.map((value) => ({ op: 'add', name: challenge, ttl: 60, value }) as const);
  const signal = AbortSignal.timeout(5000);
  const how = { transport: systemTransport, signal, now: Date.now };
  const { rcode } = await sendUpdate({ zone: toDnsName('example.test'), records }, server, how);
  if (rcode !== 'NOERROR') throw new Error(`${server.name} refused the value: ${rcode}`);
}
