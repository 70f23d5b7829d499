import type { Evidence, LedgerEntry } from '@zoneproof/core';
import type { ChallengeStatus, Order } from '../resources/types.ts';
import { giveUpLost, inheritValues } from './order-lost.ts';
import { newPace, type OrderPace, valueKey } from './order-pace.ts';

const now = 10_000_000;
const key = valueKey('example.com', 'v1');
type Finding = Evidence['servers'][number]['finding'];

const challenge = (step: ChallengeStatus['step'], ...findings: Finding[]): ChallengeStatus =>
  ({
    domain: 'example.com',
    value: 'v1',
    step,
    evidence: { servers: findings.map((finding) => ({ finding })) },
  }) as unknown as ChallengeStatus;

const published = (agoMs: number, more: Partial<OrderPace> = {}): OrderPace => ({
  ...newPace(),
  publishedAt: new Map([[key, now - agoMs]]),
  ...more,
});

test.each<[string, ChallengeStatus, OrderPace, boolean]>([
  ['has had no time yet', challenge('presented', 'lacks', 'lacks'), published(59_000), false],
  ['nobody has after a minute', challenge('presented', 'lacks', 'lacks'), published(60_000), true],
  [
    'nobody has, where one server cannot be asked',
    challenge('presented', 'lacks', 'unreachable'),
    published(60_000),
    true,
  ],
  ['one server has: it is on its way', challenge('presented', 'lacks', 'has'), published(3_600_000), false],
  ['nobody can be asked about', challenge('presented', 'unreachable'), published(3_600_000), false],
  ['was seen and answered', challenge('responded', 'lacks'), published(3_600_000), false],
  [
    'was written once more, for twice as long',
    challenge('presented', 'lacks'),
    published(119_000, { rewrites: 1 }),
    false,
  ],
  [
    'was written once more and got lost again',
    challenge('presented', 'lacks'),
    published(120_000, { rewrites: 1 }),
    true,
  ],
  [
    'was written many times, for 15 minutes',
    challenge('presented', 'lacks'),
    published(899_000, { rewrites: 9 }),
    false,
  ],
  ['then again', challenge('presented', 'lacks'), published(900_000, { rewrites: 9 }), true],
  [
    'an earlier process may not have come to write',
    challenge('presented', 'lacks'),
    published(10, { inherited: new Set([key]) }),
    true,
  ],
  [
    'an earlier process wrote, on its way',
    challenge('presented', 'has', 'lacks'),
    published(10, { inherited: new Set([key]) }),
    false,
  ],
])('a value that %s', (_title, looked, pace, isGivenUp) => {
  giveUpLost([looked], pace, now);
  expect(pace.publishedAt.has(key)).toBe(!isGivenUp);
  expect(pace.moved.has('example.com')).toBe(isGivenUp);
});

test('what the ledger of an earlier process holds is looked for before it is written', () => {
  const entry = { value: 'v1', since: 5 } as LedgerEntry;
  const status = (step: ChallengeStatus['step'], ledger: readonly LedgerEntry[]) =>
    ({ status: { challenges: [challenge(step)], ledger } }) as unknown as Order;
  const after = (order: Order): readonly (readonly [string, number])[] => {
    const pace = newPace();
    inheritValues(order, pace);
    return [...pace.publishedAt];
  };
  expect(after(status('new', [entry]))).toEqual([[key, 5]]);
  expect(after(status('presented', [entry]))).toEqual([[key, 5]]);
  expect(after(status('responded', [entry]))).toEqual([]);
  expect(after(status('new', []))).toEqual([]);
});
