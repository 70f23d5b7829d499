import { type ChangeOutcome, ProviderError, type TxtChange } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { judgeSlots, planSlots } from './slots.ts';

const name = toDnsName('a.auth.example.net');
/** A value of 43 characters that begins with `letter`. */
const v = (letter: string): string => letter.repeat(43);
const change = (state: TxtChange['state'], value: string, held: readonly string[] = []): TxtChange => ({
  state,
  name,
  value,
  ttl: 1,
  held: { values: held, ttl: undefined },
});
const present = (value: string, held?: readonly string[]) => change('present', value, held);

const words = (outcomes: readonly ('send' | ChangeOutcome)[]): string[] =>
  outcomes.map((one) => (one === 'send' ? one : 'error' in one ? `${one.status} ${one.error.kind}` : one.status));

test.each<[string, readonly TxtChange[], readonly string[] | undefined, string[]]>([
  ['sends what is not live', [present(v('a'))], [], ['send']],
  ['does not send what is live', [present(v('a')), present(v('b'))], [v('b')], ['send', 'unchanged']],
  ['sends nothing for absent, seen or unseen', [change('absent', v('a'))], undefined, ['unchanged']],
  ['sends over foreign values', [present(v('a'))], [v('x'), v('y')], ['send']],
  ['sends beside one live value of ours', [present(v('a'), [v('b')])], [v('b'), v('x')], ['send']],
  ['has no third slot', [present(v('a'), [v('b'), v('c')])], [v('b'), v('c')], ['failed quota']],
  ['takes a slot that the ledger holds and nobody publishes', [present(v('a'), [v('b'), v('c')])], [v('b')], ['send']],
  ['sends unseen when nothing else is held', [present(v('a'))], undefined, ['send']],
  ['sends a whole pair unseen', [present(v('a'), [v('b')]), present(v('b'), [v('a')])], undefined, ['send', 'send']],
  ['sends nothing unseen beside another order', [present(v('a'), [v('b')])], undefined, ['failed unavailable']],
  ['takes 43 characters only', [present('short')], [], ['failed invalid']],
  ['takes base64url only', [present(`${v('a').slice(1)}=`)], [], ['failed invalid']],
])('%s', (_title, changes, live, expected) => expect(words(planSlots(changes, live, 'at'))).toEqual(expected));

const refusedBy = (status: 'failed' | 'unknown'): ReadonlyMap<string, ChangeOutcome> =>
  new Map([[v('a'), { status, error: new ProviderError({ kind: 'auth', message: '' }) }]]);

test.each<
  [
    string,
    readonly TxtChange[],
    readonly string[] | undefined,
    ReadonlyMap<string, ChangeOutcome>,
    readonly string[] | undefined,
    string[],
  ]
>([
  ['seen afterwards is changed', [present(v('a'))], [], new Map(), [v('a')], ['changed']],
  ['unseen afterwards is failed', [present(v('a'))], [], new Map(), [v('x')], ['failed unavailable']],
  ['silence afterwards is unknown', [present(v('a'))], [], new Map(), undefined, ['unknown unavailable']],
  ['never seen is changed on the word of the API', [present(v('a'))], undefined, new Map(), undefined, ['changed']],
  ['refused is what it was refused for', [present(v('a'))], [], refusedBy('failed'), [], ['failed auth']],
  ['lost is unknown', [present(v('a'))], [], refusedBy('unknown'), [], ['unknown auth']],
  [
    'written over by its sibling is a conflict',
    [present(v('a')), present(v('b'))],
    [v('a')],
    new Map(),
    [v('b'), v('x')],
    ['failed conflict', 'changed'],
  ],
  [
    'kept beside its sibling is unchanged',
    [present(v('a')), present(v('b'))],
    [v('a')],
    new Map(),
    [v('b'), v('a')],
    ['unchanged', 'changed'],
  ],
])('%s', (_title, changes, before, refused, after, expected) => {
  const steps = planSlots(changes, before, 'at');
  expect(words(judgeSlots(changes, steps, refused, { before, after }, 'at'))).toEqual(expected);
});
