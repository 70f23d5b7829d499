import { defineProvider, type ProviderPlugin, RegistryError, Type } from '@zoneproof/core';
import { plugins } from '../cli/testing/run-main.ts';
import { crdDocuments } from './documents.ts';
import type { StructuralSchema } from './structural.ts';
import { registryOf } from './testing/world.ts';

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly shortNames: readonly string[]; readonly categories: readonly string[] };
    readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: StructuralSchema } }];
  };
}

type Field = readonly [path: string, schema: StructuralSchema];

function fields(schema: StructuralSchema, path: string): readonly Field[] {
  const children = Object.entries(schema.properties ?? {}).map(([name, child]): Field => [`${path}.${name}`, child]);
  if (schema.items !== undefined) children.push([`${path}[]`, schema.items]);
  if (schema.additionalProperties !== undefined) children.push([`${path}{}`, schema.additionalProperties]);
  return [[path, schema], ...children.flatMap(([below, child]) => fields(child, below))];
}

let crds: readonly Crd[];
let all: readonly Field[];
const warnings: string[] = [];
beforeAll(async () => {
  crds = (await crdDocuments(registryOf(plugins), (sentence) => warnings.push(sentence))) as readonly Crd[];
  all = crds.flatMap((crd) => fields(crd.spec.versions[0].schema.openAPIV3Schema, crd.metadata.name));
});

const blockPath = 'issuers.zoneproof.dev.spec.acme.dns01.providers[]';
const at = (path: string): StructuralSchema => all.find(([one]) => one === path)?.[1] ?? {};

test('four kinds, with names of their own beside those of cert-manager', () => {
  expect(crds.map(({ metadata, spec }) => [metadata.name, spec.scope, ...spec.names.shortNames])).toEqual([
    ['issuers.zoneproof.dev', 'Namespaced', 'zpi'],
    ['clusterissuers.zoneproof.dev', 'Cluster', 'zpci'],
    ['certificates.zoneproof.dev', 'Namespaced', 'zpc'],
    ['orders.zoneproof.dev', 'Namespaced', 'zpo'],
  ]);
  for (const { spec } of crds) expect(spec.names.categories).toEqual(['zoneproof']);
});

test('the block of each provider package fits into a CRD as a whole', () => {
  expect(plugins.length).toBeGreaterThanOrEqual(7);
  expect(warnings).toEqual([]);
  expect(Object.keys(at(blockPath).properties ?? {}).sort()).toEqual(
    ['name', 'selector', ...plugins.map(({ key }) => key)].sort(),
  );
});

test('texts and lists are bounded, so that checks stay within the budget', () => {
  const isSpec = ([path]: Field): boolean => path.includes('.spec');
  const texts = all.filter(isSpec).filter(([, { type }]) => type === 'string');
  expect(texts.length).toBeGreaterThan(100);
  const isTrap = ([, { description = '' }]: Field): boolean => description.startsWith('Not a field of this block');
  expect(texts.filter((field) => !isTrap(field) && !('maxLength' in field[1] || 'enum' in field[1]))).toEqual([]);
  expect(all.filter(([, schema]) => schema.type === 'array' && !('maxItems' in schema))).toEqual([]);
});

test('nothing is in it that a structural schema cannot hold', () => {
  const odd = ['$ref', 'const', 'anyOf', 'oneOf', 'patternProperties', 'examples', 'uniqueItems'];
  expect(all.filter(([, schema]) => odd.some((keyword) => keyword in schema))).toEqual([]);
  expect(all.filter(([, { additionalProperties }]) => typeof additionalProperties === 'boolean')).toEqual([]);
});

test('a block tells the vendor, an example and where there is more', () => {
  for (const { key, displayName } of plugins) {
    const { description } = at(`${blockPath}.${key}`);
    expect(description).toContain(displayName);
    expect(description).toMatch(/ Example: \{.*\}\. More: zoneproof providers \w+$/);
  }
});

test('a field tells its default and examples', () => {
  expect(at(`${blockPath}.rfc2136.tsigAlgorithm`)).toMatchObject({
    default: 'HMACSHA256',
    description: expect.stringMatching(/\. Default: HMACSHA256\. Examples: HMACSHA256, hmac-sha512$/),
  });
});

test('each rule says what is wrong and names a field that is there', () => {
  const rules = all.flatMap(([path, schema]) =>
    (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ path, schema, ...rule })),
  );
  expect(rules.length).toBeGreaterThan(80);
  const lost = rules.filter(
    ({ schema, fieldPath }) => fieldPath !== undefined && schema.properties?.[fieldPath.slice(1)] === undefined,
  );
  expect(lost).toEqual([]);
  expect(rules.filter(({ message }) => message.length < 20 || message.includes('\n') || message.endsWith('.'))).toEqual(
    [],
  );
});

test('the advice of a misplaced field is that of the provider', () => {
  const { properties, 'x-kubernetes-validations': rules } = at(`${blockPath}.edgedns`);
  expect(properties?.clientTokenSecretRef?.type).toBe('object');
  expect(rules?.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^clientTokenSecretRef belongs to Akamai.*use fastdns$/),
  );
});

test('what a stranger declares beyond a CRD is taken as it comes, and told', async () => {
  const [some] = plugins as unknown as [ProviderPlugin];
  const strange = defineProvider({
    ...some,
    key: 'strange',
    schema: Type.Object({
      either: Type.Union([Type.String(), Type.Integer()], { description: 'One or the other.' }),
      mode: Type.Literal('fast'),
      labels: Type.Record(Type.String(), Type.String({ maxLength: 63 })),
    }),
    example: { either: 'x', mode: 'fast', labels: {} },
  }) as unknown as ProviderPlugin;
  const told: string[] = [];
  const [first] = (await crdDocuments(registryOf([strange]), (sentence) => told.push(sentence))) as readonly [Crd];
  const block = fields(first.spec.versions[0].schema.openAPIV3Schema, 'issuer').find(([path]) =>
    path.endsWith('.strange'),
  );
  expect(block?.[1].properties).toEqual({
    either: { description: 'One or the other.', 'x-kubernetes-preserve-unknown-fields': true },
    mode: { type: 'string', enum: ['fast'] },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
  });
  expect(told).toEqual([
    'strange.either cannot be described in a CRD: the API server takes it as it comes, and the controller checks it.',
  ]);
});

test('a package that cannot be used is an error: without its block Issuers would lose theirs', async () => {
  const broken = { key: 'broken', packageName: 'broken', version: '1.0.0', directory: '' };
  const registry = registryOf(plugins);
  await expect(crdDocuments({ ...registry, list: () => [broken] })).rejects.toThrow(RegistryError);
});
