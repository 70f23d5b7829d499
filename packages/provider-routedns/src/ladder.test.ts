import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { ProviderError } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { type Answer, climb, type Ending, mostWrites } from './ladder.ts';
import { identifierOf, multivalueSet, simpleSet, valuesOf } from './record-sets.ts';
import { type Telling, ZoneModel } from './testing/zone-model.ts';
import type { Wanted } from './wanted.ts';

const name = toDnsName('_acme-challenge.a.test');
const denied = new ProviderError({ kind: 'permission', message: 'no right to read' });
const unreadable = (): Answer => ({ kind: 'unreadable', error: denied });

const simple = (values: string, ttl = 60) => simpleSet(name, [...values], ttl);
const multivalue = (value: string, ttl = 60) => multivalueSet(name, value, ttl);
const foreign = (value: string): ResourceRecordSet => ({
  ...simple(value, 300),
  SetIdentifier: `by-${value}`,
  MultiValueAnswer: true,
});
const weighted = (value: string): ResourceRecordSet => ({ ...simple(value), SetIdentifier: `w-${value}`, Weight: 1 });
const alias: ResourceRecordSet = {
  Name: `${name}.`,
  Type: 'TXT',
  AliasTarget: { HostedZoneId: 'Z1', DNSName: 'b.test.', EvaluateTargetHealth: false },
};
/** Ours, edited by somebody. */
const edited = (value: string): ResourceRecordSet => ({ ...foreign('o'), SetIdentifier: identifierOf(value) });

function wanted(present: string, absent: string, held: string): Wanted {
  return { name, present: [...present], absent: [...absent], held: [...held], ttl: 60 };
}

/** `reading`: with the right to read. Answers how it ended and what stands there then. */
function settle(sets: readonly ResourceRecordSet[], what: Wanted, reading = false, telling: Telling = 'all') {
  const model = new ZoneModel(sets, telling);
  const ending = model.run(climb(what), () => (reading ? { kind: 'sets', sets: model.sets } : unreadable()));
  const ended = ending.kind === 'done' ? [...ending.before].sort().join('') : ending.kind;
  return { ended, ending, left: model.values.join(''), writes: model.sent.length, reads: model.reads, model };
}

describe('without the right to read', () => {
  test.each<readonly [string, readonly ResourceRecordSet[], Wanted, ended: string, left: string, writes: number]>([
    ['nothing is there', [], wanted('a', '', ''), '', 'a', 1],
    ['the value is there already', [simple('a')], wanted('a', '', ''), 'a', 'a', 2],
    ['one more beside ours', [simple('a')], wanted('b', '', 'a'), 'a', 'ab', 1],
    ['what the ledger holds was never written', [], wanted('b', '', 'a'), '', 'b', 2],
    ['of two in the ledger one was written', [simple('a')], wanted('c', '', 'ab'), 'a', 'ac', 3],
    ['of three that go one was written', [simple('b')], wanted('', 'abc', ''), 'b', '', 6],
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
    ['a multivalue set is there: proven by replacing it', [multivalue('a')], wanted('a', '', ''), 'a', 'a', 3],
    ['a set of ours that somebody edited proves nothing', [edited('a')], wanted('a', '', ''), 'unreadable', 'o', 3],
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
    ['a value cannot be in weighted sets: gone', [weighted('x')], wanted('', 'a', 'a'), '', 'x', 2],
    ['weighted sets refuse all, and stay', [weighted('x')], wanted('a', '', ''), 'unreadable', 'x', 2],
    ['an alias refuses all, and stays', [alias], wanted('a', '', ''), 'unreadable', '', 2],
  ])('%s', (_title, sets, what, ended, left, writes) => {
    expect(settle(sets, what)).toMatchObject({ ended, left, writes });
  });

  test('multivalue sets that were never written are proven gone, though one is named at a time', () => {
    expect(settle([foreign('x')], wanted('', 'abcd', ''), false, 'first')).toMatchObject({ ended: '', left: 'x' });
  });

  test('words that are not understood end in no claim, and are passed on', () => {
    expect(settle([simple('x')], wanted('a', '', ''), false, 'nothing').ending).toMatchObject({
      kind: 'unreadable',
      unclear: 'no',
    });
    expect(settle([], wanted('', 'a', ''), false, 'nothing').ended).toBe('unreadable');
    expect(settle([simple('ax')], wanted('', 'a', ''), false, 'nothing of simple sets').ended).toBe('unreadable');
  });
});

