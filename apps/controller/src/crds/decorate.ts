import type { StructuralSchema, ValidationRule } from './structural.ts';

/** The schema with CEL rules at paths such as `spec.dnsNames[]`. @throws Error for a path that is not there */
export function withRules(
  schema: StructuralSchema,
  rules: Readonly<Record<string, readonly ValidationRule[]>>,
): StructuralSchema {
  return Object.entries(rules).reduce(
    (done, [path, added]) =>
      changeAt(done, path, (node) => ({
        ...node,
        'x-kubernetes-validations': [...(node['x-kubernetes-validations'] ?? []), ...added],
      })),
    schema,
  );
}

/** The schema with a list whose elements are told apart by a field, so that appliers may share it. */
export function withList(schema: StructuralSchema, path: string, key: string): StructuralSchema {
  const keys = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] };
  return changeAt(schema, path, (node) => ({ ...node, ...keys }));
}

/** The schema with one of its nodes changed. @throws Error when it is not there */
export function changeAt(
  schema: StructuralSchema,
  path: string,
  change: (node: StructuralSchema) => StructuralSchema,
): StructuralSchema {
  const [, step, rest] = /^(\[\]|[^.[]+)\.?(.*)$/.exec(path) ?? [];
  if (step === undefined) return change(schema);
  const child = step === '[]' ? schema.items : schema.properties?.[step];
  if (child === undefined) throw new Error(`there is no ${path} in the schema`);
  const changed = changeAt(child, rest ?? '', change);
  if (step === '[]') return { ...schema, items: changed };
  return { ...schema, properties: { ...schema.properties, [step]: changed } };
}
