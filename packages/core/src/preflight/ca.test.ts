import { type CaFacts, judgeAccount, judgeClock, judgeProfile, judgeTerms } from './ca.ts';
import { expectVerdict, type Row } from './testing/expect-verdict.ts';

const ca: CaFacts = {
  identities: ['ca.example'],
  externalAccountRequired: false,
  hasExternalAccount: false,
  account: { url: 'https://ca.example/acct/1', status: 'valid' },
  profiles: { short: '' },
};

test.each<Row<Partial<CaFacts>>>([
  ['valid', {}, 'ok', /is valid$/],
  ['deactivated', { account: { url: 'u', status: 'deactivated' } }, 'failed', /name another Secret/],
  ['to be made', { account: 'missing' }, 'ok', /first issuance makes it/],
  [
    'to be made, and bound to nothing',
    { account: 'missing', externalAccountRequired: true },
    'failed',
    /set externalAccountBinding/,
  ],
  [
    'to be made and bound',
    { account: 'missing', externalAccountRequired: true, hasExternalAccount: true },
    'ok',
    /first/,
  ],
  ['the key cannot be read', { account: { problem: 'told' } }, 'failed', /^told$/],
])('account: %s', (_title, parts, result, detail) =>
  expectVerdict(judgeAccount('CA', { ...ca, ...parts }), result, detail),
);

test.each<Row<Partial<CaFacts>>>([
  ['none', {}, 'skipped', /has no terms/],
  ['as agreed', { termsOfService: 'u1', agreedTerms: 'u1' }, 'ok', /u1/],
  ['changed since', { termsOfService: 'u2', agreedTerms: 'u1' }, 'warning', /are u2 now, and the account agreed to u1/],
  ['to be agreed to', { termsOfService: 'u1', account: 'missing' }, 'ok', /will agree to u1/],
])('terms: %s', (_title, parts, result, detail) =>
  expectVerdict(judgeTerms('CA', { ...ca, ...parts }), result, detail),
);

test.each<Row<Partial<CaFacts>>>([
  ['none wanted', {}, 'skipped', /no profile/],
  ['one that is there', { profile: 'short' }, 'ok', /has the profile short/],
  ['one that is not', { profile: 'shrot' }, 'failed', /no profile "shrot" \(it has short\)/],
])('profile: %s', (_title, parts, result, detail) =>
  expectVerdict(judgeProfile('CA', { ...ca, ...parts }), result, detail),
);

test.each<Row<Partial<CaFacts>>>([
  ['not told', {}, 'skipped', /does not tell the time/],
  ['right', { clockAheadMs: -1_400 }, 'ok', /agree to 1 s$/],
  ['ahead', { clockAheadMs: 90_000 }, 'warning', /90 s ahead of that of CA; set it right/],
  ['behind', { clockAheadMs: -301_000 }, 'warning', /301 s behind/],
])('clock: %s', (_title, parts, result, detail) =>
  expectVerdict(judgeClock('CA', { ...ca, ...parts }), result, detail),
);
