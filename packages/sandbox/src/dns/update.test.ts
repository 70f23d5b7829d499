import {
  type DnsMessage,
  type DnsRecord,
  decodeMessage,
  encodeMessage,
  encodeUpdate,
  toDnsName,
  txtValue,
} from '@zoneproof/dns';
import fc from 'fast-check';
import { applyUpdate } from './update.ts';
import { createZone, recordsAt, soaOf, type ZoneData } from './zone-data.ts';

const zone = createZone(
  'example.test',
  ['ns1.example.test'],
  [
    { name: 'a.example.test', type: 'TXT', value: 'one' },
    { name: 'a.example.test', type: 'TXT', value: 'two' },
    { name: 'alias.example.test', type: 'CNAME', value: 'a.example.test' },
  ],
);
const empty = { ttl: 0, data: [] as string[], empty: true } as const;
const txt = (name: string, value: string, ttl = 60): DnsRecord => ({
  name: toDnsName(name),
  type: 'TXT',
  class: 'IN',
  ttl,
  data: [value],
});
const named = (name: string) => ({ name: toDnsName(name), type: 'TXT' as const });

describe('changes (RFC 2136 2.5)', () => {
  test.each<[string, DnsRecord[], string[] | undefined]>([
    ['adds a value', [txt('a.example.test', 'three')], ['one', 'two', 'three']],
    ['adds a value again', [txt('a.example.test', 'one', 300)], ['one', 'two']],
    ['deletes by value', [{ ...txt('a.example.test', 'one', 0), class: 'NONE' }], ['two']],
    ['deletes what is not there', [{ ...txt('a.example.test', 'none', 0), class: 'NONE' }], ['one', 'two']],
    ['deletes an RRset', [{ ...named('a.example.test'), ...empty, class: 'ANY' }], undefined],
    [
      'keeps the order of a message',
      [{ ...named('a.example.test'), ...empty, class: 'ANY' }, txt('a.example.test', 'new')],
      ['new'],
    ],
  ])('%s', (_title, records, expected) => {
    const result = update({ authorities: records });
    expect(result.rcode).toBe('NOERROR');
    expect(values(result.zone, 'a.example.test')).toEqual(expected);
  });

  test('a value with another TTL changes the TTL of the whole RRset', () => {
    const result = update({ authorities: [txt('a.example.test', 'three', 5)] });
    expect(recordsAt(result.zone, toDnsName('a.example.test')).map((record) => record.ttl)).toEqual([5, 5, 5]);
  });

  test('beside a CNAME nothing is added, and NOERROR says so little', () => {
    const result = update({ authorities: [txt('alias.example.test', 'x')] });
    expect(result).toEqual({ rcode: 'NOERROR', zone });
  });

  test('the apex keeps its SOA and NS', () => {
    const apex = { name: toDnsName('example.test') };
    const result = update({
      authorities: [
        { ...apex, type: 'SOA', ...empty, class: 'ANY', data: soaOf(zone).data },
        { ...apex, type: 'NS', ttl: 0, class: 'NONE', data: toDnsName('ns1.example.test') },
      ],
    });
    expect(recordsAt(result.zone, zone.apex).map((record) => record.type)).toEqual(['SOA', 'NS']);
  });

  test('the serial grows by a change and only by one', () => {
    const changed = update({ authorities: [txt('b.example.test', 'x'), txt('c.example.test', 'y')] }).zone;
    const same = applyUpdate(changed, message({ authorities: [txt('b.example.test', 'x')] })).zone;
    expect([soaOf(changed).data.serial, soaOf(same).data.serial]).toEqual([2, 2]);
  });
});

describe('all or nothing', () => {
  test.each<[string, string, Partial<DnsMessage>]>([
    ['a record outside the zone', 'NOTZONE', { authorities: [txt('b.example.test', 'x'), txt('b.other.test', 'x')] }],
    [
      'a delete by value with a TTL',
      'FORMERR',
      { authorities: [txt('b.example.test', 'x'), { ...txt('a.example.test', 'one', 60), class: 'NONE' }] },
    ],
    [
      'prerequisite: the RRset must be there',
      'NXRRSET',
      { answers: [{ ...named('b.example.test'), ...empty, class: 'ANY' }] },
    ],
    [
      'prerequisite: the RRset must not be there',
      'YXRRSET',
      { answers: [{ ...named('a.example.test'), ...empty, class: 'NONE' }] },
    ],
    ['prerequisite: other values', 'NXRRSET', { answers: [txt('a.example.test', 'one', 0)] }],
    ['prerequisite outside the zone', 'NOTZONE', { answers: [{ ...named('a.other.test'), ...empty, class: 'ANY' }] }],
    ['prerequisite with a TTL', 'FORMERR', { answers: [txt('a.example.test', 'one', 1)] }],
  ])('%s: %s', (_title, rcode, sections) => {
    expect(update({ authorities: [txt('b.example.test', 'x')], ...sections })).toEqual({ rcode, zone });
  });

  test('prerequisites that hold', () => {
    const answers: DnsRecord[] = [
      txt('a.example.test', 'two', 0),
      txt('a.example.test', 'one', 0),
      { ...named('b.example.test'), ...empty, class: 'NONE' },
    ];
    expect(update({ answers, authorities: [txt('b.example.test', 'x')] }).rcode).toBe('NOERROR');
  });
});

test('any row of adds and deletes leaves the set they describe', () => {
  const change = fc.record({
    op: fc.constantFrom('add' as const, 'delete' as const),
    value: fc.constantFrom('a', 'b', 'c', ''),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const name = toDnsName('p.example.test');
      const wanted = new Set<string>();
      for (const { op, value } of changes) op === 'add' ? wanted.add(value) : wanted.delete(value);
      const wire = encodeUpdate({ id: 1, zone: zone.apex, records: changes.map((one) => ({ ...one, name, ttl: 60 })) });
      const result = applyUpdate(zone, decodeMessage(wire));
      expect(new Set(values(result.zone, name) ?? [])).toEqual(wanted);
    }),
    { seed: 2136, numRuns: 200 },
  );
});

/** Over the wire and back, so that the forms of UPDATE are those a client sends. */
function message(sections: Partial<DnsMessage>): DnsMessage {
  return decodeMessage(
    encodeMessage({ id: 1, opcode: 'UPDATE', questions: [{ name: zone.apex, type: 'SOA' }], ...sections }),
  );
}

const update = (sections: Partial<DnsMessage>) => applyUpdate(zone, message(sections));

function values(from: ZoneData, name: string): string[] | undefined {
  const records = recordsAt(from, toDnsName(name));
  return records.length === 0
    ? undefined
    : records.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : []));
}