describe('with the right to read', () => {
  test.each<readonly [string, readonly ResourceRecordSet[], Wanted, ended: string, left: string]>([
    ['a set of others is added to', [simple('x', 300)], wanted('a', '', ''), '', 'ax'],
    ['our value leaves a set of others', [simple('ax', 300)], wanted('', 'a', 'a'), 'a', 'x'],
    ['a value that others wrote too is left', [simple('ax')], wanted('a', '', ''), 'a', 'ax'],
    ['a last value leaves', [simple('a', 300)], wanted('', 'a', 'a'), 'a', ''],
    ['nothing to remove in a set of others', [simple('x')], wanted('', 'a', 'a'), '', 'x'],
    ['nothing to remove at an alias', [alias], wanted('', 'a', 'a'), '', ''],
    ['a value joins what somebody made of our set', [edited('a')], wanted('a', '', ''), '', 'ao'],
    ['and leaves it', [{ ...edited('a'), ...simple('ao', 300) }], wanted('', 'a', 'a'), 'a', 'o'],
    ['a value of ours that others hold as well', [foreign('a'), edited('a')], wanted('a', '', ''), '', 'aao'],
    ['a value that only others hold', [foreign('a'), edited('b')], wanted('b', 'a', 'a'), '', 'abo'],
  ])('%s', (_title, sets, what, ended, left) => {
    const settled = settle(sets, what, true);
    expect(settled).toMatchObject({ ended, left, reads: 1 });
    expect(settled.model.sets.every(({ TTL }) => TTL === sets[0]?.TTL)).toBe(true);
  });

  test.each([
    ['sets of weighted routing', [weighted('x')]],
    ['an alias', [alias]],
  ])('%s take no value', (_title, sets) => {
    expect(settle(sets, wanted('a', '', ''), true).ended).toBe('blocked');
  });

  test('what was read and is refused all the same is a conflict with the words', () => {
    const ladder = climb(wanted('a', '', ''));
    const refused: Answer = { kind: 'refused', blames: [{ name, reason: 'unclear', text: 'no' }] };
    let step = ladder.next();
    while (step.done !== true) step = ladder.next(step.value === 'read' ? { kind: 'sets', sets: [] } : refused);
    expect(step.value).toEqual({ kind: 'conflict', unclear: 'no' });
  });
});

const letters = fc.subarray(['a', 'b', 'c', 'd']);
const others = fc.subarray(['x', 'y']);
const telling = fc.constantFrom<Telling>('all', 'first', 'nothing of simple sets', 'nothing');
const ttls = fc.constantFrom(60, 300);
/** What may stand at a name: of ours alone, of others, of both, edited. */
const standing: fc.Arbitrary<readonly ResourceRecordSet[]> = fc.oneof(
  fc
    .tuple(letters, others, ttls)
    .map(([ours, theirs, ttl]) =>
      ours.length + theirs.length === 0 ? [] : [simple([...ours, ...theirs].join(''), ttl)],
    ),
  fc
    .tuple(letters, others, ttls, fc.subarray(['a', 'b']))
    .map(([ours, theirs, ttl, spoilt]) => [
      ...ours.filter((value) => !spoilt.includes(value)).map((value) => multivalue(value, ttl)),
      ...theirs.map(foreign),
      ...spoilt.map(edited),
    ]),
  others.map((theirs) => theirs.map(weighted)),
  fc.constant([alias]),
);
const calls = fc
  .record({ present: letters, all: letters, held: letters })
  .map(({ present, all, held }) => ({ present, absent: all.filter((value) => !present.includes(value)), held }))
  .filter(({ present, absent }) => present.length + absent.length > 0);

/** What is not ours, byte for byte. */
function theirs(sets: readonly ResourceRecordSet[]): string {
  const rows = sets.flatMap(({ SetIdentifier, TTL, ResourceRecords = [], ...rest }) =>
    ResourceRecords.filter(({ Value = '' }) => !/^"[a-d]"$/.test(Value)).map(({ Value }) =>
      JSON.stringify([SetIdentifier, TTL, Value, rest]),
    ),
  );
  return rows.sort().join('\n');
}

/** Held as ours: in a simple set, or in a multivalue set of our own. */
function isOurs(sets: readonly ResourceRecordSet[], value: string): boolean {
  const own = sets.filter(({ SetIdentifier }) => SetIdentifier === undefined || SetIdentifier === identifierOf(value));
  return own.some((set) => valuesOf(set).includes(value));
}

