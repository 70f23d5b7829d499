import { toDnsName } from '@zoneproof/dns';
import { answerQuestion } from './answer.ts';
import { createZone } from './zone-data.ts';

const zones = [
  createZone(
    'example.test',
    ['ns1.example.test'],
    [
      { name: 'ns1.example.test', type: 'A', value: '127.0.0.1' },
      { name: 'www.example.test', type: 'AAAA', value: '2001:db8::1' },
      { name: 'a.b.example.test', type: 'TXT', value: 'deep' },
      { name: 'here.example.test', type: 'CNAME', value: 'a.b.example.test' },
      { name: 'there.example.test', type: 'CNAME', value: 'x.other.test' },
      { name: 'away.example.test', type: 'CNAME', value: 'x.nowhere.test' },
      { name: 'loop.example.test', type: 'CNAME', value: 'pool.example.test' },
      { name: 'pool.example.test', type: 'CNAME', value: 'loop.example.test' },
      { name: 'into.example.test', type: 'CNAME', value: 'x.cut.example.test' },
      { name: '*.wild.example.test', type: 'TXT', value: 'any' },
      { name: 'cut.example.test', type: 'NS', value: 'ns.cut.example.test' },
      { name: 'ns.cut.example.test', type: 'A', value: '127.0.0.9' },
      { name: 'hidden.cut.example.test', type: 'TXT', value: 'occluded' },
    ],
  ),
  createZone('sub.example.test', ['ns1.example.test'], []),
  createZone('other.test', ['ns1.example.test'], [{ name: 'x.other.test', type: 'TXT', value: 'other' }]),
];

test.each([
  ['a record', 'ns1.example.test A', 'NOERROR aa | ns1.example.test A | |'],
  ['the apex', 'example.test NS', 'NOERROR aa | example.test NS | |'],
  ['no such type', 'www.example.test A', 'NOERROR aa | | example.test SOA |'],
  ['no such name', 'no.example.test A', 'NXDOMAIN aa | | example.test SOA |'],
  ['an empty non-terminal exists', 'b.example.test TXT', 'NOERROR aa | | example.test SOA |'],
  ['a name below a leaf', 'x.www.example.test TXT', 'NXDOMAIN aa | | example.test SOA |'],
  [
    'a CNAME within the zone',
    'here.example.test TXT',
    'NOERROR aa | here.example.test CNAME, a.b.example.test TXT | |',
  ],
  ['the CNAME itself', 'here.example.test CNAME', 'NOERROR aa | here.example.test CNAME | |'],
  [
    'a CNAME into another zone of the server',
    'there.example.test TXT',
    'NOERROR aa | there.example.test CNAME, x.other.test TXT | |',
  ],
  [
    'a CNAME to what lacks the type',
    'there.example.test A',
    'NOERROR aa | there.example.test CNAME | other.test SOA |',
  ],
  ['a CNAME to another server', 'away.example.test TXT', 'NOERROR aa | away.example.test CNAME | |'],
  ['a CNAME below a delegation', 'into.example.test TXT', 'NOERROR aa | into.example.test CNAME | |'],
  [
    'a loop ends',
    'loop.example.test TXT',
    'NOERROR aa | loop.example.test CNAME, pool.example.test CNAME, loop.example.test CNAME | |',
  ],
  ['a wildcard', 'q.wild.example.test TXT', 'NOERROR aa | q.wild.example.test TXT | |'],
  ['a wildcard without the type', 'q.wild.example.test A', 'NOERROR aa | | example.test SOA |'],
  ['a delegation', 'x.cut.example.test TXT', 'NOERROR | | cut.example.test NS | ns.cut.example.test A'],
  ['NS at the cut', 'cut.example.test NS', 'NOERROR | | cut.example.test NS | ns.cut.example.test A'],
  [
    'data below a cut is not seen',
    'hidden.cut.example.test TXT',
    'NOERROR | | cut.example.test NS | ns.cut.example.test A',
  ],
  ['the deepest zone answers', 'x.sub.example.test A', 'NXDOMAIN aa | | sub.example.test SOA |'],
  ['a zone of somebody else', 'example.com A', 'REFUSED | | |'],
])('%s: %s', (_title, question, expected) => {
  const [name, type] = question.split(' ') as [string, 'A'];
  const answer = answerQuestion({ name: toDnsName(name), type }, zones);
  const sections = [answer.answers, answer.authorities, answer.additionals].map((records) =>
    records.map((record) => `${record.name} ${record.type}`).join(', '),
  );
  const text = [`${answer.rcode}${answer.aa ? ' aa' : ''}`, ...sections].join(' | ');
  expect(text.replace(/ +/g, ' ').trim()).toBe(expected);
});

test('the SOA of a negative answer lives no longer than its minimum (RFC 2308)', () => {
  const { authorities } = answerQuestion({ name: toDnsName('no.example.test'), type: 'A' }, zones);
  expect(authorities[0]).toMatchObject({ type: 'SOA', ttl: 60 });
});
