import { certificateScope } from './certificate-rules.ts';
import type { Told } from './finding.ts';
import { acmeScope, solverScope } from './issuer-rules.ts';
import { providerMappings } from './provider-rules.ts';
import type { FieldRule, Scope } from './rules.ts';

/** What becomes of each field of cert-manager, as Markdown: the very rules that the import goes by. */
export function mappingTables(): string {
  return [
    table('Issuer and ClusterIssuer', acmeScope),
    table('A solver', solverScope),
    ...providerMappings.map(({ solver, block, rules }) =>
      table(`The solver \`${solver}\`, which becomes the block \`${block}\``, {
        at: `${solverScope.at}.dns01.${solver}`,
        to: `${solverScope.to}.${block}`,
        rules,
      }),
    ),
    table('Certificate', certificateScope),
  ].join('\n\n');
}

function table(title: string, { at, to, rules }: Scope): string {
  const places = at === to ? `\`${at}\` of both:` : `\`${at}\`, and \`${to}\` of ours:`;
  const rows = rules.map((rule) => `| \`${rule.field}\` | ${targetOf(rule)} | ${remarksOf(rule)} |`);
  return [`### ${title}`, '', places, '', '| cert-manager | zoneproof | |', '|---|---|---|', ...rows].join('\n');
}

function targetOf({ field, to }: FieldRule): string {
  if (to === undefined) return '–';
  return to === field ? 'the same' : `\`${to}\``;
}

function remarksOf({ remark, without }: FieldRule): string {
  const parts = [...(remark === undefined ? [] : [remark]), ...(without === undefined ? [] : [remarkOf(without)])];
  return parts.join(' ').replaceAll('|', '\\|');
}

/** What is said about one that has a counterpart only sometimes is said when that happens. */
function remarkOf({ level, why, todo, when }: Told & { readonly when?: unknown }): string {
  const words = { 'left-out': 'Left out', note: 'Note', refused: 'Not taken over' } as const;
  return `${words[level]}${when === undefined ? '' : ', where it does not fit'}: ${why} ${todo}`;
}
