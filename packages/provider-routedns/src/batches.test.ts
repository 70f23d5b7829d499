import { toBatches } from './batches.ts';
import { create, simpleSet } from './record-sets.ts';

const change = (length: number, count = 1) =>
  create(
    simpleSet(
      'a.test' as never,
      Array.from({ length: count }, () => 'x'.repeat(length - 2)),
      60,
    ),
  );

test.each([
  ['one fits', [change(45)], [1]],
  ['1,000 values', Array.from({ length: 501 }, () => change(4, 2)), [500, 1]],
  ['32,000 characters', Array.from({ length: 712 }, () => change(45)), [711, 1]],
  ['a set that is too large goes by itself', [change(4), change(4, 1_001), change(4)], [1, 1, 1]],
  ['nothing', [], []],
])('%s', (_title, changes, sizes) => {
  expect(toBatches(changes, (one) => [one]).map(({ length }) => length)).toEqual(sizes);
});
