import { UsageError } from './context.ts';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `15s`, `10m` or `1h30m`. @throws UsageError that names the option and what it takes */
export function durationOf(
  option: string,
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const ms = /^(?:\d+[smh])+$/.test(text)
    ? [...text.matchAll(/(\d+)([smh])/g)].reduce(
        (sum, [, n, unit]) => sum + Number(n) * (unitMs[unit as string] ?? 0),
        0,
      )
    : Number.NaN;
  if (ms >= least && ms <= most) return ms;
  throw new UsageError(
    `${option}: "${text}" is no duration from ${show(least)} to ${show(most)}; write it like 90s, 10m or 1h30m.`,
  );
}

function show(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`;
}
