/** `2026-11-21T12:13:29Z`; seconds are enough for people. */
export function instant(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-21 12:13Z`. */
export function minute(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** The two largest units that matter: `42 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `59 d`. */
export function span(ms: number): string {
  const s = Math.round(ms / 1000);
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (s < 60) return `${s} s`;
  if (s < 3600) return join(Math.floor(s / 60), 'min', s % 60, 's');
  const min = Math.round(s / 60);
  if (min < 48 * 60) return join(Math.floor(min / 60), 'h', min % 60, 'min');
  return `${Math.round(min / 1440)} d`;
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
