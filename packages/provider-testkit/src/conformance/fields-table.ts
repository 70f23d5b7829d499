import type { ProviderPlugin } from '@zoneproof/core';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field>>;
}

/** The fields of a provider's block as the table of its README, made from the schema. */
export function fieldsTable({ schema }: ProviderPlugin): string {
  const { properties, required = [] } = schema as unknown as Field & { readonly required?: readonly string[] };
  const rows = Object.entries(properties ?? {}).map(([name, field]) => {
    const wanted = required.includes(name) ? 'yes' : field.default === undefined ? 'no' : `\`${field.default}\``;
    const examples = (field.examples ?? []).map((example) => `\`${example}\``).join(', ');
    const text = `${field.description ?? ''}${examples === '' ? '' : ` Examples: ${examples}.`}`;
    return `| \`${name}\` | ${typeOf(field)} | ${wanted} | ${text.replaceAll('|', '\\|')} |`;
  });
  return ['| field | type | required or default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** What stands between the markers `<!-- fields -->` and `<!-- /fields -->`. */
export function fieldsOf(readme: string): string | undefined {
  return /<!-- fields -->\n([\s\S]*?)\n<!-- \/fields -->/.exec(readme)?.[1];
}

function typeOf(field: Field): string {
  const isSecretRef = field.properties && Object.keys(field.properties).join() === 'name,key';
  return isSecretRef ? 'secret reference `{name, key}`' : (field.type ?? 'any');
}
