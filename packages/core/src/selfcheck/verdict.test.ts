import { toDnsName } from '@zoneproof/dns';
import { summarise } from './summary.ts';
import type { ServerEvidence } from './types.ts';
import { judge } from './verdict.ts';

/** `has@ns1` -> one row; rows of one name server are its addresses. */
function rows(text: string): ServerEvidence[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, index) => {
      const [finding, server] = word.split('@') as [ServerEvidence['finding'], string];
      const address = `192.0.2.${index + 1}`;
      return { server: toDnsName(server), address, finding, transport: 'udp', rttMs: 11.6, rcode: 'NOERROR' };
    });
}

test.each([
  ['has@a has@b', 'visible', 'all have it'],
  ['has@a lacks@b', 'missing', 'one that lacks it vetoes'],
  ['has@a has@b has@c has@d lacks@e', 'missing', 'even one of many'],
  ['has@a lacks@a', 'missing', 'on any address'],
  ['lacks@a', 'missing', 'none has it'],
  ['has@a unreachable@a has@b unreachable@b', 'visible', 'IPv6 out of reach is no matter'],
  ['has@a unreachable@b', 'visible', 'half of the name servers is enough'],
  ['has@a lame@b', 'visible', 'also beside a lame one'],
  ['has@a unreachable@b lame@c', 'unreachable', 'fewer than half are not'],
  ['unreachable@a lame@b', 'unreachable', 'zero answers never pass'],
  ['', 'unreachable', 'no servers never pass'],
])('%s is %s: %s', (text, verdict) => expect(judge(rows(text))).toBe(verdict));

const seen = (text: string) => ({
  verdict: judge(rows(text)),
  zone: toDnsName('example.com'),
  target: toDnsName('_acme-challenge.example.com'),
  servers: rows(text),
});

test.each([
  ['has@a', 1, '1 of 1 authoritative server of example.com has the value at _acme-challenge.example.com'],
  [
    'has@a unreachable@b',
    1,
    "1 of 2 authoritative servers of example.com has the value at _acme-challenge.example.com; no usable answer from b 192.0.2.2, udp, 12 ms, NOERROR: repair it or take it out of the zone's NS records, since the CA may ask there",
  ],
  [
    'has@a lacks@b',
    1,
    "1 of 2 authoritative servers of example.com lacks the value at _acme-challenge.example.com (b 192.0.2.2, udp, 12 ms, NOERROR); nothing to do unless this lasts beyond the zone's SOA refresh (3600 s)",
  ],
  [
    'lacks@a lacks@b lacks@c lacks@d lacks@e',
    2,
    "5 of 5 authoritative servers of example.com lack one or more of 2 values at _acme-challenge.example.com (a 192.0.2.1, udp, 12 ms, NOERROR; b 192.0.2.2, udp, 12 ms, NOERROR; c 192.0.2.3, udp, 12 ms, NOERROR; and 2 more); if this lasts beyond the zone's SOA refresh (3600 s), check that the zone example.com that the provider writes to is the one these servers serve",
  ],
  [
    'has@a lame@b lame@c',
    1,
    'only 1 of 3 authoritative servers of example.com can be seen to have the value at _acme-challenge.example.com (b 192.0.2.2, udp, 12 ms, NOERROR; c 192.0.2.3, udp, 12 ms, NOERROR); check that these servers serve example.com, or correct its NS records',
  ],
])('%s is told as a sentence with its next step', (text, wanted, sentence) =>
  expect(summarise(seen(text), { wanted, soa: { mname: 'a', refresh: 3600 } })).toBe(sentence),
);
