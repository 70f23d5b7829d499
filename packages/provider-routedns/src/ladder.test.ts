import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { ProviderError } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { type Answer, climb, mostWrites } from './ladder.ts';
import { multivalueSet, simpleSet, type Wanted } from './record-sets.ts';
import { ZoneModel } from './testing/zone-model.ts';

const name = toDnsName('_acme-challenge.a.test');
const denied = new ProviderError({ kind: 'permission', message: 'no right to read' });
const unreadable = (): Answer => ({ kind: 'unreadable', error: denied });

const simple = (values: string, ttl = 60) => simpleSet(name, [...values], ttl);
const multivalue = (value: string) => multivalueSet(name, value, 60);
const foreign = (value: string): ResourceRecordSet => ({
  ...simple(value, 300),
  SetIdentifier: `by-${value}`,
  MultiValueAnswer: true,
});

function wanted(present: string, absent: string, held: string): Wanted {
  return { name, present: [...present], absent: [...absent], held: [...held], ttl: 60 };
}

/** `reading`: with the right to read. Answers how it ended and what stands there then. */
function settle(sets: readonly ResourceRecordSet[], what: Wanted, reading = false) {
  const model = new ZoneModel(sets);
  const ending = model.run(climb(what), () => (reading ? { kind: 'sets', sets: model.sets } : unreadable()));
  const before = ending.kind === 'done' ? [...ending.before].sort().join('') : ending.kind;
  return { ended: before, left: model.values.join(''), writes: model.sent.length, reads: model.reads, model };
}

describe('without the right to read', () => {
  test.each<readonly [string, readonly ResourceRecordSet[], Wanted, ended: string, left: string, writes: number]>([
    ['nothing is there', [], wanted('a', '', ''), '', 'a', 1],
    ['the value is there already', [simple('a')], wanted('a', '', ''), 'a', 'a', 2],
    ['one more beside ours', [simple('a')], wanted('b', '', 'a'), 'a', 'ab', 1],
    ['what the ledger holds was never written', [], wanted('b', '', 'a'), '', 'b', 2],
    ['of two in the ledger one was written', [simple('a')], wanted('c', '', 'ab'), 'a', 'ac', 3],
    ['our only value goes', [simple('a')], wanted('', 'a', 'a'), 'a', '', 1],
    ['one of ours goes', [simple('ab')], wanted('', 'a', 'ab'), 'ab', 'b', 1],
    ['it is gone already, with a neighbour', [simple('b')], wanted('', 'a', 'ab'), 'b', 'b', 2],
    ['it is gone already: proven by two refusals', [], wanted('', 'a', 'a'), '', '', 2],
    ['two values go that the ledger does not know', [simple('ab')], wanted('', 'ab', ''), 'ab', '', 1],
    ['beside multivalue sets of others', [foreign('x')], wanted('a', '', ''), '', 'ax', 2],
    [
      'two values beside multivalue sets, one there',
      [foreign('x'), multivalue('a')],
      wanted('ab', '', 'a'),
      'a',
      'abx',
      3,
    ],
    ['our multivalue set goes', [foreign('x'), multivalue('a')], wanted('', 'a', 'a'), 'a', 'x', 2],
    ['a set of others refuses all, and stays', [simple('x')], wanted('a', '', ''), 'unreadable', 'x', 2],
    [
      'a set of others and ours refuses the removal, and stays',
      [simple('ax')],
      wanted('', 'a', 'a'),
      'unreadable',
      'ax',
      1,
    ],
    ['another TTL is another set', [simple('a', 300)], wanted('', 'a', 'a'), 'unreadable', 'a', 1],
  ])('%s', (_title, sets, what, ended, left, writes) => {
    expect(settle(sets, what)).toMatchObject({ ended, left, writes });
  });
});

