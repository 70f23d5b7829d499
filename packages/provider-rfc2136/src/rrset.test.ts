import { ProviderError, type TxtChange } from '@zoneproof/core';
import { type DnsName, encodeUpdate, signMessage, toDnsName } from '@zoneproof/dns';
import { rfc2136 } from './plugin.ts';
import { planSteps, type Seen, shows } from './rrset.ts';
import type { TxtView } from './txt-view.ts';

const name = toDnsName('_acme-challenge.example.test');
const held = { values: [], ttl: undefined };
const change = (state: TxtChange['state'], value: string): TxtChange => ({ state, name, value, ttl: 60, held });
const present = (value: string) => change('present', value);
const absent = (value: string) => change('absent', value);

const there = (...values: string[]): TxtView => ({ kind: 'rrset', values, ttl: 3600 });
const nothing: TxtView = { kind: 'rrset', values: [], ttl: undefined };
const alias: TxtView = { kind: 'alias', type: 'CNAME', owner: name, target: toDnsName('x.test') };
const cut: TxtView = { kind: 'delegation', cut: name, servers: [toDnsName('ns.x.test')] };
const silent = new ProviderError({ kind: 'unavailable', message: 'no answer' });

/** `+a 60`, `-a`, `-a unseen`, `unchanged`, `failed unavailable` */
function plan(seen: Seen, changes: readonly TxtChange[]): readonly string[] {
  const inTheWay = () => new ProviderError({ kind: 'zone-not-found', message: 'in the way' });
  return planSteps(changes, new Map<DnsName, Seen>([[name, seen]]), inTheWay).map((step) => {
    if (step.settled)
      return step.settled.status === 'failed' ? `failed ${step.settled.error.kind}` : step.settled.status;
    const { record, unseen } = step;
    return record.op === 'add' ? `+${record.value} ${record.ttl}` : `-${record.value}${unseen ? ' unseen' : ''}`;
  });
}

test.each<[string, Seen, readonly TxtChange[], readonly string[]]>([
  ['adds with the wanted TTL where nothing is', nothing, [present('a')], ['+a 60']],
  ['adds with the TTL of the RRset', there('x'), [present('a')], ['+a 3600']],
  ['adds two with one TTL', nothing, [present('a'), { ...present('b'), ttl: 300 }], ['+a 60', '+b 60']],
  ['leaves what is there', there('a'), [present('a')], ['unchanged']],
  ['deletes what is there', there('a', 'x'), [absent('a')], ['-a']],
  ['leaves what is not there', there('x'), [absent('a')], ['unchanged']],
  [
    'keeps the order',
    there('a'),
    [absent('a'), present('b'), absent('c'), present('a')],
    ['-a', '+b 3600', 'unchanged', 'unchanged'],
  ],
  ['adds at an alias, which a wildcard may have made', alias, [present('a')], ['+a 60']],
  ['has nothing to delete at an alias', alias, [absent('a')], ['unchanged']],
  ['adds nothing below a zone cut', cut, [present('a')], ['failed zone-not-found']],
  ['deletes below a zone cut unseen', cut, [absent('a')], ['-a unseen']],
  [
    'writes nothing that it could not read',
    silent,
    [present('a'), absent('b')],
    ['failed unavailable', 'failed unavailable'],
  ],
  [
    'writes nothing where the server will not say',
    { kind: 'no-answer', rcode: 'REFUSED' },
    [present('a')],
    ['failed zone-not-found'],
  ],
])('%s', (_title, seen, changes, expected) => expect(plan(seen, changes)).toEqual(expected));

test('a value is octets: it is sent and compared as it is', () => {
  expect(plan(nothing, [present('\xc3\xa9\xff')])).toEqual(['+\xc3\xa9\xff 60']);
  expect(shows({ kind: 'rrset', values: ['\xc3\xa9\xff'], ttl: 60 }, present('\xc3\xa9\xff'))).toBe(true);
});

test('the largest batch fits into one signed message', () => {
  const { maxChanges, maxValueBytes = 0 } = rfc2136.capabilities.batch;
  const label = 'a'.repeat(63);
  const records = Array.from({ length: maxChanges }, (_, index) => ({
    op: 'add' as const,
    // No two names share a suffix, so that compression cannot help.
    name: toDnsName(`${label}.${label}.${label}.${`${index}`.padStart(4, 'x')}${'b'.repeat(57)}`),
    ttl: 60,
    value: 'v'.repeat(Math.floor(maxValueBytes / maxChanges)),
  }));
  const longest = toDnsName(`${label}.${label}.${label}.${'c'.repeat(61)}`);
  const wire = encodeUpdate({ id: 1, zone: longest, records });
  const key = { name: longest, algorithm: 'hmac-sha512' as const, secret: Buffer.alloc(64) };
  expect(signMessage(wire, key, { timeSigned: 1 }).wire.length).toBeLessThan(65_536);
});
