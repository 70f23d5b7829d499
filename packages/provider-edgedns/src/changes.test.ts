import type { TxtChange } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { stepsFrom, stepsUnseen } from './changes.ts';
import type { Row } from './rows.ts';

const name = toDnsName('_acme-challenge.example.com');
const change = (state: TxtChange['state'], value: string, heldTtl?: number): TxtChange => ({
  state,
  name,
  value,
  ttl: 60,
  held: { values: heldTtl === undefined ? [] : ['held'], ttl: heldTtl },
});
const row = (id: string, value: string, more: Partial<Row> = {}): Row => ({ id, name, value, ttl: 600, ...more });

describe('without a look at the zone', () => {
  test('a new value takes the TTL of what we hold there', () => {
    expect(stepsUnseen([change('present', 'a'), change('present', 'b', 120)])).toEqual([
      { kind: 'create', row: { name, value: 'a', ttl: 60 } },
      { kind: 'create', row: { name, value: 'b', ttl: 120 } },
    ]);
  });

  test('nothing can be removed: whose record an id is by now, it does not tell', () => {
    expect(stepsUnseen([change('present', 'a'), change('absent', 'b')])).toBeUndefined();
  });
});

test.each<[title: string, rows: Row[], wanted: TxtChange, step: object]>([
  ['a value that is there stays', [row('1', 'a')], change('present', 'a'), { kind: 'none' }],
  ['a missing one is no work', [row('1', 'x')], change('absent', 'a'), { kind: 'none' }],
  [
    'one that is there twice goes twice',
    [row('1', 'a'), row('2', 'a')],
    change('absent', 'a'),
    deletion(row('1', 'a'), row('2', 'a')),
  ],
  ['a foreign value keeps its row', [row('1', 'x'), row('2', 'a')], change('absent', 'a'), deletion(row('2', 'a'))],
  ['a new value takes the TTL that is there', [row('1', 'x')], change('present', 'a'), creation(600)],
  ['an automatic TTL, too', [row('1', 'x', { ttl: 1 })], change('present', 'a'), creation(1)],
  ['not that of another name', [row('1', 'x', { name: 'www.example.com' })], change('present', 'a'), creation(60)],
  ['nor its value', [row('1', 'a', { name: 'www.example.com' })], change('absent', 'a'), { kind: 'none' }],
])('%s', (_title, rows, wanted, step) => expect(stepsFrom(rows, [wanted])).toEqual([step]));

function deletion(...rows: Row[]): object {
  return { kind: 'delete', rows };
}

function creation(ttl: number): object {
  return { kind: 'create', row: { name, value: 'a', ttl } };
}
