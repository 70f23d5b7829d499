const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/**
 * A duration as Go prints it in ours, in whole seconds: `360h0m0s` -> `360h`, `1.5h` -> `1h30m`. Undefined when it is
 * none, or less than a second. https://pkg.go.dev/time#ParseDuration
 */
export function fromGoDuration(text: string): string | undefined {
  if (!/^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)];
  const seconds = Math.round(
    parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitSeconds[unit as string] as number), 0),
  );
  if (seconds < 1) return undefined;
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return [h > 0 ? `${h}h` : '', m > 0 ? `${m}m` : '', s > 0 ? `${s}s` : ''].join('');
}
