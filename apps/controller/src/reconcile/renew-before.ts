import type { RenewBefore } from '@zoneproof/acme';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `720h`, `30d`, `1h30m` or `33%`. @throws RangeError that says what is allowed */
export function parseRenewBefore(text: string): RenewBefore {
  const percent = /^(\d{1,2}(?:\.\d+)?)%$/.exec(text);
  if (percent !== null && Number(percent[1]) > 0) return { share: Number(percent[1]) / 100 };
  if (/^(?:\d+[smhd])+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+)([smhd])/g)];
    const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit as string] as number), 0);
    if (ms > 0) return ms;
  }
  throw new RangeError(`"${text}" is no duration: write it like 720h, 30d or 33% (of the lifetime).`);
}
