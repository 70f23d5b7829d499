import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { providerPackages } from '../../docs/provider-packages.ts';
import type { Inputs } from '../context.ts';
import { main } from '../main.ts';

const root = new URL('../../../../../', import.meta.url);
const families = [await providerPackages(root, 'packages'), await providerPackages(root, 'examples')];

/** The providers of this repository. */
export const plugins: NonNullable<Inputs['plugins']> = families.flat().map(({ plugin }) => plugin);

/** Runs one command line and collects what it prints. */
export async function runMain(
  argv: readonly string[],
  inputs: Inputs = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [out, err] = [collector(), collector()];
  const code = await main(argv, { stdout: out, stderr: err, env: {}, plugins, ...inputs });
  return { code, out: out.text(), err: err.text() };
}

export function collector(): { write(text: string): void; text(): string; readonly isTTY: boolean } {
  let all = '';
  return {
    isTTY: false,
    write: (text) => {
      all += text;
    },
    text: () => all,
  };
}

/** A directory of its own, gone after `use`. */
export async function inDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-cli-'));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What a value breaks of the schema that docs/ publishes. */
export function violations(schemaFile: string, value: unknown): readonly string[] {
  const schema = JSON.parse(readFileSync(new URL(`../../../../../docs/${schemaFile}`, import.meta.url), 'utf8'));
  const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  const validate = new Ajv({ allErrors: true, strict: false, formats: { 'date-time': isoTime } }).compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Looks until `condition` holds; a test's way to wait for a running command. */
export async function until(what: string, condition: () => boolean, timeoutMs = 8_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not seen within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
