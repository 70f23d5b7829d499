import type { ProviderPlugin } from '@zoneproof/core';
import { fieldsTable } from '../cli/output/fields-table.ts';
import { type KindDefinition, kindDefinitions } from '../crds/kind-definitions.ts';
import { pluralOf } from '../crds/kinds.ts';
import type { WithStatus } from '../store/store.ts';
import { withSection } from './marked.ts';

const kinds = Object.entries(kindDefinitions) as readonly [WithStatus, KindDefinition][];

/** docs/kubernetes-resources.md with its tables made anew. */
export function kubernetesResources(markdown: string, plugins: readonly ProviderPlugin[]): string {
  const sections: Readonly<Record<string, string>> = {
    kinds: kindsTable(),
    'checks of fields': checksTable(kinds.flatMap(([kind, { rules }]) => checksOf(kind, rules))),
    'checks of blocks': checksTable(plugins.flatMap(checksOfBlock)),
    'status of Issuer': fieldsTable(kindDefinitions.Issuer.status),
    'status of Certificate': fieldsTable(kindDefinitions.Certificate.status),
    'status of Order': fieldsTable(kindDefinitions.Order.status),
  };
  return Object.entries(sections).reduce(
    (text, [name, content]) => withSection(text, `<!-- ${name} -->`, `<!-- /${name} -->`, content),
    markdown,
  );
}

function kindsTable(): string {
  const rows = kinds.map(([kind, { shortName, scope, columns }]) => {
    const shown = (wide: boolean): string =>
      columns
        .filter(({ priority }) => (priority === 1) === wide)
        .map(({ name }) => name)
        .join(', ');
    return [`\`${kind}\``, `\`${pluralOf[kind]}\``, `\`${shortName}\``, scope, shown(false), shown(true)];
  });
  return table(['kind', 'plural', 'short', 'scope', 'columns', 'more with `-o wide`'], rows);
}

interface Check {
  readonly field: string;
  readonly message: string;
}

function checksOf(kind: WithStatus, rules: KindDefinition['rules']): readonly Check[] {
  // A ClusterIssuer is an Issuer with two more fields.
  const known = kind === 'ClusterIssuer' ? Object.keys(kindDefinitions.Issuer.rules) : [];
  return Object.entries(rules)
    .filter(([path]) => !known.includes(path))
    .flatMap(([path, list]) =>
      list.map(({ fieldPath = '', message }) => ({
        field: `${kind} \`${path === '' ? 'metadata' : path}${fieldPath}\``,
        message,
      })),
    );
}

function checksOfBlock({ key, admission = [] }: ProviderPlugin): readonly Check[] {
  return admission.map(({ path, message }) => ({
    field: `\`${path === undefined ? key : `${key}.${path}`}\``,
    message,
  }));
}

function checksTable(checks: readonly Check[]): string {
  return table(
    ['field', 'what is said when it is refused'],
    checks.map(({ field, message }) => [field, message]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
