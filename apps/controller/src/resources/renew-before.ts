import type { RenewBefore } from '@zoneproof/acme';

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/**
 * Reads `720h`, `30d`, `1h30m` (to milliseconds) or `33%` (to a share of the lifetime).
 *
 * @throws RangeError that says what is allowed
 */
export function parseRenewBefore(text: string): RenewBefore {
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text);
  if (percent !== null) {
    const share = Number(percent[1]) / 100;
    if (share <= 0 || share >= 1) throw new RangeError(`"${text}" is not between 0% and 100% of the lifetime`);
    return { share };
  }
  if (!/^(?:\d+[dhms])+$/.test(text))
    throw new RangeError(
      `"${text}" is neither a time span like 720h, 30d or 1h30m nor a share of the lifetime like 33%`,
    );
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([dhms])/g))
    ms += Number(count) * (unitMs[unit as string] as number);
  if (ms < 60_000) throw new RangeError(`"${text}" is less than a minute`);
  if (ms > 10 * 365 * 86_400_000) throw new RangeError(`"${text}" is more than ten years`);
  return ms;
}