describe('with the right to read', () => {
  test.each<readonly [string, readonly ResourceRecordSet[], Wanted, ended: string, left: string]>([
    ['a set of others is added to', [simple('x', 300)], wanted('a', '', ''), 'x', 'ax'],
    ['our value leaves a set of others', [simple('ax', 300)], wanted('', 'a', 'a'), 'ax', 'x'],
    ['a value that others wrote too is left', [simple('ax')], wanted('a', '', ''), 'a', 'ax'],
    ['a last value leaves', [simple('a', 300)], wanted('', 'a', 'a'), 'a', ''],
    ['nothing to remove in a set of others', [simple('x')], wanted('', 'a', 'a'), '', 'x'],
  ])('%s', (_title, sets, what, ended, left) => {
    const settled = settle(sets, what, true);
    expect(settled).toMatchObject({ ended, left, reads: 1 });
    expect(settled.model.sets.every(({ TTL }) => TTL === sets[0]?.TTL)).toBe(true);
  });

  test('sets of weighted routing take no value', () => {
    const weighted: ResourceRecordSet = { ...simple('x'), SetIdentifier: 'blue', Weight: 1 };
    const model = new ZoneModel([weighted]);
    // The model knows two kinds only; Route 53 refuses this one, too.
    const ladder = climb(wanted('a', '', ''));
    ladder.next();
    const refused = {
      kind: 'refused' as const,
      blames: [{ name, setIdentifier: undefined, reason: 'other' as const, text: '' }],
    };
    let step = ladder.next(refused);
    while (step.done !== true && step.value !== 'read') step = ladder.next(refused);
    step = ladder.next({ kind: 'sets', sets: model.sets });
    expect(step.value).toMatchObject({ kind: 'refused', reason: 'blocked' });
  });
});

test('values of others survive, done means done, and the climb is short, whatever stands there', () => {
  const letters = fc.subarray(['a', 'b', 'c', 'd']);
  const stored = fc.oneof(
    fc.tuple(fc.constant('simple' as const), letters, fc.subarray(['x', 'y'])),
    fc.tuple(fc.constant('multivalue' as const), letters, fc.subarray(['x', 'y'])),
  );
  const cases = fc.record({ stored, present: letters, absent: letters, held: letters, reading: fc.boolean() });
  fc.assert(
    fc.property(cases, ({ stored: [kind, ours, others], present, absent, held, reading }) => {
      const leaving = absent.filter((value) => !present.includes(value));
      if (present.length + leaving.length === 0) return;
      const all = [...ours, ...others];
      const sets =
        kind === 'multivalue'
          ? [...ours.map(multivalue), ...others.map(foreign)]
          : all.length > 0
            ? [simple(all.join(''), 60)]
            : [];
      const what = wanted(present.join(''), leaving.join(''), held.join(''));
      const { ended, model } = settle(sets, what, reading);
      const expected = ended === 'unreadable' ? all : [...all.filter((one) => !leaving.includes(one)), ...present];
      expect(model.values).toEqual([...new Set(expected)].sort());
      expect(model.sent.length).toBeLessThanOrEqual(mostWrites);
      if (reading) expect(ended).not.toBe('unreadable');
    }),
    { seed: 20262, numRuns: 2_000 },
  );
});

test('a writer who comes in before any request loses nothing', () => {
  const cases = fc.record({ at: fc.nat(4), ours: fc.boolean(), state: fc.constantFrom('present', 'absent') });
  fc.assert(
    fc.property(cases, ({ at, ours, state }) => {
      const model = new ZoneModel(ours ? [simple('a')] : []);
      const what = state === 'present' ? wanted('a', '', '') : wanted('', 'a', 'a');
      model.run(
        climb(what),
        () => ({ kind: 'sets', sets: model.sets }),
        (write) => {
          if (write === at) model.sets = [simple(`${model.values.join('')}x`)];
        },
      );
      if (model.sent.length > at) expect(model.values).toContain('x');
    }),
    { seed: 20263, numRuns: 200 },
  );
});
