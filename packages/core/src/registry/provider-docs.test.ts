import { defineProvider, type ProviderPlugin, secretRef, Type } from '../contract/index.ts';
import { issuerExample } from './issuer-example.ts';
import { docsSectionOf, errorsTable, permissionsTable, providerDocs, withProviderDocs } from './provider-docs.ts';

const base: ProviderPlugin = defineProvider({
  key: 'some',
  displayName: 'Some DNS',
  schema: Type.Object({
    project: Type.String({ description: 'Id of the project, a|b.', examples: ['acme-1'] }),
    ttl: Type.Optional(Type.Integer({ description: 'Seconds.', default: 60 })),
    keySecretRef: secretRef('the key'),
  }),
  capabilities: {
    model: 'rrset',
    maxValuesPerName: 1,
    batch: { maxChanges: 1, atomic: true },
    writeScope: 'zone',
    compareAndSet: true,
    ttl: { min: 0, max: 1, default: 1 },
    sync: false,
    buckets: [],
  },
  example: { project: 'acme-1', keySecretRef: { name: 'some', key: 'key.json' } },
  account: () => 'a',
  create: () => {
    throw new Error('not created for docs');
  },
});
const plugin: ProviderPlugin = {
  ...base,
  permissions: [
    { name: 'dns.list', on: 'the project', need: 'optional', why: 'To see what is there.' },
    { name: 'dns.change', on: 'the zone', need: 'always', why: 'To write.' },
  ],
  errors: [
    { kind: 'unavailable', seen: '503', advice: 'Nothing.' },
    { kind: 'auth', seen: '401', advice: 'Replace\nthe key.' },
  ],
};

test('the smallest Issuer is made from the example', () => {
  expect(issuerExample(plugin)).toMatch(
    /\n {8}- name: my-dns\n {10}some:\n {12}project: acme-1\n {12}keySecretRef: \{name: some, key: key\.json\}\n$/,
  );
});

test.each([
  ['192.0.2.53', '192.0.2.53'],
  ['https://auth.example.net', 'https://auth.example.net'],
  ['admin@example.com', 'admin@example.com'],
  ['12345', '"12345"'],
  ['1e3', '"1e3"'],
  ['Yes', '"Yes"'],
  ['two words', '"two words"'],
  ['a: b', '"a: b"'],
  ['', '""'],
])('the text %j stands in YAML as %s', (text, written) => {
  const example = issuerExample({ ...plugin, example: { project: text } });
  expect(example.split('\n').at(-2)).toBe(`            project: ${written}`);
});

test('fields, permissions and errors are tables', () => {
  expect(providerDocs(plugin).get('fields')).toBe(
    [
      '| field | type | required or default | meaning |',
      '|---|---|---|---|',
      '| `project` | string | yes | Id of the project, a\\|b. Examples: `acme-1`. |',
      '| `ttl` | integer | `60` | Seconds. |',
      '| `keySecretRef` | secret reference `{name, key}` | yes | Reference to a Secret; the entry holds the key. |',
    ].join('\n'),
  );
  expect(permissionsTable(plugin).split('\n').slice(2)).toEqual([
    '| `dns.change` | the zone | always | To write. |',
    '| `dns.list` | the project | optional | To see what is there. |',
  ]);
  expect(errorsTable(plugin).split('\n').slice(2)).toEqual([
    '| auth | 401 | Replace the key. |',
    '| unavailable | 503 | Nothing. |',
  ]);
});

test('sections between markers are made anew, and the rest stays', () => {
  const readme = 'before\n\n<!-- fields -->\nold $&\n<!-- /fields -->\n\nafter\n';
  const made = withProviderDocs(readme, plugin);
  expect(docsSectionOf(made, 'fields')).toBe(providerDocs(plugin).get('fields'));
  expect(made.replace(/<!-- fields[\s\S]*\/fields -->/, '')).toBe('before\n\n\n\nafter\n');
  expect(withProviderDocs(made, plugin)).toBe(made);
  expect(docsSectionOf(made, 'errors')).toBeUndefined();
});

test('a plugin that declares neither has neither section', () => {
  expect([...providerDocs(base).keys()]).toEqual(['issuer', 'fields']);
});
