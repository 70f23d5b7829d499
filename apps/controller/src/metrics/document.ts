import { type MetricDefinition, metricGroups } from './definitions.ts';

/** The tables of docs/metrics.md. */
export function metricTables(): string {
  const parts: string[] = [];
  for (const [heading, metrics] of Object.entries(metricGroups)) {
    parts.push(`### ${heading}`, '', '| metric | meaning | labels | series |', '|---|---|---|---|');
    for (const [name, definition] of Object.entries(metrics)) parts.push(row(name, definition));
    parts.push('');
  }
  return parts.join('\n').trimEnd();
}

function row(name: string, { type, help, labels, home, series }: MetricDefinition): string {
  const told = Object.entries(labels).map(([label, meaning]) => `\`${label}\`: ${meaning}`);
  const where = home === undefined ? '' : ` Only ${home}.`;
  return `| \`${name}\` ${type} | ${help}${where} | ${told.join('; ')} | ${series} |`;
}
