import { stringify } from 'yaml';

/** A CEL check; see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#validationrule-v1-apiextensions-k8s-io */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  /** CEL that makes a better message; `message` stands in when it fails. */
  readonly messageExpression?: string;
  /** Relative to where the rule stands: `.tsigKeyName`. */
  readonly fieldPath?: string;
}

/** The part of JSON Schema that a CRD takes, as it is in a document. */
export interface StructuralSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly [keyword: string]: unknown;
}

const kept = [
  'type', 'format', 'default', 'enum', 'required', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minimum',
  'maximum', 'multipleOf', 'minProperties', 'maxProperties',
]; // biome-ignore format: one list
const translated = [
  'description',
  'examples',
  'const',
  'properties',
  'items',
  'additionalProperties',
  'patternProperties',
];

/**
 * A schema of ours, or of a provider package, in the form that a CRD takes. Unknown fields are not forbidden, which a
 * structural schema cannot say: the API server refuses them for kubectl and drops them for others.
 *
 * A part that has no such form (a union, a reference) is taken as it comes, and its path noted in `open`; the
 * controller checks it against the schema itself.
 */
export function structural(schema: object, open: string[], path = ''): StructuralSchema {
  const node = schema as Readonly<Record<string, unknown>>;
  const description = described(node);
  if (node.type === undefined && 'const' in node) return structural({ ...node, type: typeof node.const }, open, path);
  const odd = Object.keys(node).filter((key) => !kept.includes(key) && !translated.includes(key) && key !== 'title');
  if (odd.length > 0 || typeof node.type !== 'string') {
    open.push(path);
    return { ...description, 'x-kubernetes-preserve-unknown-fields': true };
  }
  return {
    ...Object.fromEntries(kept.filter((key) => key in node).map((key) => [key, node[key]])),
    ...description,
    ...('const' in node && { enum: [node.const] }),
    ...below(node, open, path),
  };
}

function below(node: Readonly<Record<string, unknown>>, open: string[], path: string): Partial<StructuralSchema> {
  if (isSchema(node.items)) return { items: structural(node.items, open, `${path}[]`) };
  const values = isSchema(node.additionalProperties)
    ? node.additionalProperties
    : Object.values((node.patternProperties ?? {}) as object)[0];
  if (isSchema(values)) return { additionalProperties: structural(values, open, `${path}{}`) };
  if (!isSchema(node.properties)) return node.type === 'object' ? { 'x-kubernetes-preserve-unknown-fields': true } : {};
  const properties = Object.entries(node.properties).map(([name, child]): [string, StructuralSchema] => [
    name,
    structural(child as object, open, path === '' ? name : `${path}.${name}`),
  ]);
  return { properties: Object.fromEntries(properties) };
}

/** `kubectl explain` shows neither defaults nor examples, so the description has them. */
function described(node: Readonly<Record<string, unknown>>): { description?: string } {
  const examples = Array.isArray(node.examples) ? node.examples.slice(0, 2).map(shown) : [];
  const sentences = [
    typeof node.description === 'string' ? node.description : '',
    node.default === undefined ? '' : `Default: ${shown(node.default)}.`,
    examples.length === 0 ? '' : `${examples.length === 1 ? 'Example' : 'Examples'}: ${examples.join(', ')}`,
  ].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

/** A value as YAML on one line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\n', ' ');
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
