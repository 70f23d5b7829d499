import { type CaaData, type CaaRequest, judgeCaa, parseCaaIssuer } from '@zoneproof/dns';
import fc from 'fast-check';

/** `128 issue ca.example; a=b`, as in a zone file without quotes. */
const caa = (text: string): CaaData => {
  const [, flags, tag = '', value = ''] = /^(\d+) (\S+) ?(.*)$/s.exec(text) ?? [];
  return { flags: Number(flags), tag, value };
};
const judge = (properties: readonly string[], request: Partial<CaaRequest> = {}) =>
  judgeCaa(properties.map(caa), { issuers: ['ca1.example'], wildcard: false, method: 'dns-01', ...request });
const ours = 'https://ca1.example/acct/1';

describe('may this CA issue?', () => {
  test.each<[string, readonly string[], Partial<CaaRequest>, 'allowed' | string]>([
    ['no properties', [], {}, 'allowed'],
    // RFC 8659 4.2
    ['the CA is named', ['0 issue ca1.example'], {}, 'allowed'],
    ['the CA is one of two', ['0 issue ca1.example', '0 issue ca2.example'], {}, 'allowed'],
    ['another CA is named', ['0 issue ca2.example'], {}, 'issuer'],
    ['nobody is named', ['0 issue ;'], {}, 'nobody'],
    ['nobody is named, without a semicolon', ['0 issue '], {}, 'nobody'],
    ['nobody, and beside it the CA', ['0 issue ;', '0 issue ca1.example'], {}, 'allowed'],
    ['a malformed value counts as nobody', ['0 issue %%%%%'], {}, 'malformed'],
    ['a malformed value beside a good one', ['0 issue %%%%%', '0 issue ca1.example'], {}, 'allowed'],
    ['parameters that concern others only', ['0 issue ca1.example; account=230123'], {}, 'allowed'],
    ['spaces and tabs', ['0 issue \t ca1.example \t;\t account = 230123 '], {}, 'allowed'],
    ['a parameter without a value', ['0 issue ca1.example; account='], {}, 'allowed'],
    ['a parameter without an equals sign', ['0 issue ca1.example; account'], {}, 'malformed'],
    ['an empty parameter at the end', ['0 issue ca1.example; account=1;'], {}, 'malformed'],
    ['a final semicolon', ['0 issue ca1.example;'], {}, 'allowed'],
    ['a name by its suffix', ['0 issue example'], {}, 'issuer'],
    ['letters of another case', ['0 ISSUE CA1.Example'], {}, 'allowed'],
    ['a second identity of the CA', ['0 issue ca2.example'], { issuers: ['ca1.example', 'ca2.example'] }, 'allowed'],
    ['a CA that tells no identity', ['0 issue ca2.example'], { issuers: [] }, 'issuer'],
    // RFC 8659 4.3
    ['issuewild for a name', ['0 issuewild ca2.example'], {}, 'allowed'],
    ['issuewild for a wildcard', ['0 issuewild ca2.example'], { wildcard: true }, 'issuer'],
    ['issuewild goes before issue', ['0 issue ca1.example', '0 issuewild ca2.example'], { wildcard: true }, 'issuer'],
    ['issuewild of nobody', ['0 issue ca1.example', '0 issuewild ;'], { wildcard: true }, 'nobody'],
    ['issuewild lets a wildcard', ['0 issue ca2.example', '0 issuewild ca1.example'], { wildcard: true }, 'allowed'],
    ['issue is for wildcards too', ['0 issue ca2.example'], { wildcard: true }, 'issuer'],
    // RFC 8659 4.4, 4.5
    ['iodef restricts nothing', ['0 iodef mailto:a@b.example', '128 iodef mailto:a@b.example'], {}, 'allowed'],
    ['unknown and not critical', ['0 tbs Unknown', '0 issue ca1.example'], {}, 'allowed'],
    ['unknown and critical', ['0 issue ca1.example', '128 tbs Unknown'], {}, 'critical'],
    [
      'unknown and critical, for a wildcard',
      ['0 issuewild ca1.example', '128 tbs Unknown'],
      { wildcard: true },
      'critical',
    ],
    ['unknown with flag 1, which Boulder takes for critical', ['1 tbs Unknown'], {}, 'critical'],
    ['unknown with flag 2', ['2 tbs Unknown'], {}, 'allowed'],
    ['known and critical', ['128 issue ca1.example'], {}, 'allowed'],
    // RFC 8657 3
    ['our account', [`0 issue ca1.example; accounturi=${ours}`], { accountUrl: ours }, 'allowed'],
    ['another account', [`0 issue ca1.example; accounturi=${ours}2`], { accountUrl: ours }, 'account'],
    ['an account, and none registered yet', [`0 issue ca1.example; accounturi=${ours}`], {}, 'account'],
    ['no account and none registered yet', ['0 issue ca1.example'], {}, 'allowed'],
    [
      'two accounts in one property',
      [`0 issue ca1.example; accounturi=${ours}; accounturi=${ours}`],
      { accountUrl: ours },
      'account',
    ],
    [
      'two accounts in two properties',
      [`0 issue ca1.example; accounturi=${ours}2`, `0 issue ca1.example; accounturi=${ours}`],
      { accountUrl: ours },
      'allowed',
    ],
    ['an account of another CA', [`0 issue ca2.example; accounturi=${ours}`], { accountUrl: ours }, 'issuer'],
    ['an empty account', ['0 issue ca1.example; accounturi='], { accountUrl: ours }, 'account'],
    // RFC 8657 4
    ['our method', ['0 issue ca1.example; validationmethods=dns-01'], {}, 'allowed'],
    ['our method among others', ['0 issue ca1.example; validationmethods=http-01,dns-01'], {}, 'allowed'],
    ['another method', ['0 issue ca1.example; validationmethods=http-01'], {}, 'method'],
    ['a method by its prefix', ['0 issue ca1.example; validationmethods=dns'], {}, 'method'],
    ['no method at all', ['0 issue ca1.example; validationmethods='], {}, 'method'],
    ['a list with a hole', ['0 issue ca1.example; validationmethods=dns-01,,http-01'], {}, 'method'],
    ['two lists', ['0 issue ca1.example; validationmethods=dns-01; validationmethods=dns-01'], {}, 'method'],
    [
      'our account by another method',
      [`0 issue ca1.example; accounturi=${ours}; validationmethods=http-01`],
      { accountUrl: ours },
      'method',
    ],
    [
      'our account and method, for wildcards only',
      ['0 issue ;', `0 issuewild ca1.example; validationmethods=dns-01; accounturi=${ours}`],
      { accountUrl: ours, wildcard: true },
      'allowed',
    ],
  ])('%s', (_title, properties, request, expected) => {
    const verdict = judge(properties, request);
    expect(verdict.decision === 'allowed' ? 'allowed' : verdict.reason).toBe(expected);
  });
});

