import { brokenApply } from './apply.ts';
import type { BrokenProvider } from './broken-provider.ts';
import { brokenErrors } from './errors.ts';
import { brokenChecks, brokenPlugins, brokenSync, brokenZones } from './others.ts';

/** Providers with one defect each, in the order of the steps that reject them. */
export const brokenProviders: readonly BrokenProvider[] = [
  ...brokenPlugins,
  ...brokenErrors,
  ...brokenApply,
  ...brokenZones,
  ...brokenSync,
  ...brokenChecks,
];

/** Them as a table of the README. */
export function brokenTable(): string {
  const rows = brokenProviders.map(({ rejectedBy, defect }) => `| ${rejectedBy} | ${defect} |`);
  return ['| rejected by | a provider that |', '|---|---|', ...rows].join('\n');
}
