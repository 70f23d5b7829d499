import { median, type Row } from './measure.ts';

const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ['case', (row) => row.case],
  ['client', (row) => row.client],
  ['at once', (row) => String(row.parallel)],
  ['s', (row) => (row.wallMs / 1000).toFixed(2)],
  ['cert/s', (row) => row.certificatesPerSecond.toFixed(1)],
  ['CPU ms/cert', (row) => row.cpuMsPerCertificate.toFixed(1)],
  ['peak MiB', (row) => row.peakRssMiB.toFixed(0)],
  ['UPDATE/cert', (row) => row.updatesPerCertificate.toFixed(2)],
  ['servers CPU ms/cert', (row) => row.serverCpuMsPerCertificate.toFixed(1)],
  ['failed', (row) => `${row.failures} of ${row.certificates}`],
];

/** Text columns; runs of one case and client become one line of medians, their failures added. */
export function table(rows: readonly Row[]): string {
  const failures = rows.filter((row) => row.firstFailure !== undefined);
  return [
    textTable(
      columns.map(([title]) => title),
      merged(rows).map((row) => columns.map(([, cell]) => cell(row))),
    ),
    ...failures.map((row) => `\n${row.client}, ${row.case}: ${row.firstFailure}`),
  ].join('\n');
}

/** Two columns of words, the others of numbers. */
export function textTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => pad(cell, widths[index] ?? 0, index > 1))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function merged(rows: readonly Row[]): readonly Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.case}\n${row.client}\n${row.parallel}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((group) => {
    const middle = (value: (row: Row) => number) => median(group.map(value));
    const sum = (value: (row: Row) => number) => group.reduce((total, row) => total + value(row), 0);
    return {
      ...(group[0] as Row),
      certificates: sum((row) => row.certificates),
      failures: sum((row) => row.failures),
      wallMs: middle((row) => row.wallMs),
      certificatesPerSecond: middle((row) => row.certificatesPerSecond),
      cpuMsPerCertificate: middle((row) => row.cpuMsPerCertificate),
      peakRssMiB: middle((row) => row.peakRssMiB),
      updatesPerCertificate: middle((row) => row.updatesPerCertificate),
      serverCpuMsPerCertificate: middle((row) => row.serverCpuMsPerCertificate),
    };
  });
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width);
}
