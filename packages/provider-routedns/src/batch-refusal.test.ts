import fc from 'fast-check';
import { readBlames } from './batch-refusal.ts';

const shortly = (messages: readonly string[]) =>
  readBlames(messages).map(({ name, setIdentifier, reason }) => [
    name,
    ...(setIdentifier ? [setIdentifier] : []),
    reason,
  ]);

test.each<readonly [string, readonly (readonly string[])[]]>([
  [
    "[Tried to create resource record set [name='a.example.com.', type='TXT'] but it already exists]",
    [['a.example.com', 'exists']],
  ],
  [
    "Tried to delete resource record set [name='a.example.com.', type='TXT'] but it was not found",
    [['a.example.com', 'not-found']],
  ],
  [
    "[Tried to delete resource record set [name='\\052.example.com.', type='TXT'] but the values provided do not match the current values]",
    [['*.example.com', 'differs']],
  ],
  [
    "[Tried to create resource record set [name='a.example.com.', type='TXT', set-identifier='zoneproof-1'] but it already exists]",
    [['a.example.com', 'zoneproof-1', 'exists']],
  ],
  ['[RRSet with DNS name a.example.org. is not permitted in zone example.com.]', [['a.example.org', 'outside']]],
  [
    '[RRSet with DNS name a.example.com., type TXT cannot be created as other RRSets exist with the same name and type.]',
    [['a.example.com', 'other-kind']],
  ],
  [
    '[RRSet with DNS name a.example.com., type TXT, SetIdentifier "zoneproof-1" cannot be created because a non multivalue answer rrset exists with the same name and type.]',
    [['a.example.com', 'zoneproof-1', 'other-kind']],
  ],
  [
    '[RRSet of type TXT with DNS name a.example.com. is not permitted because a conflicting RRSet of type  CNAME with the same DNS name already exists in zone example.com.]',
    [['a.example.com', 'other']],
  ],
  [
    'Tried to delete resource record set noexist.example.com. type TXT,but it was not found',
    [['noexist.example.com', 'not-found']],
  ],
  [
    "[The request contains an invalid set of changes for a resource record set 'TXT a.example.com.']",
    [['a.example.com', 'other']],
  ],
  ["[Invalid Resource Record: 'FATAL problem: CharacterStringTooLong (Value is too long) encountered with 'x'']", []],
  ["[Tried to create resource record set [name='a.example.com.', type='A'] but it already exists]", []],
  ['', []],
])('%s', (message, blames) => expect(shortly([message])).toEqual(blames));

test('several messages come as one text or as a list', () => {
  const one = (name: string) =>
    `Tried to create resource record set [name='${name}.', type='TXT'] but it already exists`;
  const blames = [
    ['a.test', 'exists'],
    ['b.test', 'exists'],
  ];
  expect(shortly([`[${one('a.test')}, ${one('b.test')}]`])).toEqual(blames);
  expect(shortly([one('a.test'), one('b.test')])).toEqual(blames);
});

test('nothing that Route 53 may say makes reading fail', () => {
  const words = fc.constantFrom(
    'Tried to create ',
    "resource record set [name='",
    "', type='TXT'",
    '] but ',
    'RRSet ',
    '[',
    ', ',
    'x.',
  );
  const texts = fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => expect(Array.isArray(readBlames([text]))).toBe(true)),
    { seed: 20261, numRuns: 300 },
  );
});
