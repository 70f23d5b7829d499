import { type DnsMessage, type DnsRecord, type Exchange, isWithin, toDnsName } from '@zoneproof/dns';
import { fuzz, fuzzSeconds, type Random } from '@zoneproof/farm';
import { readFinding, readListedFinding } from './finding.ts';
import { maxNameservers, nameserversOf, readReply } from './reply.ts';
import { addressesIn, readListedTxt } from './resolvers.ts';

const options = { what: "meaning of servers' answers", seed: 6604, seconds: 1 };
const seconds = fuzzSeconds(options);
const zone = toDnsName('example.com');
const name = toDnsName('_acme-challenge.www.example.com');
const values = ['wanted'];

test(
  'records of any names in any sections: no value is seen without authority, and nobody is led out of the zone',
  async () => {
    const kinds = new Map<string, number>();
    const inputs = await fuzz(options, (random) => {
      const message = answer(random);
      const reply = readReply(message, name, zone);
      kinds.set(reply.kind, (kinds.get(reply.kind) ?? 0) + 1);
      const isOurs = reply.kind === 'lame' || reply.kind === 'referral' || message.aa;
      if (!isOurs) throw new Error(`${reply.kind} without authority`);
      if (reply.kind === 'referral') {
        const { zone: below, nameservers } = reply;
        if (!isWithin(name, below) || !isWithin(below, zone) || below === zone) throw new Error(`led to ${below}`);
        for (const [host, addresses] of nameservers)
          if (addresses.length > 0 && !isWithin(host, zone)) throw new Error(`believed the address of ${host}`);
      }
      if (nameserversOf(message, zone).size > maxNameservers) throw new Error('too many name servers');
      addressesIn(message, 'A');

      const exchange: Exchange = { message, wire: new Uint8Array(), transport: 'udp', rttMs: 1 };
      const sought = { target: name, zone, values };
      const { row } = readFinding({ server: 'ns1.example.com', address: '192.0.2.1' }, exchange, sought);
      const isThere = message.answers.some(
        (record) => record.type === 'TXT' && record.name === name && record.data.join('') === 'wanted',
      );
      if (row.finding === 'has' && !(isThere && message.aa)) throw new Error('seen, and not there');
      if ((row.detail?.length ?? 0) > 300) throw new Error('a novel');

      const { row: listed } = readListedFinding({ server: '192.0.2.53', address: '192.0.2.53' }, exchange, sought);
      const { chain } = readListedTxt(message, name);
      if (chain.length > 11 || new Set(chain).size < chain.length) throw new Error(`chain of ${chain.length}`);
      if ((listed.values?.length ?? 0) > 8) throw new Error('too many values');
    });
    expect([...kinds.keys()].sort()).toEqual(['alias', 'lame', 'none', 'referral', 'values']);
    for (const seen of kinds.values()) expect(seen).toBeGreaterThan(inputs / 1000);
  },
  seconds * 1000 + 30_000,
);

const names = [
  name,
  zone,
  toDnsName('www.example.com'),
  toDnsName('com'),
  toDnsName(''),
  toDnsName('example.net'),
  toDnsName('a.example.net'),
  toDnsName('ns1.example.com'),
  toDnsName('_acme-challenge.other.example.com'),
  toDnsName(Array.from({ length: 4 }, () => 'x'.repeat(60)).join('.')),
];

function answer(random: Random): DnsMessage {
  const section = () => Array.from({ length: random(random(50) === 0 ? 200 : 4) }, () => record(random));
  const rcode = (['NOERROR', 'NOERROR', 'NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED', 'YXDOMAIN'] as const)[random(7)];
  return {
    id: 1,
    opcode: 'QUERY',
    response: true,
    aa: random(2) === 0,
    tc: random(4) === 0,
    rd: false,
    ra: random(2) === 0,
    ad: false,
    cd: false,
    rcode: rcode ?? 'NOERROR',
    questions: [{ name, type: 'TXT' }],
    answers: section(),
    authorities: section(),
    additionals: section(),
    ...(random(4) === 0 && {
      edns: {
        udpSize: 1232,
        dnssecOk: false,
        extendedErrors: [{ code: random(65_536), text: 'x'.repeat(random(500)) }],
      },
    }),
  } as DnsMessage;
}

function record(random: Random): DnsRecord {
  const any = () => names[random(names.length)] as (typeof names)[number];
  const base = { name: random(2) === 0 ? name : any(), ttl: random(4) === 0 ? 2 ** 31 - 1 : random(600) };
  switch (random(7)) {
    case 0:
      return { ...base, type: 'CNAME', data: any() };
    case 1:
      return { ...base, type: 'DNAME', data: any() };
    case 2:
      return { ...base, name: any(), type: 'NS', data: any() };
    case 3:
      return {
        ...base,
        name: any(),
        type: 'SOA',
        data: {
          mname: any(),
          rname: any(),
          serial: random(2 ** 31),
          refresh: 1,
          retry: 1,
          expire: 1,
          minimum: random(99),
        },
      };
    case 4:
      return { ...base, name: any(), type: 'A', data: '192.0.2.7' };
    case 5:
      return { ...base, name: any(), type: 'AAAA', data: '2001:db8::7' };
    default:
      return {
        ...base,
        type: 'TXT',
        data: ['wanted', 'other', '\u0000\u001b[31m', ''].slice(random(4), 1 + random(4)),
      };
  }
}
