import type { Static } from '@zoneproof/core';
import {
  type CertificateSpec,
  certificateSpecSchema,
  clusterIssuerSpecSchema,
  type IssuerSpec,
  issuerSpecSchema,
  type OrderSpec,
  orderSpecSchema,
  secretSchema,
} from './index.ts';

// What the schemas accept is what the program works with: these lines do not compile otherwise.
const _certificate = (value: Static<typeof certificateSpecSchema>): CertificateSpec => value;
const _order = (value: Static<typeof orderSpecSchema>): OrderSpec => value;
const _issuer = (value: Static<typeof issuerSpecSchema>): IssuerSpec => value as IssuerSpec;
const _clusterIssuer = (value: Static<typeof clusterIssuerSpecSchema>): IssuerSpec => value as IssuerSpec;

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly enum?: readonly unknown[];
}

function fields(node: Node, path: string): readonly (readonly [string, Node])[] {
  const below = Object.entries(node.properties ?? {}).flatMap(([key, child]) => fields(child, `${path}.${key}`));
  return [[path, node], ...below, ...(node.items === undefined ? [] : fields(node.items, `${path}[]`))];
}

const schemas: readonly (readonly [string, Node])[] = [
  ['issuer', issuerSpecSchema as Node],
  ['clusterIssuer', clusterIssuerSpecSchema as Node],
  ['certificate', certificateSpecSchema as Node],
  ['order', orderSpecSchema as Node],
  ['secret', secretSchema as Node],
];
const all = schemas.flatMap(([name, schema]) => fields(schema, name));

test.each(all)('%s is of the structural form that a CRD takes', (_path, node) => {
  const keywords = [
    'type', 'description', 'default', 'examples', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'minLength',
    'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'pattern', 'patternProperties',
    'maxProperties',
  ]; // biome-ignore format: one list
  expect(Object.keys(node).filter((keyword) => !keywords.includes(keyword))).toEqual([]);
  expect(node.type).toEqual(expect.any(String));
});

test.each(all.filter(([path]) => /\.\w+$/.test(path)))(
  '%s is described, with a default or an example',
  (_path, node) => {
    expect(node.description).toMatch(/\.$/);
    const scalar = node.properties === undefined && node.type !== 'array' && node.type !== 'boolean';
    if (scalar && node.enum === undefined && !/SecretRef/.test(_path))
      expect(node.default ?? node.examples?.[0]).toBeDefined();
  },
);
