import type { ProviderPlugin } from '@zoneproof/core';
import { changeAt, withList } from './decorate.ts';
import { type StructuralSchema, shown, structural, type ValidationRule } from './structural.ts';

const providers = 'spec.acme.dns01.providers';

/** The schema of an Issuer with the block of each plugin, of which an element has exactly one. */
export function withBlocks(
  schema: StructuralSchema,
  plugins: readonly ProviderPlugin[],
  warnings: Set<string>,
): StructuralSchema {
  const blocks = plugins.map((plugin): [string, StructuralSchema] => [plugin.key, blockOf(plugin, warnings)]);
  const rules = exactlyOne(plugins.map(({ key }) => key));
  const withElements = changeAt(schema, `${providers}[]`, (element) => ({
    ...element,
    properties: { ...element.properties, ...Object.fromEntries(blocks) },
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  }));
  return withList(withElements, providers, 'name');
}

function blockOf(plugin: ProviderPlugin, warnings: Set<string>): StructuralSchema {
  const loose: string[] = [];
  const block = structural(plugin.schema, loose);
  for (const path of loose)
    warnings.add(
      `${plugin.key}${path === '' ? '' : `.${path}`} cannot be described in a CRD: the API server takes it as it comes, and the controller checks it.`,
    );
  const { properties, misplaced } = withMisplaced(block, plugin);
  const admission = (plugin.admission ?? []).map(
    ({ rule, message, path }): ValidationRule => ({
      rule,
      message,
      ...(path !== undefined && { fieldPath: `.${path}` }),
    }),
  );
  const rules = [...misplaced, ...admission];
  return {
    ...block,
    description: describe(plugin, block.description ?? ''),
    ...(properties && { properties }),
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}

/** Fields that belong elsewhere are in the schema, so that the API server can say more than "unknown field". */
function withMisplaced(
  { properties }: StructuralSchema,
  { misplacedFields = {} }: ProviderPlugin,
): { readonly properties: StructuralSchema['properties']; readonly misplaced: readonly ValidationRule[] } {
  if (properties === undefined) return { properties, misplaced: [] };
  const strangers = Object.entries(misplacedFields).filter(([field]) => !Object.hasOwn(properties, field));
  return {
    properties: {
      ...properties,
      ...Object.fromEntries(strangers.map(([field, advice]) => [field, stranger(field, advice)])),
    },
    misplaced: strangers.map(([field, advice]) => ({
      rule: `!has(self.${celName(field)})`,
      message: `${field} ${advice}`,
    })),
  };
}

function stranger(field: string, advice: string): StructuralSchema {
  const description = `Not a field of this block: it ${advice}.`;
  if (field.endsWith('SecretRef')) return { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
  return { type: 'string', description };
}

function exactlyOne(keys: readonly string[]): readonly ValidationRule[] {
  if (keys.length === 0) return [];
  const given = keys.map((key) => `has(self.${celName(key)})`);
  return [
    {
      rule: given.join(' || '),
      message: `it has no provider block; add one of ${keys.join(', ')}`,
    },
    ...(keys.length === 1
      ? []
      : [
          {
            rule: `[${given.join(', ')}].filter(given, given).size() <= 1`,
            message: 'it has several blocks; a provider has exactly one: make an element of its own for each',
          },
        ]),
  ];
}

function describe({ displayName, key, example }: ProviderPlugin, description: string): string {
  const title = description.includes(displayName) ? description : `${displayName}. ${description}`;
  return `${title} Example: ${shown(example)}. More: zoneproof providers ${key}`;
}

// https://kubernetes.io/docs/reference/using-api/cel/#escaping
const reserved = [
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop',
  'package', 'namespace', 'return', 'var', 'void', 'while',
]; // biome-ignore format: one list

/** How CEL names a field. */
function celName(field: string): string {
  if (reserved.includes(field)) return `__${field}__`;
  return field
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
