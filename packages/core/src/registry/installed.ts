import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RegistryError } from './registry-error.ts';

/** A provider package that is there; its code has not been looked at. */
export interface InstalledProvider {
  /** The block's key in an Issuer, from the marker `zoneproof.provider` of its package.json. */
  readonly key: string;
  readonly packageName: string;
  readonly version: string;
  /** What its package.json says that it is for: `Cloudflare`. */
  readonly service?: string;
  /** Real path of the package. */
  readonly directory: string;
  /** Why it cannot be used. */
  readonly problem?: string;
}

/** The contract version that this package offers. */
const apiVersion = 1;

/**
 * Looks for provider packages where Node itself would look for packages: in the node_modules folders of `from` (a real
 * path) and of every folder above it, and besides in `pluginDirs` (each a package, or a folder or node_modules of
 * packages). Reads package.json files only. Never looks into the working directory.
 *
 * @throws RegistryError when a plugin directory is not there
 */
export async function discoverProviders(options: {
  readonly from: string;
  readonly pluginDirs?: readonly string[];
}): Promise<InstalledProvider[]> {
  const byDirectory = new Map<string, InstalledProvider>();
  const names = new Set<string>();
  for (const folder of nodeModulesAbove(options.from)) {
    // A package hides those of its name further up, as it does for Node.
    const found = await inFolder(folder, (name) => !names.has(name));
    for (const one of found) names.add(one.packageName);
    for (const one of found) byDirectory.set(one.directory, one);
  }
  for (const dir of options.pluginDirs ?? [])
    for (const one of await inPluginDir(dir)) byDirectory.set(one.directory, one);
  return [...byDirectory.values()].sort((a, b) => a.key.localeCompare(b.key) || a.directory.localeCompare(b.directory));
}

function nodeModulesAbove(from: string): readonly string[] {
  const folders: string[] = [];
  for (let dir = from; ; dir = dirname(dir)) {
    folders.push(basename(dir) === 'node_modules' ? dir : join(dir, 'node_modules'));
    if (dir === dirname(dir)) return [...new Set(folders)];
  }
}

async function inPluginDir(dir: string): Promise<readonly InstalledProvider[]> {
  const itself = await readPackage(dir);
  if (itself !== undefined) return [itself];
  try {
    await readdir(dir);
  } catch (cause) {
    throw new RegistryError('plugin-dir', `the plugin directory ${dir} cannot be read. Check --plugin-dir.`, [], cause);
  }
  return [...(await inFolder(dir, () => true)), ...(await inFolder(join(dir, 'node_modules'), () => true))];
}

/** The provider packages among the direct members of a folder and of the scopes in it. */
async function inFolder(
  folder: string,
  isWanted: (packageName: string) => boolean,
): Promise<readonly InstalledProvider[]> {
  const members = await list(folder);
  const scopes = members.filter((name) => name.startsWith('@'));
  const scoped = await Promise.all(
    scopes.map(async (scope) => (await list(join(folder, scope))).map((name) => `${scope}/${name}`)),
  );
  const names = [...members, ...scoped.flat()].filter(
    (name) => !name.startsWith('.') && !scopes.includes(name) && isWanted(name),
  );
  const found = await inParallel(names, 32, (name) => readPackage(join(folder, name)));
  return found.filter((one) => one !== undefined);
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Most folders above a package have no node_modules.
    return [];
  }
}

async function readPackage(directory: string): Promise<InstalledProvider | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, 'package.json'), 'utf8');
  } catch {
    return undefined;
  }
  // Hundreds of packages are no providers: parsing each would cost more than reading it.
  if (!text.includes('"zoneproof"')) return undefined;
  const manifest = parse(text);
  const marker = manifest?.zoneproof;
  if (typeof marker !== 'object' || marker === null || !('provider' in marker)) return undefined;
  const key = String(marker.provider);
  const problem = markerProblem(marker as Record<string, unknown>);
  return {
    key,
    packageName: String(manifest?.name ?? basename(directory)),
    version: String(manifest?.version ?? '0.0.0'),
    ...serviceOf(manifest),
    directory: await realpath(directory),
    ...(problem !== undefined && { problem }),
  };
}

/** The description without what all of them begin with. */
function serviceOf({ description }: Record<string, unknown> = {}): { readonly service?: string } {
  if (typeof description !== 'string') return {};
  const service = description
    .replace(/^DNS01 provider for /, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return service === '' ? {} : { service };
}

function markerProblem(marker: Record<string, unknown>): string | undefined {
  if (typeof marker.provider !== 'string' || !/^[a-z][a-zA-Z0-9]*$/.test(marker.provider))
    return 'the marker "zoneproof.provider" in its package.json is no block key (letters and digits, first a small letter)';
  if (marker.apiVersion === apiVersion) return undefined;
  const wanted = typeof marker.apiVersion === 'number' ? `version ${marker.apiVersion}` : 'no version';
  return `it declares ${wanted} of the provider contract and this zoneproof offers version ${apiVersion}; install a matching version of either`;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function inParallel<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
