import { type ConfigProblem, isProviderPlugin, type ProviderPlugin } from '../contract/index.ts';
import { importPackage } from './import-package.ts';
import type { InstalledProvider } from './installed.ts';
import { nearestName } from './nearest-name.ts';
import { RegistryError } from './registry-error.ts';
import { type SchemaProblem, schemaProblems } from './schema-problems.ts';

/** The providers that Issuers can use, by block key. */
export interface ProviderRegistry {
  /** Sorted by key; those that cannot be used say why in `problem`. */
  list(): readonly InstalledProvider[];
  /**
   * The plugin for a block key. Its package is imported by the first call.
   *
   * @throws RegistryError when the package is not installed (the message says which to install), cannot be used, or
   * when two packages claim the key
   */
  load(key: string): Promise<ProviderPlugin>;
  /**
   * Everything that is wrong with a block, all at once; paths are relative to it.
   *
   * @throws RegistryError as `load` does
   */
  validate(key: string, block: unknown): Promise<readonly ConfigProblem[]>;
}

export interface RegistryOptions {
  /** Imports a package's main entry; the bundle and tests bring their own. */
  importPlugin?(installed: InstalledProvider): Promise<unknown>;
}

export function createRegistry(
  installed: readonly InstalledProvider[],
  options: RegistryOptions = {},
): ProviderRegistry {
  const importPlugin = options.importPlugin ?? ((one: InstalledProvider) => importPackage(one.directory));
  const providers = markDuplicates(installed);
  const loaded = new Map<string, Promise<ProviderPlugin>>();

  function load(key: string): Promise<ProviderPlugin> {
    let plugin = loaded.get(key);
    if (plugin === undefined) {
      plugin = loadPlugin(key, providers, importPlugin);
      loaded.set(key, plugin);
      // A package that is repaired or installed meanwhile gets another chance.
      plugin.catch(() => loaded.delete(key));
    }
    return plugin;
  }

  return {
    list: () => providers,
    load,
    async validate(key, block) {
      const plugin = await load(key);
      const problems = schemaProblems(plugin.schema, block).map((problem) => nameMisplaced(problem, plugin));
      if (problems.length > 0) return problems;
      return plugin.problems?.(block as Parameters<NonNullable<typeof plugin.problems>>[0]) ?? [];
    },
  };
}

async function loadPlugin(
  key: string,
  providers: readonly InstalledProvider[],
  importPlugin: (installed: InstalledProvider) => Promise<unknown>,
): Promise<ProviderPlugin> {
  const claiming = providers.filter((one) => one.key === key);
  const [installed] = claiming;
  if (installed === undefined) throw notInstalled(key, providers);
  if (claiming.length > 1)
    throw new RegistryError(
      'duplicate',
      `provider "${key}": ${installed.problem}`,
      claiming.map((one) => one.packageName),
    );
  const title = `provider "${key}": ${installed.packageName} ${installed.version} (${installed.directory})`;
  const unusable = (why: string, cause?: unknown) =>
    new RegistryError('unusable', `${title} ${why}`, [installed.packageName], cause);
  if (installed.problem !== undefined) throw unusable(`cannot be used: ${installed.problem}`);

  let module: unknown;
  try {
    module = await importPlugin(installed);
  } catch (cause) {
    throw unusable(`could not be loaded (${firstLine(cause)}). Install it again.`, cause);
  }
  const plugins = new Set(Object.values(module ?? {}).filter(isProviderPlugin));
  const [plugin] = plugins;
  if (plugin === undefined || plugins.size > 1)
    throw unusable(
      `exports ${plugins.size === 0 ? 'no plugin' : `${plugins.size} plugins`} instead of one made with defineProvider. Report this to its maintainer.`,
    );
  if (plugin.apiVersion !== 1)
    throw unusable(
      `was made for version ${plugin.apiVersion} of the provider contract; this zoneproof offers version 1.`,
    );
  if (plugin.key !== key)
    throw unusable(
      `declares the key "${key}" in its package.json and "${plugin.key}" in its code. Report this to its maintainer.`,
    );
  return plugin;
}

/** A field that the schema does not know has no other problem than that. */
function nameMisplaced(problem: SchemaProblem, { misplacedFields = {} }: ProviderPlugin): SchemaProblem {
  const { path, keyPath } = problem;
  if (keyPath.length !== 1 || !Object.hasOwn(misplacedFields, path)) return problem;
  return { ...problem, message: `${path} ${misplacedFields[path]}` };
}

function notInstalled(key: string, providers: readonly InstalledProvider[]): RegistryError {
  const keys = [...new Set(providers.map((one) => one.key))];
  const byService = providers.find(({ service = '' }) => key.length > 3 && plain(service).includes(plain(key)));
  const nearest = byService?.key ?? nearestName(key, keys);
  const whose = byService === undefined ? '' : `, which is for ${byService.service}`;
  const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"${whose}?`;
  const there = keys.length === 0 ? 'no provider package is installed' : `installed: ${keys.join(', ')}`;
  const install =
    nearest === undefined && /^[a-z][a-zA-Z0-9]*$/.test(key)
      ? ` Install its package, for one of zoneproof's own: npm install @zoneproof/provider-${key.toLowerCase()}`
      : '';
  return new RegistryError('not-installed', `provider "${key}" is not installed (${there}).${meant}${install}`, []);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function markDuplicates(installed: readonly InstalledProvider[]): readonly InstalledProvider[] {
  return installed.map((one) => {
    const others = installed.filter((other) => other.key === one.key);
    if (others.length === 1) return one;
    const names = others.map((other) => `${other.packageName} ${other.version} (${other.directory})`).join(' and ');
    return { ...one, problem: `the packages ${names} claim the same key. Remove all but one.` };
  });
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]?.replace(/\.$/, '') ?? '';
}
