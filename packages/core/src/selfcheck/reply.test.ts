import { type DnsMessage, toDnsName } from '@zoneproof/dns';
import { readReply } from './reply.ts';
import { record, soa } from './testing/zone-data.ts';

const name = toDnsName('_acme-challenge.www.example.com');
const zone = toDnsName('example.com');

function message(parts: Partial<DnsMessage>): DnsMessage {
  const flags = {
    response: true,
    rcode: 'NOERROR',
    aa: true,
    tc: false,
    rd: false,
    ra: false,
    ad: false,
    cd: false,
  } as const;
  return { id: 1, opcode: 'QUERY', ...flags, questions: [], answers: [], authorities: [], additionals: [], ...parts };
}

test.each<[string, Partial<DnsMessage>, object]>([
  [
    'values are the joined strings',
    { answers: [record([name, 'TXT', 'ab', 'c'])] },
    { kind: 'values', values: ['abc'] },
  ],
  [
    'NS beside the values tells the zone',
    { answers: [record([name, 'TXT', 'a'])], authorities: [record(['www.example.com', 'NS', 'ns.example.com'])] },
    { kind: 'values', apex: 'www.example.com' },
  ],
  [
    'a DNAME above it, with the CNAME that follows from it',
    {
      answers: [
        { name: toDnsName('example.com'), type: 'DNAME', ttl: 60, data: toDnsName('example.net') },
        record([name, 'CNAME', '_acme-challenge.www.example.net']),
      ],
    },
    { kind: 'alias', target: '_acme-challenge.www.example.net' },
  ],
  [
    'a DNAME above it alone',
    { answers: [{ name: toDnsName('www.example.com'), type: 'DNAME', ttl: 60, data: toDnsName('w.example.net') }] },
    { kind: 'alias', target: '_acme-challenge.w.example.net' },
  ],
  [
    'a DNAME that makes too long a name',
    {
      rcode: 'YXDOMAIN',
      answers: [
        { name: toDnsName('example.com'), type: 'DNAME', ttl: 60, data: toDnsName(`${'a'.repeat(60)}.`.repeat(4)) },
      ],
    },
    { kind: 'lame', reason: expect.stringContaining('makes no usable name') },
  ],
  [
    'a DNAME of the name itself says nothing of it',
    { answers: [{ name, type: 'DNAME', ttl: 60, data: toDnsName('example.net') }] },
    { kind: 'none' },
  ],
  ['TXT of other names is not taken', { answers: [record(['other.example.com', 'TXT', 'a'])] }, { kind: 'none' }],
  [
    'nothing, with the SOA',
    { authorities: [soa(zone)] },
    { kind: 'none', apex: zone, soa: { serial: 7, refresh: 3600 } },
  ],
  ['no such name', { rcode: 'NXDOMAIN', authorities: [soa(zone)] }, { kind: 'none', apex: zone }],
  ['the SOA of another zone tells nothing', { authorities: [soa(toDnsName('example.net'))] }, { kind: 'none' }],
  [
    'the SOA of the parent: the server does not know the child',
    { rcode: 'NXDOMAIN', authorities: [soa(toDnsName('com'))] },
    { kind: 'lame', reason: 'it serves com but not example.com' },
  ],
  [
    'an alias whose end does not exist is an alias',
    { rcode: 'NXDOMAIN', answers: [record([name, 'CNAME', 'x.example.com'])], authorities: [soa(zone)] },
    { kind: 'alias', target: 'x.example.com' },
  ],
  ['an alias without authority', { aa: false, answers: [record([name, 'CNAME', 'x.example.com'])] }, { kind: 'lame' }],
  ['values without authority', { aa: false, answers: [record([name, 'TXT', 'a'])] }, { kind: 'lame' }],
  ['REFUSED', { aa: false, rcode: 'REFUSED' }, { kind: 'lame', reason: 'it answers REFUSED' }],
  ['SERVFAIL with AA', { rcode: 'SERVFAIL' }, { kind: 'lame', reason: 'it answers SERVFAIL' }],
  [
    'a referral down, with glue of its own zone only',
    {
      aa: false,
      authorities: [
        record(['www.example.com', 'NS', 'ns.www.example.com']),
        record(['www.example.com', 'NS', 'ns.example.net']),
      ],
      additionals: [record(['ns.www.example.com', 'A', '192.0.2.1']), record(['ns.example.net', 'A', '192.0.2.66'])],
    },
    {
      kind: 'referral',
      zone: 'www.example.com',
      nameservers: new Map([
        ['ns.www.example.com', ['192.0.2.1']],
        ['ns.example.net', []],
      ]),
    },
  ],
  [
    'a referral to itself',
    { aa: false, authorities: [record(['example.com', 'NS', 'ns.example.com'])] },
    { kind: 'lame' },
  ],
  ['a referral up', { aa: false, authorities: [record(['com', 'NS', 'a.gtld.example'])] }, { kind: 'lame' }],
  [
    'a referral aside',
    { aa: false, authorities: [record(['b.example.com', 'NS', 'ns.example.com'])] },
    { kind: 'lame' },
  ],
])('%s', (_title, parts, reply) => expect(readReply(message(parts), name, zone)).toMatchObject(reply));

test('of a thousand name servers sixteen count', () => {
  const authorities = Array.from({ length: 1000 }, (_, i) => record(['www.example.com', 'NS', `ns${i}.example.com`]));
  const reply = readReply(message({ aa: false, authorities }), name, zone);
  expect(reply.kind === 'referral' && reply.nameservers.size).toBe(16);
});
