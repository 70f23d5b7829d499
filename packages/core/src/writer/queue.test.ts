import { type DnsName, toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { FakeClock } from '../time/fake-clock.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { takeBatch, Waiter } from './queue.ts';
import { FakeService, zone } from './testing/fake-service.ts';

const service = new FakeService({ clock: new FakeClock(), ledger: new MemoryLedger() });
const signal = new AbortController().signal;

/** `+n1:a,n1:b` wants a and b present at n1; `-` absent; `@x` is another block of the account. */
function waiter(text: string): Waiter {
  const [wanted = '', block = 'lab'] = text.split('@');
  const records = wanted
    .slice(1)
    .split(',')
    .map((one) => one.split(':'))
    .map(([name, value]) => ({ name: toDnsName(`${name}.example.com`), value: value! }));
  const state = wanted.startsWith('+') ? 'present' : 'absent';
  return new Waiter({ owner: 'ns/o', provider: service.bind('fake:a', block), zone, state, records, signal });
}

const values = (records: readonly { readonly value: string }[]) => records.map((record) => record.value).join('');

test.each<[title: string, queue: string[], max: number, busy: string, batch: string, left: number]>([
  ['all that fits', ['+a:1', '+b:2', '-c:3'], 5, '', '123', 0],
  ['no more than fits', ['+a:1', '+b:2', '+c:3'], 2, '', '12', 1],
  ['records of one request are not torn apart', ['+a:1', '+b:2,b:3'], 2, '', '1', 1],
  ['unless they alone do not fit', ['+a:1,a:2,a:3', '+b:4'], 2, '', '12', 2],
  ['one value wanted twice is one change', ['+a:1', '+a:1', '+b:2'], 2, '', '112', 0],
  ['the other state of a value waits', ['+a:1', '-a:1', '+b:2'], 5, '', '12', 1],
  ['and holds back what is behind it at its name', ['+a:1', '-a:1', '+a:2', '+b:3'], 5, '', '13', 2],
  ['a busy name waits', ['+a:1', '+b:2'], 5, 'a', '2', 1],
  ['and holds back the other names of its request', ['+a:1,b:2', '+b:3', '+c:4'], 5, 'a', '4', 2],
  ['another block waits', ['+a:1', '+b:2@x', '+c:3'], 5, '', '13', 1],
])('%s', (_title, queue, maxChanges, busy, batch, left) => {
  const next = takeBatch(queue.map(waiter), { maxChanges, atomic: true }, (name) => name === `${busy}.example.com`);
  expect([values(next.records), next.queue.length]).toEqual([batch, left]);
});

test('octets count too', () => {
  const limits = { maxChanges: 9, maxValueBytes: 5, atomic: true };
  const next = takeBatch(['+a:123', '+b:456', '+c:7'].map(waiter), limits, () => false);
  expect(values(next.records)).toBe('123');
  expect(values(takeBatch([waiter('+a:1234567')], limits, () => false).records)).toBe('1234567');
});

test('taking batch after batch takes everything once, within the limits, in order at each value', () => {
  const request = fc
    .tuple(
      fc.constantFrom('+', '-'),
      fc.uniqueArray(fc.constantFrom('a:1', 'a:2', 'b:1', 'b:3', 'c:4'), { minLength: 1 }),
    )
    .map(([state, records]) => `${state}${records.join(',')}`);
  fc.assert(
    fc.property(fc.array(request, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (requests, maxChanges) => {
      const all = requests.map(waiter);
      const taken: { key: string; state: string; from: Waiter }[] = [];
      let queue: readonly Waiter[] = all;
      for (let round = 0; queue.length > 0; round++) {
        expect(round).toBeLessThan(100);
        const next = takeBatch(queue, { maxChanges, atomic: true }, () => false);
        const keys = next.records.map((record) => `${record.name} ${record.value}`);
        expect(new Set(keys).size).toBeLessThanOrEqual(maxChanges);
        expect(next.records.length).toBeGreaterThan(0);
        next.records.forEach((record, i) => {
          taken.push({ key: keys[i]!, state: record.waiter.request.state, from: record.waiter });
          record.waiter.settle(record, { status: 'done', changed: true });
        });
        queue = next.queue.filter((one) => !one.done);
      }
      const asked = all.flatMap((one) =>
        one.request.records.map((record) => ({
          key: `${record.name} ${record.value}`,
          state: one.request.state,
          from: one,
        })),
      );
      expect(taken).toHaveLength(asked.length);
      for (const key of new Set(asked.map((one) => one.key as DnsName)))
        expect(taken.filter((one) => one.key === key).map((one) => one.state)).toEqual(
          asked.filter((one) => one.key === key).map((one) => one.state),
        );
    }),
    { numRuns: 300, seed: 20260105 },
  );
});
