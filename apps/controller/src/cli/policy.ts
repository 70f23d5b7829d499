import { type ProviderPlugin, RegistryError } from '@zoneproof/core';
import { type CommandContext, CommandError, UsageError } from './context.ts';
import { openRegistry } from './registry.ts';

interface Options {
  readonly hostedZoneId?: string;
  readonly region?: string;
  readonly merge: boolean;
  readonly pluginDir?: readonly string[];
}

/** `zoneproof policy KEY`: the vendor's document that grants what the provider needs, as JSON; 1 where there is none, 2 for wrong options. */
export async function policy(key: string, options: Options, context: CommandContext): Promise<number> {
  refuseStrange('--hosted-zone-id', options.hostedZoneId);
  refuseStrange('--region', options.region);
  const plugin = await loadPlugin(key, options, context);
  if (plugin.policy === undefined) throw new CommandError(withoutDocument(plugin));
  const { hostedZoneId, region, merge } = options;
  refuseWrong(plugin, options);
  const document = plugin.policy({
    ...(hostedZoneId !== undefined && { zoneId: hostedZoneId }),
    ...(region !== undefined && { region }),
    merge,
  });
  context.out.write(`${JSON.stringify(document, undefined, 2)}\n`);
  return 0;
}

/** Both go into names of resources, where `*` and the like would mean more than was meant. */
function refuseStrange(option: string, value: string | undefined): void {
  if (value !== undefined && !/^[\w/-]{1,128}$/.test(value))
    throw new UsageError(
      `${option}: "${value}" holds more than letters, digits, "-", "_" and "/". Write it as the vendor does.`,
    );
}

/** What the provider would say of a block with these values. */
function refuseWrong({ problems, zoneField, example }: ProviderPlugin, { hostedZoneId, region }: Options): void {
  const given = {
    ...(zoneField !== undefined && hostedZoneId !== undefined && { [zoneField]: hostedZoneId }),
    ...(region !== undefined && { region }),
  };
  const wrong = problems?.({ ...(example as object), ...given })?.find(({ path }) => path in given);
  if (wrong !== undefined)
    throw new UsageError(`${wrong.path === 'region' ? '--region' : '--hosted-zone-id'}: ${wrong.message}`);
}

async function loadPlugin(key: string, options: Options, context: CommandContext): Promise<ProviderPlugin> {
  try {
    return await (await openRegistry(context, options.pluginDir)).load(key);
  } catch (error) {
    throw error instanceof RegistryError ? new CommandError(error.message) : error;
  }
}

function withoutDocument({ key, displayName, permissions = [] }: ProviderPlugin): string {
  const none = `${key}: ${displayName} has no policy document`;
  if (permissions.length === 0) return `${none}. What its credentials need: zoneproof providers ${key}`;
  const rows = permissions.map(({ name, on, need, why }) => `\n  ${name} (${need})\n    on ${on}\n    ${why}`);
  return `${none}; its credentials need:${rows.join('')}`;
}
