import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Disposition, oneLine, parseProblem, problemOf } from './problem.ts';

const urn = 'urn:ietf:params:acme:error:';

describe('what a problem asks for', () => {
  test.each<[string, string, number | undefined, number | undefined, Disposition]>([
    ['a limit that tells when it ends', 'rateLimited', 429, 60_000, 'retry-after'],
    ['a paused name: a limit that never ends by itself', 'rateLimited', 429, undefined, 'needs-human'],
    ['a limit told with 403', 'rateLimited', 403, 1000, 'retry-after'],
    ['an order that is not ready', 'orderNotReady', 403, undefined, 'retry'],
    ['a broken server', 'serverInternal', 500, undefined, 'retry'],
    ['a broken server that asks for time', 'serverInternal', 500, 60_000, 'retry-after'],
    ['a bad CSR', 'badCSR', 400, undefined, 'fix-spec'],
    ['a refused name', 'rejectedIdentifier', 400, undefined, 'fix-spec'],
    ['a profile that is not offered', 'invalidProfile', 400, undefined, 'fix-spec'],
    ['a malformed request', 'malformed', 400, undefined, 'fix-spec'],
    ['an order that is gone', 'malformed', 404, undefined, 'new-order'],
    ['an account that is not valid', 'unauthorized', 403, undefined, 'needs-human'],
    ['a wrong TXT value in a challenge', 'unauthorized', undefined, undefined, 'new-order'],
    ['DNS trouble in a challenge', 'dns', undefined, undefined, 'new-order'],
    ['CAA in a challenge', 'caa', undefined, undefined, 'needs-human'],
    ['CAA at finalize', 'caa', 403, undefined, 'needs-human'],
    ['an unknown account', 'accountDoesNotExist', 400, undefined, 'register'],
    ['new terms', 'userActionRequired', 403, undefined, 'needs-human'],
    ['a certificate replaced already', 'alreadyReplaced', 409, undefined, 'new-order'],
    ['an unknown type with 503', 'somethingNew', 503, undefined, 'retry'],
    ['an unknown type with 400', 'somethingNew', 400, undefined, 'fix-spec'],
    ['a type named like a member of every object', 'constructor', 400, undefined, 'fix-spec'],
  ])('%s', (_what, type, status, retryAfterMs, expected) => {
    expect(parseProblem({ type: urn + type, detail: 'x' }, status, retryAfterMs).disposition).toBe(expected);
  });

  test('a compound problem is as bad as its worst part', () => {
    const compound = (...types: string[]) =>
      parseProblem({ type: `${urn}compound`, subproblems: types.map((type) => ({ type: urn + type })) }, 400)
        .disposition;
    expect(compound('dns', 'rejectedIdentifier')).toBe('fix-spec');
    expect(compound('dns', 'caa')).toBe('needs-human');
    expect(compound('dns')).toBe('new-order');
  });
});

describe('RFC 8555 6.7: reading a problem', () => {
  test('types of ACME are shortened, others stay whole, none is about:blank', () => {
    expect(parseProblem({ type: `${urn}dns` }).type).toBe('dns');
    expect(parseProblem({ type: 'https://ca.example/errors/7' }).type).toBe('https://ca.example/errors/7');
    expect(parseProblem({}).type).toBe('about:blank');
  });

  test('RFC 8555 6.7.1: each subproblem keeps its name, and the message shows them', () => {
    const problem = problemOf(
      { status: 400, headers: {}, body: new Uint8Array() },
      {
        type: `${urn}malformed`,
        detail: 'Some names are refused.',
        subproblems: [
          { type: `${urn}rejectedIdentifier`, detail: 'policy', identifier: { type: 'dns', value: 'a.example' } },
          { type: `${urn}caa`, identifier: { type: 'dns', value: 'b.example' } },
          'noise',
        ],
      },
      'https://ca.example/order',
      0,
    );
    expect(problem?.subproblems).toEqual([
      { type: 'rejectedIdentifier', detail: 'policy', identifier: 'a.example' },
      { type: 'caa', detail: '', identifier: 'b.example' },
    ]);
    expect(problem?.message).toBe(
      'The CA refused (malformed, HTTP 400): Some names are refused. [a.example: policy; b.example: caa]',
    );
  });

  test('a hundred subproblems are counted, not all printed', () => {
    const subproblems = Array.from({ length: 100 }, (_, i) => ({
      detail: 'no',
      identifier: { value: `n${i}.example` },
    }));
    const problem = problemOf({ status: 400, headers: {}, body: new Uint8Array() }, { subproblems }, 'https://x/', 0);
    expect(problem?.subproblems).toHaveLength(100);
    expect(problem?.message).toMatch(/n4\.example: no; and 95 more\]$/);
  });

  test('the text of a CA is one line of at most 1 KiB without control or direction characters', () => {
    const { detail } = parseProblem({ detail: `a\r\nb\u001b[31m\u202ec\u2028d\u0000${'x'.repeat(5000)}` });
    expect(detail).toMatch(/^a b \[31m c d x+\.\.\.$/);
    expect(detail).toHaveLength(1024);
  });

  test('any JSON gives a problem whose texts are printable', () => {
    const members = ['type', 'detail', 'title', 'subproblems', 'identifier', 'value'];
    const json = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(...members),
        fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(fc.constantFrom(...members), fc.jsonValue()))),
      ),
    );
    fc.assert(
      fc.property(json, fc.option(fc.integer({ min: 400, max: 599 }), { nil: undefined }), (body, status) => {
        const problem = parseProblem(body, status);
        for (const text of [
          problem.type,
          problem.detail,
          ...problem.subproblems.flatMap((each) => [each.type, each.detail, each.identifier ?? '']),
        ]) {
          expect(text.length).toBeLessThanOrEqual(1024);
          expect(oneLine(text)).toBe(text);
        }
        expect(problem.disposition).toMatch(/^(retry|retry-after|new-order|register|fix-spec|needs-human)$/);
      }),
      { seed: 5 },
    );
  });
});

test('a problem of many long parts is a sentence of a few thousand characters, and its type a word', () => {
  const x = 'x'.repeat(5000);
  const body = {
    type: `${urn}${x}`,
    detail: x,
    instance: x,
    subproblems: Array.from({ length: 300 }, () => ({ type: x, detail: x, identifier: { type: 'dns', value: x } })),
  };
  const answer = { status: 400, headers: { link: `<https://ca.example/${x}>; rel="help"` }, body: new Uint8Array() };
  const problem = problemOf(answer, body, 'https://ca.example/', 0);
  expect(problem?.type).toHaveLength(128 - 'urn:ietf:params:acme:error:'.length);
  expect(problem?.subproblems).toHaveLength(200);
  expect(problem?.helpUrl).toBeUndefined();
  expect(problem?.message.length).toBeLessThan(4096);
});
