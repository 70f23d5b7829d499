import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRegistry, discoverProviders, type ProviderRegistry, RegistryError } from '@zoneproof/core';
import { type CommandContext, UsageError } from './context.ts';

/**
 * The providers installed beside the running zoneproof package and in the plugin directories, or those handed in.
 * Reads package.json files only; a plugin is loaded when it is used.
 *
 * @throws UsageError when a plugin directory is not there
 */
export async function openRegistry(
  context: CommandContext,
  pluginDirs: readonly string[] = [],
): Promise<ProviderRegistry> {
  const { plugins } = context.inputs;
  if (plugins !== undefined)
    return createRegistry(
      plugins.map(({ key, displayName }) => ({
        key,
        packageName: `given-${key}`,
        version: '0.0.0',
        service: displayName,
        directory: '',
      })),
      { importPlugin: async ({ key }) => ({ default: plugins.find((plugin) => plugin.key === key) }) },
    );
  const from = dirname(realpathSync(fileURLToPath(import.meta.url)));
  try {
    return createRegistry(await discoverProviders({ from, pluginDirs: [...pluginDirs] }));
  } catch (error) {
    if (error instanceof RegistryError) throw new UsageError(error.message);
    throw error;
  }
}
