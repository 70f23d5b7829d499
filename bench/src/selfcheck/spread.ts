/** How something is spread over many values; milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
