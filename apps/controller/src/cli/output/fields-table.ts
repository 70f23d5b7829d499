interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly items?: Field;
  /** Of a map: its values. */
  readonly additionalProperties?: Field | boolean;
  readonly enum?: readonly unknown[];
}

/** Every field of a `spec`, at any depth, as a Markdown table; a list's elements are written `[]`. */
export function fieldsTable(schema: object): string {
  return ['| field | type | required or default | meaning |', '|---|---|---|---|', ...rowsOf(schema, '')].join('\n');
}

function rowsOf({ properties = {}, required = [] }: Field, above: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`;
    const wanted = required.includes(name) ? 'yes' : field.default === undefined ? 'no' : `\`${field.default}\``;
    const row = `| \`${path}\` | ${typeOf(field)} | ${wanted} | ${textOf(field).replaceAll('|', '\\|').replaceAll('\n', ' ')} |`;
    if (isSecretRef(field)) return [row];
    const below = field.items === undefined ? rowsOf(field, `${path}.`) : rowsOf(field.items, `${path}[].`);
    return [row, ...below];
  });
}

function textOf({ description = '', examples = [], enum: words }: Field): string {
  if (words !== undefined) return `${description} One of ${words.map((word) => `\`${word}\``).join(', ')}.`;
  const [example] = examples;
  if (example === undefined) return description;
  return `${description} Example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\`.`;
}

function typeOf(field: Field): string {
  if (isSecretRef(field)) return 'secret reference `{name, key}`';
  if (field.items !== undefined) return `list of ${field.items.type}s`;
  const { additionalProperties: values } = field;
  if (typeof values === 'object') return `map of ${values.type}s`;
  return field.type ?? 'any';
}

function isSecretRef({ properties }: Field): boolean {
  return properties !== undefined && Object.keys(properties).join() === 'name,key';
}
