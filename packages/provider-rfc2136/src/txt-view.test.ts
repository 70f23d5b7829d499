import { type DnsMessage, type DnsRecord, toDnsName } from '@zoneproof/dns';
import { type TxtView, viewTxt } from './txt-view.ts';
import { viewZone, type ZoneView } from './zone-walk.ts';

const name = toDnsName('_acme-challenge.www.example.test');
const zone = toDnsName('example.test');

function message(parts: Partial<DnsMessage>): DnsMessage {
  const empty = { questions: [], answers: [], authorities: [], additionals: [] };
  const flags = { aa: true, tc: false, rd: false, ra: false, ad: false, cd: false };
  return { id: 1, opcode: 'QUERY', response: true, rcode: 'NOERROR', ...flags, ...empty, ...parts };
}

const txt = (value: string, ttl = 60, owner = name): DnsRecord => ({ name: owner, type: 'TXT', ttl, data: [value] });
const ns = (owner: string): DnsRecord => ({
  name: toDnsName(owner),
  type: 'NS',
  ttl: 60,
  data: toDnsName('ns1.other.test'),
});
const cname: DnsRecord = { name, type: 'CNAME', ttl: 60, data: toDnsName('x.other.test') };
const dname: DnsRecord = { name: toDnsName('www.example.test'), type: 'DNAME', ttl: 60, data: toDnsName('other.test') };
const soa = (owner: string): DnsRecord => ({
  name: toDnsName(owner),
  type: 'SOA',
  ttl: 60,
  data: { mname: zone, rname: zone, serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 },
});

test.each<[string, Partial<DnsMessage>, TxtView]>([
  ['values and TTL', { answers: [txt('a', 300), txt('b', 300)] }, { kind: 'rrset', values: ['a', 'b'], ttl: 300 }],
  ['an empty name', { authorities: [soa('example.test')] }, { kind: 'rrset', values: [], ttl: undefined }],
  ['no such name', { rcode: 'NXDOMAIN' }, { kind: 'rrset', values: [], ttl: undefined }],
  [
    'a CNAME, even when its target is answered too',
    { answers: [cname, txt('a', 60, toDnsName('x.other.test'))] },
    { kind: 'alias', type: 'CNAME', owner: name, target: toDnsName('x.other.test') },
  ],
  [
    'a DNAME above',
    { answers: [dname, cname] },
    { kind: 'alias', type: 'DNAME', owner: dname.name, target: toDnsName('other.test') },
  ],
  [
    'a referral',
    { aa: false, authorities: [ns('www.example.test')] },
    { kind: 'delegation', cut: toDnsName('www.example.test'), servers: [toDnsName('ns1.other.test')] },
  ],
  [
    'a referral to the root',
    { aa: false, authorities: [ns('')] },
    { kind: 'no-answer', rcode: 'NOERROR, not authoritative' },
  ],
  [
    'an answer from a cache',
    { aa: false, answers: [txt('a')] },
    { kind: 'no-answer', rcode: 'NOERROR, not authoritative' },
  ],
  ['a refusal', { aa: false, rcode: 'REFUSED' }, { kind: 'no-answer', rcode: 'REFUSED' }],
])('TXT: %s', (_title, parts, view) => expect(viewTxt(message(parts), name)).toEqual(view));

test.each<[string, Partial<DnsMessage>, ZoneView]>([
  ['the SOA itself', { answers: [soa('_acme-challenge.www.example.test')] }, { kind: 'apex', apex: name }],
  ['the SOA of a denial', { authorities: [soa('example.test')] }, { kind: 'apex', apex: zone }],
  ['the SOA of NXDOMAIN', { rcode: 'NXDOMAIN', authorities: [soa('example.test')] }, { kind: 'apex', apex: zone }],
  ['an SOA of another name proves nothing', { authorities: [soa('ample.test')] }, { kind: 'above' }],
  ['an SOA without AA proves nothing', { aa: false, answers: [soa('example.test')] }, { kind: 'above' }],
  ['a CNAME sends to the parent', { answers: [cname], authorities: [soa('other.test')] }, { kind: 'above' }],
  ['a refusal sends to the parent', { rcode: 'REFUSED', aa: false }, { kind: 'above' }],
  ['SERVFAIL stops', { rcode: 'SERVFAIL', aa: false }, { kind: 'unavailable' }],
  [
    'a referral',
    { aa: false, authorities: [ns('www.example.test')] },
    { kind: 'delegation', cut: toDnsName('www.example.test'), servers: [toDnsName('ns1.other.test')] },
  ],
  ['a referral to elsewhere', { aa: false, authorities: [ns('other.test')] }, { kind: 'above' }],
])('SOA: %s', (_title, parts, view) => expect(viewZone(message(parts), name)).toEqual(view));
