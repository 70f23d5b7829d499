// Writes docs/self-check-cases.md; with --check says whether it is what the cases make, and exits 1 if not.
import { readFileSync, writeFileSync } from 'node:fs';
import { casesDocument } from './document.ts';

const path = 'docs/self-check-cases.md';
const file = new URL(`../../../../${path}`, import.meta.url);
const text = casesDocument();
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (current() !== text) {
  process.stderr.write(`${path} is not what its source makes; npm run generate\n`);
  process.exitCode = 1;
}

function current(): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
