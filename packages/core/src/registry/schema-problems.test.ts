import fc from 'fast-check';
import { secretRef, Type } from '../contract/index.ts';
import { pathText, schemaProblems } from './schema-problems.ts';

const strict = { additionalProperties: false };
const algorithms = ['HMACMD5', 'HMACSHA1', 'HMACSHA256'].map((name) => Type.Literal(name));
const schema = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 10, format: 'hostname' }),
    url: Type.Optional(Type.String({ format: 'uri' })),
    tsigAlgorithm: Type.Optional(Type.Union(algorithms)),
    mode: Type.Optional(Type.String({ enum: ['auto', 'listed-only'] })),
    ttl: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    secret: Type.Optional(secretRef('the TSIG secret')),
    tokenSecretRef: Type.Optional(secretRef('the token')),
    domains: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z.]+$' }), { minItems: 1, maxItems: 3, uniqueItems: true }),
    ),
    target: Type.Optional(Type.Union([Type.String(), Type.Object({ a: Type.String() }, strict)])),
    providers: Type.Optional(Type.Array(Type.Object({ name: Type.String() }, { ...strict, minProperties: 1 }))),
    fixed: Type.Optional(Type.Literal('v1')),
  },
  strict,
);

test.each<[value: object, problems: [path: string, message: string][]]>([
  [{ host: 'a.test' }, []],
  [{}, [['host', 'missing field host']]],
  [
    { hots: 'a.test' },
    [
      ['host', 'missing field host'],
      ['hots', 'unknown field "hots"; did you mean "host"?'],
    ],
  ],
  [
    { host: 'a', token: 'hunter2' },
    [['token', 'unknown field "token"; "tokenSecretRef" names the entry of a Secret that holds it']],
  ],
  [
    { host: '' },
    [
      ['host', 'must not be empty'],
      ['host', 'must be a host name'],
    ],
  ],
  [{ host: 'a.very.long.name' }, [['host', 'must have at most 10 characters']]],
  [{ host: 12 }, [['host', 'must be text, found a number']]],
  [{ host: null }, [['host', 'must be text, found nothing']]],
  [{ host: 'a', url: 'nope' }, [['url', 'must be a URL']]],
  [
    { host: 'a', tsigAlgorithm: 'HMACSHA265' },
    [['tsigAlgorithm', '"HMACSHA265" is none of HMACMD5, HMACSHA1, HMACSHA256; did you mean "HMACSHA256"?']],
  ],
  [
    { host: 'a', tsigAlgorithm: 5 },
    [['tsigAlgorithm', 'must be one of HMACMD5, HMACSHA1, HMACSHA256, found a number']],
  ],
  [{ host: 'a', mode: 'Auto' }, [['mode', '"Auto" is none of auto, listed-only; did you mean "auto"?']]],
  [{ host: 'a', ttl: 0 }, [['ttl', 'must be at least 1']]],
  [{ host: 'a', ttl: 1.5 }, [['ttl', 'must be a whole number, found a number']]],
  [{ host: 'a', ttl: 101 }, [['ttl', 'must be at most 100']]],
  [{ host: 'a', secret: 'hunter2' }, [['secret', 'must be an object, found text']]],
  [
    { host: 'a', secret: { nam: 'x', key: '' } },
    [
      ['secret.name', 'missing field name'],
      ['secret.nam', 'unknown field "nam"; did you mean "name"?'],
      ['secret.key', 'must not be empty'],
    ],
  ],
  [{ host: 'a', domains: [] }, [['domains', 'needs at least one entry']]],
  [
    { host: 'a', domains: ['a', 'b', 'a', 'd'] },
    [
      ['domains', 'may have at most 3 entries'],
      ['domains', 'entries 1 and 3 are the same'],
    ],
  ],
  [{ host: 'a', domains: ['a', 'B'] }, [['domains[1]', 'must have the form ^[a-z.]+$']]],
  [{ host: 'a', target: 5 }, [['target', 'fits none of the allowed forms']]],
  [
    { host: 'a', providers: [{ name: 'x' }, {}] },
    [
      ['providers[1].name', 'missing field name'],
      ['providers[1]', 'needs at least 1 field'],
    ],
  ],
  [{ host: 'a', fixed: 'v2' }, [['fixed', 'must be "v1"']]],
])('%j', (value, expected) => {
  const problems = schemaProblems(schema, value);
  const sorted = (list: readonly (readonly [string, string])[]) => [...list].map((one) => one.join(': ')).sort();
  expect(sorted(problems.map(({ path, message }) => [path, message]))).toEqual(sorted(expected));
  expect(problems.every((one) => one.severity === 'error' && one.path === pathText(one.keyPath))).toBe(true);
});

test('the way to a problem has numbers for lists and whole keys', () => {
  const open = Type.Object({ 'a/b~c': Type.Array(Type.Record(Type.String(), Type.Integer())) });
  const problems = schemaProblems(open, { 'a/b~c': [{}, { '0': 'x' }] });
  expect(problems.map(({ keyPath }) => keyPath)).toEqual([['a/b~c', 1, '0']]);
  expect(schemaProblems(schema, { host: 'a', secret: {} }).map(({ keyPath }) => keyPath)).toEqual([
    ['secret', 'name'],
    ['secret', 'key'],
  ]);
});

test('what is no object at all', () => {
  expect(schemaProblems(schema, 'x')).toEqual([
    { path: '', keyPath: [], message: 'must be an object, found text', severity: 'error' },
  ]);
});

test('never shows a value in the wrong place, and never throws', () => {
  fc.assert(
    fc.property(
      fc.object({ withNullPrototype: true }),
      fc.constantFrom('secret', 'host', 'domains', 'providers'),
      (value, field) => {
        const messages = schemaProblems(schema, { [field]: { deep: 'hunter2', value } }).map(({ message }) => message);
        expect(messages.length).toBeGreaterThan(0);
        expect(messages.join()).not.toContain('hunter2');
      },
    ),
    { numRuns: 200, seed: 20260107 },
  );
});
