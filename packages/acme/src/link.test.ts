import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { linkTargets, parseLinks } from './link.ts';

const base = 'https://ca.example/acme/cert/1';

describe('RFC 8288: Link', () => {
  test.each([
    ['one', ['<https://a.example/1>;rel="alternate"'], ['https://a.example/1']],
    [
      'several headers',
      ['<https://a.example/1>;rel="alternate"', '<https://a.example/2>;rel="alternate"'],
      ['https://a.example/1', 'https://a.example/2'],
    ],
    [
      'several in one header',
      ['<https://a.example/d>;rel="index", <https://a.example/1>; rel="alternate"'],
      ['https://a.example/1'],
    ],
    ['no quotes, odd spaces, upper case', ['<https://a.example/1> ;  REL = Alternate'], ['https://a.example/1']],
    ['two relations in one', ['<https://a.example/1>;rel="up alternate"'], ['https://a.example/1']],
    [
      'other parameters with commas and semicolons in quotes',
      ['<https://a.example/1>;title="a, b; \\"c";rel=alternate, <x>;rel=up'],
      ['https://a.example/1'],
    ],
    [
      'a comma and a semicolon in the target',
      ['<https://a.example/1,2;3>;rel="alternate"'],
      ['https://a.example/1,2;3'],
    ],
    ['a relative target', ['<../alt/1>;rel="alternate"'], ['https://ca.example/acme/alt/1']],
    ['only the first rel counts', ['<https://a.example/1>;rel="up";rel="alternate"'], []],
    ['text that is no link', ['alternate', '<https://a.example/1', '<https://a.example/1>', ''], []],
    ['a target that is no URL', ['<https://[>;rel="alternate"'], []],
  ])('%s', (_what, headers, expected) => expect(linkTargets(headers, 'alternate', base)).toEqual(expected));

  test('an absolute target stays as the server wrote it: its exact text is what ACME signs', () => {
    expect(linkTargets(['<https://CA.example:443/%7Ea>;rel=alternate'], 'alternate', base)).toEqual([
      'https://CA.example:443/%7Ea',
    ]);
  });

  test('what is written is read back, in any number, quoted or not', () => {
    const target = fc.webUrl({ withQueryParameters: true });
    const relation = fc.constantFrom('alternate', 'index', 'up', 'help', 'terms-of-service');
    const title = fc.string().map((text) => text.replace(/["\\]/g, '\\$&'));
    fc.assert(
      fc.property(fc.array(fc.tuple(target, relation, fc.boolean(), title), { maxLength: 6 }), (links) => {
        const header = links
          .map(
            ([url, rel, quoted, text]) =>
              `<${url}>; title="${text.replace(/rel/gi, '')}"; rel=${quoted ? `"${rel}"` : rel}`,
          )
          .join(', ');
        expect(parseLinks([header])).toEqual(links.map(([url, rel]) => ({ target: url, relations: [rel] })));
      }),
      { seed: 3 },
    );
  });

  test('any text is read without an error', () => {
    const pieces = fc.constantFrom('<', '>', ';', ',', '"', '\\', 'rel', '=', ' ', 'a');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
        ),
        (text) => {
          for (const link of parseLinks([text])) expect(link.relations.length).toBeGreaterThan(0);
        },
      ),
      { seed: 4 },
    );
  });

  test('a megabyte of hostile text takes linear time', () => {
    for (const piece of ['<', '<>;', '"', ';rel', '; rel=" ', '<a>;rel=a ,']) {
      const started = performance.now();
      parseLinks([piece.repeat((1024 * 1024) / piece.length)]);
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });
});
