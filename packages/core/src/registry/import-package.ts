import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports the main entry of the package in `directory`, wherever that lies. */
export async function importPackage(directory: string): Promise<unknown> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  return import(pathToFileURL(join(directory, entryOf(manifest))).href);
}

/**
 * The file that `import` of the package means: `exports["."]` under the conditions node, import and default (Node's
 * package entry points), else `main`, else index.js. Node resolves only names, and only from the importing module.
 */
export function entryOf(manifest: unknown): string {
  const { exports, main } = (manifest ?? {}) as { readonly exports?: unknown; readonly main?: unknown };
  if (exports !== undefined) {
    const entry = target(isRecord(exports) && '.' in exports ? exports['.'] : exports);
    if (entry === undefined) throw new Error('its package.json exports no "." for import');
    return entry;
  }
  return typeof main === 'string' ? main : 'index.js';
}

const conditions = new Set(['node', 'import', 'module-sync', 'default']);

function target(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(target).find((one) => one !== undefined);
  if (!isRecord(value)) return undefined;
  for (const [condition, one] of Object.entries(value)) {
    const found = conditions.has(condition) ? target(one) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
