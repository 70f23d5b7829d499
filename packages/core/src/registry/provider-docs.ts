import type { KnownError, Permission, ProviderErrorKind, ProviderPlugin } from '../contract/index.ts';
import { providerErrorKinds } from '../contract/index.ts';
import { issuerExample } from './issuer-example.ts';

/** The sections of a provider's README that are made from its plugin. */
export const docsSections = ['issuer', 'fields', 'permissions', 'errors'] as const;
export type DocsSection = (typeof docsSections)[number];

/** The Markdown of each section; `permissions` and `errors` only where the plugin has them. */
export function providerDocs(plugin: ProviderPlugin): ReadonlyMap<DocsSection, string> {
  const sections = new Map<DocsSection, string>([
    ['issuer', `\`\`\`yaml\n${issuerExample(plugin)}\`\`\``],
    ['fields', fieldsTable(plugin)],
  ]);
  if (plugin.permissions !== undefined) sections.set('permissions', permissionsTable(plugin));
  if (plugin.errors !== undefined) sections.set('errors', errorsTable(plugin));
  return sections;
}

/** What stands between the markers `<!-- fields -->` and `<!-- /fields -->`; undefined without the markers. */
export function docsSectionOf(markdown: string, section: DocsSection): string | undefined {
  return between(section).exec(markdown)?.[1]?.trim();
}

/** The document with every section whose markers it has made anew. */
export function withProviderDocs(markdown: string, plugin: ProviderPlugin): string {
  let text = markdown;
  for (const [section, made] of providerDocs(plugin))
    text = text.replace(between(section), () => `<!-- ${section} -->\n${made}\n<!-- /${section} -->`);
  return text;
}

/** The fields of a provider's block, made from the schema. */
export function fieldsTable({ schema }: ProviderPlugin): string {
  const { properties, required = [] } = schema as unknown as Field & { readonly required?: readonly string[] };
  const rows = Object.entries(properties ?? {}).map(([name, field]) => {
    const wanted = required.includes(name) ? 'yes' : field.default === undefined ? 'no' : `\`${field.default}\``;
    const examples = (field.examples ?? []).map((example) => `\`${example}\``).join(', ');
    const text = `${field.description ?? ''}${examples === '' ? '' : ` Examples: ${examples}.`}`;
    return [`\`${name}\``, typeOf(field), wanted, text];
  });
  return table(['field', 'type', 'required or default', 'meaning'], rows);
}

/** The rights that the credentials need at the vendor. */
export function permissionsTable(plugin: ProviderPlugin): string {
  const rows = orderedPermissions(plugin).map(({ name, on, need, why }) => [`\`${name}\``, on, need, why]);
  return table(['permission', 'on', 'needed', 'for'], rows);
}

/** The errors that people meet. */
export function errorsTable(plugin: ProviderPlugin): string {
  const rows = orderedErrors(plugin).map(({ kind, seen, advice }) => [kind, seen, advice]);
  return table(['kind', 'what was seen', 'what to do'], rows);
}

/** As people read them: those that are always needed first. */
export function orderedPermissions({ permissions = [] }: ProviderPlugin): readonly Permission[] {
  const rank = { always: 0, optional: 1 };
  return permissions.toSorted((a, b) => rank[a.need] - rank[b.need]);
}

/** As people read them: by kind, in the order of the contract. A provider lists them in the order in which it looks. */
export function orderedErrors({ errors = [] }: ProviderPlugin): readonly KnownError[] {
  const rank = (kind: ProviderErrorKind): number => providerErrorKinds.indexOf(kind);
  return errors.toSorted((a, b) => rank(a.kind) - rank(b.kind));
}

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field>>;
}

function typeOf(field: Field): string {
  const isSecretRef = field.properties && Object.keys(field.properties).join() === 'name,key';
  return isSecretRef ? 'secret reference `{name, key}`' : (field.type ?? 'any');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function between(section: DocsSection): RegExp {
  return new RegExp(`<!-- ${section} -->\\n([\\s\\S]*?)<!-- /${section} -->`);
}
