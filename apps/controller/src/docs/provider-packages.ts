import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isProviderPlugin, type ProviderPlugin } from '@zoneproof/core';

/** A provider package of this repository. */
export interface ProviderPackage {
  /** Relative to the root: `packages/provider-rfc2136`. */
  readonly folder: string;
  readonly name: string;
  readonly plugin: ProviderPlugin;
}

/**
 * Every package below `family` whose package.json marks it as a provider, by key.
 *
 * @throws Error when one of them exports no plugin
 */
export async function providerPackages(
  root: URL,
  family: 'packages' | 'examples',
): Promise<readonly ProviderPackage[]> {
  const folders = readdirSync(new URL(family, root)).map((name) => `${family}/${name}`);
  const found = await Promise.all(folders.map((folder) => readProvider(root, folder)));
  return found.filter((one) => one !== undefined).sort((a, b) => a.plugin.key.localeCompare(b.plugin.key));
}

async function readProvider(root: URL, folder: string): Promise<ProviderPackage | undefined> {
  const file = new URL(`${folder}/package.json`, root);
  if (!existsSync(file)) return undefined;
  const { name, exports, zoneproof } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  if (zoneproof?.provider === undefined) return undefined;
  const module: unknown = await import(new URL(`${folder}/${entryOf(exports)}`, root).href);
  const plugin = Object.values(module as object).find(isProviderPlugin);
  if (plugin === undefined) throw new Error(`${folder} exports no plugin made with defineProvider`);
  return { folder, name, plugin };
}

/** In tests the sources themselves, else what the build made of them. */
function entryOf({ '.': entry }: Manifest['exports']): string {
  if (import.meta.url.endsWith('.js')) return entry.default;
  return entry.default.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
}

interface Manifest {
  readonly name: string;
  readonly exports: { readonly '.': { readonly default: string } };
  readonly zoneproof?: { readonly provider?: string };
}
