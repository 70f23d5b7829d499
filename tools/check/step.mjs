import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

let failed = 0;

/** Runs one check and says how it went; what it throws counts as a problem and is shown. */
export async function step(title, run) {
  try {
    const said = await run();
    console.log(`ok      ${title}${typeof said === 'string' ? `: ${said}` : ''}`);
  } catch (error) {
    failed++;
    const text = [error.stdout, error.stderr].filter(Boolean).join('\n') || error.message;
    console.log(`PROBLEM ${title}\n  ${text.trimEnd().replaceAll('\n', '\n  ')}`);
  }
}

/** The exit code of all steps. */
export function summary() {
  return failed === 0 ? 0 : 1;
}