describe('the sentence', () => {
  test.each<[readonly string[], Partial<CaaRequest>, string]>([
    [['0 iodef mailto:a@b.example'], {}, 'no CAA property restricts who may issue this'],
    [['0 issue ca1.example'], {}, 'CAA 0 issue "ca1.example" allows it'],
    [
      ['0 issue CA1.example'],
      {},
      'CAA 0 issue "CA1.example" allows it, but some CAs, as Let\'s Encrypt, want its name in lower case',
    ],
    [['0 issue ca2.example'], {}, 'CAA 0 issue "ca2.example" does not let ca1.example issue'],
    [['0 issue ;'], {}, 'CAA 0 issue ";" lets nobody issue'],
    [['0 issue a b'], {}, 'CAA 0 issue "a b" is malformed, which counts as "nobody may issue"'],
    [['128 tbs x'], {}, 'CAA 128 tbs "x" is critical and CAs need not know what it means'],
    [
      ['0 issue ca1.example;accounturi=x'],
      { accountUrl: ours },
      `CAA 0 issue "ca1.example;accounturi=x" is for another account than ${ours}`,
    ],
    [
      ['0 issue ca1.example;validationmethods=http-01'],
      {},
      'CAA 0 issue "ca1.example;validationmethods=http-01" does not allow the method dns-01',
    ],
  ])('%j', (properties, request, text) => {
    expect(judge(properties, request).text).toBe(text);
  });

  test('names the property that came closest', () => {
    const near = '0 issue ca1.example; validationmethods=http-01';
    const verdict = judge(['0 issue ;', near, '0 issue ca2.example']);
    expect(verdict.property).toEqual(caa(near));
  });

  test('is one printable line of bounded length', () => {
    const text = judge([`0 issue \u001b[31m\n${'a'.repeat(5000)}`]).text;
    expect(text).toMatch(/^[ -~]{100,300}$/);
  });
});

