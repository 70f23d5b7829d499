import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { readBlames } from './batch-refusal.ts';

const names = new Set(['a.example.com', '*.example.com', 'b.example.com', 'a.example.org'].map(toDnsName));
const shortly = (messages: readonly string[]) => readBlames(messages, names).map(({ name, reason }) => [name, reason]);

const set = (more = '') => `resource record set [name='a.example.com.', type='TXT'${more}]`;
const rrset = (more = '') => `RRSet with DNS name a.example.com., type TXT${more}`;

// As users quote them, with names of this test: see the sources in batch-refusal.ts.
test.each<readonly [string, readonly (readonly string[])[]]>([
  [`[Tried to create ${set()} but it already exists]`, [['a.example.com', 'exists']]],
  [`Tried to create ${set()} but it already exists`, [['a.example.com', 'exists']]],
  [`[Tried to create ${set(", set-identifier='zoneproof-1'")} but it already exists]`, [['a.example.com', 'exists']]],
  [`[Tried to delete ${set()} but it was not found]`, [['a.example.com', 'not-found']]],
  [
    `Tried to delete ${set(`, set-identifier='"5CiRHXrp9tvpLNX8F9M8qbi8u9kwb3xnHrKdLNDlRQA"'`)} but it was not found`,
    [['a.example.com', 'not-found']],
  ],
  [
    "[Tried to delete resource record set [name='\\052.example.com.', type='TXT'] but the values provided do not match the current values]",
    [['*.example.com', 'differs']],
  ],
  ['Tried to create resource record set a.example.com., type TXT but it already exists', [['a.example.com', 'exists']]],
  [
    'Tried to delete resource record set a.example.com. type TXT,but it was not found',
    [['a.example.com', 'not-found']],
  ],
  [
    `[${rrset()} cannot be created as other RRSets exist with the same name and type.]`,
    [['a.example.com', 'other-kind']],
  ],
  [
    `[${rrset(', SetIdentifier zoneproof-1')} cannot be created because a non multivalue answer rrset exists with the same name and type.]`,
    [['a.example.com', 'other-kind']],
  ],
  [
    `[${rrset(', SetIdentifier "of cert-manager"')} cannot be created because a non multivalue answer rrset exists with the same name and type.]`,
    [['a.example.com', 'other-kind']],
  ],
  [
    `[${rrset(', SetIdentifier zoneproof-1')} cannot be created as a non-weighted set exists with the same name and type.]`,
    [['a.example.com', 'other-kind']],
  ],
  [
    `[${rrset(', SetIdentifier zoneproof-1, and Region Name=us-east-1')} cannot be created because a latency RRSet with the same name, type and region already exists.]`,
    [['a.example.com', 'other-kind']],
  ],
  [
    `[${rrset(', SetIdentifier zoneproof-1')} cannot be created as weighted sets must contain the same TTL.]`,
    [['a.example.com', 'unclear']],
  ],
  ['[RRSet with DNS name a.example.org. is not permitted in zone example.com.]', [['a.example.org', 'outside']]],
  [
    '[RRSet of type TXT with DNS name a.example.com. is not permitted because a conflicting RRSet of type  CNAME with the same DNS name already exists in zone b.example.com.]',
    [['a.example.com', 'cname']],
  ],
  [
    "[The request contains an invalid set of changes for a resource record set 'TXT a.example.com.']",
    [['a.example.com', 'unclear']],
  ],
  ['[Something new is in the way of A.EXAMPLE.COM., sorry]', [['a.example.com', 'unclear']]],
  [`Tried to delete ${set()} but it was not found, or hidden`, [['a.example.com', 'unclear']]],
  ['[Number of records limit of 1000 exceeded.]', []],
  ["[Duplicate Resource Record: '10.160.0.188']", []],
  ["[Invalid Resource Record: 'FATAL problem: CharacterStringTooLong (Value is too long) encountered with 'x'']", []],
  [`[Tried to create resource record set [name='c.example.com.', type='TXT'] but it already exists]`, []],
  ['', []],
])('%s', (message, blames) => expect(shortly([message])).toEqual(blames));

test('several messages come as one text, also over several lines, or as a list', () => {
  const one = (label: string) =>
    `Tried to create resource record set [name='${label}.example.com.', type='TXT'] but it already exists`;
  const blames = [
    ['a.example.com', 'exists'],
    ['b.example.com', 'exists'],
  ];
  expect(shortly([`[${one('a')}, ${one('b')}]`])).toEqual(blames);
  expect(shortly([`[${one('a')}.,\n${one('b')}]`])).toEqual(blames);
  expect(shortly([one('a'), one('b')])).toEqual(blames);
});

test('nothing that Route 53 may say makes reading fail, and only its own sentence proves that nothing was found', () => {
  const words = fc.constantFrom(
    'Tried to delete ',
    "resource record set [name='a.example.com.",
    "', type='TXT'",
    '] but it was not found',
    ' and not found',
    'RRSet ',
    '[',
    ', ',
    'x.',
  );
  const texts = fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      for (const { reason, text: said } of readBlames([text], names))
        if (reason === 'not-found')
          expect(said).toMatch(/^Tried to delete .*a\.example\.com.*but it was not found[.\s]*$/s);
    }),
    { seed: 20261, numRuns: 500 },
  );
});
