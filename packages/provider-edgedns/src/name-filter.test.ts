import fc from 'fast-check';
import { nameFilter } from './name-filter.ts';

test.each<[names: string[], filter: object]>([
  [['a.example.com'], { exact: 'a.example.com' }],
  [['a.example.com', 'a.example.com'], { exact: 'a.example.com' }],
  [
    ['_acme-challenge.www.example.com', '_acme-challenge.mail.example.com'],
    { startswith: '_acme-challenge.', endswith: '.example.com' },
  ],
  [['x.example.com', 'y.example.com'], { endswith: '.example.com' }],
  [['a', 'b'], {}],
])('%j -> %j', (names, filter) => expect(nameFilter(names)).toEqual(filter));

test('every name passes', () => {
  const names = fc.array(fc.stringMatching(/^[ab.]{1,8}$/), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(names, (list) => {
      const { exact, startswith = '', endswith = '' } = nameFilter(list);
      for (const name of list) {
        expect(name.startsWith(startswith) && name.endsWith(endswith)).toBe(true);
        if (exact !== undefined) expect(name).toBe(exact);
      }
    }),
    { numRuns: 300, seed: 20261121 },
  );
});