describe('values of issue and issuewild', () => {
  const label = fc.stringMatching(/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/);
  const space = fc.constantFrom('', ' ', '\t', ' \t ');
  const parameter = fc.record({ tag: label, value: fc.stringMatching(/^[\x21-\x3a\x3c-\x7e]{0,20}$/) });

  test('what follows the grammar is read as it was meant', () => {
    const written = fc.record({
      labels: fc.array(label, { maxLength: 4 }),
      parameters: fc.array(parameter, { maxLength: 4 }),
      space,
    });
    fc.assert(
      fc.property(written, ({ labels, parameters, space: gap }) => {
        const rest = parameters.map(({ tag, value }) => `;${gap}${tag}${gap}=${gap}${value}${gap}`).join('');
        expect(parseCaaIssuer(`${gap}${labels.join('.')}${gap}${rest}`)).toEqual({
          issuer: labels.join('.'),
          parameters,
        });
      }),
      { seed: 8659, numRuns: 500 },
    );
  });

  test('any octets are read or refused, and give one verdict', () => {
    const value = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((octets) => Buffer.from(octets).toString('latin1')),
      fc
        .array(fc.constantFrom(';', '=', ' ', '.', '-', 'a', ',', 'accounturi', 'ca1.example', '\t'), { maxLength: 20 })
        .map((parts) => parts.join('')),
    );
    const property = fc.record({
      flags: fc.integer({ min: 0, max: 255 }),
      tag: fc.constantFrom('issue', 'issuewild', 'iodef', 'x'),
      value,
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(property, { maxLength: 4 }), fc.boolean(), (rrset, wildcard) => {
        const verdict = judgeCaa(rrset, { issuers: ['ca1.example'], wildcard, method: 'dns-01', accountUrl: ours });
        seen.add(verdict.decision === 'allowed' ? 'allowed' : verdict.reason);
        for (const one of rrset) {
          const parsed = parseCaaIssuer(one.value);
          if (parsed?.issuer.includes(' ')) throw new Error('a space within the issuer');
        }
      }),
      { seed: 8657, numRuns: 3000 },
    );
    expect([...seen].sort()).toEqual(['allowed', 'critical', 'issuer', 'malformed', 'nobody']);
  });

  test.each([
    ['spaces', ' '.repeat(65_000)],
    ['spaces within', `a${' '.repeat(65_000)}b`],
    ['hyphens', `a${'-'.repeat(65_000)}!`],
    ['labels', `${'a.'.repeat(32_000)}!`],
    ['parameters', `a${';a=b'.repeat(16_000)}!`],
    ['semicolons', ';'.repeat(65_000)],
    ['methods', `ca1.example; validationmethods=${'a,'.repeat(32_000)}`],
  ])('65 000 octets of %s cost little', (_title, value) => {
    const startedAt = performance.now();
    judge([`0 issue ${value}`]);
    expect(performance.now() - startedAt).toBeLessThan(200);
  });
});
