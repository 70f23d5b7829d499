import { type FindingResult, worstFirst, worstOf } from '@zoneproof/core';
import type { CommandContext } from '../context.ts';
import { printable, type Style } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';
import { count } from '../validate.ts';
import type { CheckReport } from './check-schema.ts';

type Shown = CheckReport['findings'][number];

/** The findings for people: a group for each thing that they are about, worst first, then what it means. */
export function showCheck(report: CheckReport, { out, style }: CommandContext): string {
  const columns = out.isTTY === true ? (out.columns ?? 100) : Number.POSITIVE_INFINITY;
  const groups = new Map<string, Shown[]>();
  for (const finding of report.findings) {
    const title = titleOf(finding);
    groups.set(title, [...(groups.get(title) ?? []), finding]);
  }
  const ranked = worstFirst(
    [...groups].map(([title, findings]) => ({
      title,
      findings,
      result: worstOf(findings.map(({ result }) => result)),
    })),
  );
  const text = ranked.map(
    ({ title, findings }) => `${style.bold(printable(title))}\n${lines(findings, columns, style)}`,
  );
  return `${text.join('\n')}\n${summary(report, style)}`;
}

function lines(findings: readonly Shown[], columns: number, style: Style): string {
  // What does not apply is in the JSON.
  const told = worstFirst(withoutRepeats(findings.filter(({ result }) => result !== 'skipped')));
  const width = Math.max(0, ...told.map(({ title }) => title.length));
  const indent = 2 + markWidth + 2 + width + 2;
  return told
    .map(({ result, title, detail }) => {
      const head = `  ${marks(style)[result]}${' '.repeat(markWidth - result.length)}  ${title.padEnd(width)}  `;
      return `${head}${wrap(printable(detail), Math.max(40, columns - indent), indent)}\n`;
    })
    .join('');
}

function summary({ targets, findings }: CheckReport, style: Style): string {
  const failed = targets.filter(({ result }) => result === 'failed');
  const rows = failed.map(({ kind, name, findings: own }) => {
    const why = own.map((at) => findings[at]).filter((finding) => finding?.result === 'failed');
    return `${style.red('would fail')}  ${kind === 'Name' ? '' : `${kind} `}${name}: ${[...new Set(why.map((finding) => finding?.title))].join(', ')}\n`;
  });
  const good = targets.length - failed.length;
  const unclear = targets.filter(({ result }) => result === 'unknown').length;
  const note = unclear === 0 ? '' : `, ${unclear} of them with something that could not be found out`;
  const text = `Nothing stands in the way of ${good} of ${count(targets.length, 'target')}${note}.\n`;
  return `${rows.join('')}${failed.length === 0 ? style.green(text) : text}`;
}

const markWidth = 'warning'.length;

function marks(style: Style): Readonly<Record<FindingResult, string>> {
  return {
    ok: style.green('ok'),
    warning: style.yellow('warning'),
    failed: style.red('failed'),
    unknown: style.yellow('unknown'),
    skipped: style.dim('skipped'),
  };
}

/** Apex and wildcard mostly have the same to say. */
function withoutRepeats(findings: readonly Shown[]): readonly Shown[] {
  return [...new Map(findings.map((one) => [`${one.title} ${one.detail}`, one])).values()];
}

function titleOf({ about: { kind, name } }: Shown): string {
  return kind === 'name'
    ? name.replace(/^\*\./, '')
    : kind === 'zone'
      ? `zone ${name}`
      : kind === 'ca'
        ? `CA ${name}`
        : name;
}