/** What is wrong with an ending, and with what it left. */
function untruths(ending: Ending, what: Wanted, before: ZoneModel['sets'], after: ZoneModel['sets']): string[] {
  const wrong: string[] = [];
  const claim = (right: boolean, text: string) => void (right || wrong.push(text));
  claim(theirs(after) === theirs(before), 'what is not ours is not as it was');
  const asked = [...what.present, ...what.absent];
  for (const value of ['a', 'b', 'c', 'd']) {
    const [was, is] = [isOurs(before, value), isOurs(after, value)];
    if (ending.kind !== 'done' || !asked.includes(value)) claim(was === is, `${value} was not to be touched`);
    else {
      claim(is === what.present.includes(value), `${value} is not as wanted`);
      claim(ending.before.includes(value) === was, `what was told of ${value} is not true`);
    }
  }
  return wrong;
}

test('what is not ours stays, done and before are true, whatever stands there and however little refusals tell', () => {
  fc.assert(
    fc.property(standing, calls, fc.boolean(), telling, (sets, call, reading, tells) => {
      const what = { name, ...call, ttl: 60 };
      const { ending, model } = settle(sets, what, reading, tells);
      expect(untruths(ending, what, sets, model.sets)).toEqual([]);
      if (tells === 'all') expect(model.sent.length).toBeLessThanOrEqual(mostWrites);
      if (reading) expect(ending.kind).not.toBe('unreadable');
      if (reading && tells === 'all') expect(['done', 'blocked']).toContain(ending.kind);
    }),
    { seed: 20262, numRuns: 1_000 },
  );
});

test('ours alone: three values or fewer are found without reading, whichever of them were written', () => {
  const three = fc.subarray(['a', 'b', 'c']);
  const cases = fc.record({ written: three, present: three, all: three, own: fc.boolean() });
  fc.assert(
    fc.property(cases, telling, ({ written, present, all, own }, tells) => {
      const absent = all.filter((value) => !present.includes(value));
      if (present.length + absent.length === 0 || tells.startsWith('nothing')) return;
      const sets = own
        ? written.map((value) => multivalue(value))
        : written.length > 0
          ? [simple(written.join(''))]
          : [];
      const what = { name, present, absent, held: ['a', 'b', 'c'], ttl: 60 };
      const { ending, model, writes } = settle(sets, what, false, tells);
      expect(ending.kind).toBe('done');
      expect(untruths(ending, what, sets, model.sets)).toEqual([]);
      expect(writes).toBeLessThanOrEqual(mostWrites);
    }),
    { seed: 20265, numRuns: 500 },
  );
});

test('an answer that is lost after the write, and a restart: applied again it is done, and nothing is left or lost', () => {
  fc.assert(
    fc.property(standing, calls, fc.nat(3), fc.boolean(), (sets, call, lost, reading) => {
      const what = { name, ...call, ttl: 60 };
      const model = new ZoneModel(sets);
      const ladder = climb(what);
      let step = ladder.next();
      for (let write = 0; step.done !== true; ) {
        if (step.value === 'read') step = ladder.next(reading ? { kind: 'sets', sets: model.sets } : unreadable());
        else {
          const answer = model.write(step.value.send);
          if (write++ === lost) break;
          step = ladder.next(answer);
        }
      }
      const between = model.sets;
      const held = [...new Set([...call.held, ...call.present, ...call.absent])];
      const again = settle(between, { ...what, held }, reading);
      expect(untruths(again.ending, what, between, again.model.sets)).toEqual([]);
      expect(theirs(again.model.sets)).toBe(theirs(sets));
      if (reading) expect(['done', 'blocked']).toContain(again.ending.kind);
    }),
    { seed: 20266, numRuns: 500 },
  );
});

test('a writer who comes in before any write loses nothing', () => {
  fc.assert(
    fc.property(standing, calls, fc.nat(6), fc.boolean(), telling, (sets, call, at, reading, tells) => {
      const what = { name, ...call, ttl: 60 };
      const model = new ZoneModel(sets, tells);
      let foreigners = theirs(sets);
      model.run(
        climb(what),
        () => (reading ? { kind: 'sets', sets: model.sets } : unreadable()),
        (write) => {
          if (write !== at) return;
          const [set] = model.sets;
          if (set === undefined) model.sets = [simple('z', 300)];
          else if (set.SetIdentifier !== undefined)
            model.sets = [...model.sets, { ...set, ...simple('z'), SetIdentifier: 'z' }];
          else if (set.AliasTarget === undefined)
            model.sets = [{ ...set, ResourceRecords: [...(set.ResourceRecords ?? []), { Value: '"z"' }] }];
          foreigners = theirs(model.sets);
        },
      );
      expect(theirs(model.sets)).toBe(foreigners);
    }),
    { seed: 20263, numRuns: 500 },
  );
});
