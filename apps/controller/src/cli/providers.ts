import { issuerExample, type ProviderPlugin, RegistryError } from '@zoneproof/core';
import { type CommandContext, CommandError } from './context.ts';
import { showPlugin } from './output/provider-text.ts';
import type { ProvidersReport } from './output/schemas.ts';
import { openRegistry } from './registry.ts';
import { table } from './terminal/table.ts';

interface Options {
  readonly pluginDir?: readonly string[];
  readonly output: 'text' | 'json';
}

/** `zoneproof providers [NAME]`: 1 when the provider asked for cannot be used. */
export async function providers(name: string | undefined, options: Options, context: CommandContext): Promise<number> {
  const registry = await openRegistry(context, options.pluginDir);
  const installed = registry.list();
  if (name === undefined) {
    if (options.output === 'json') return print({ providers: installed.map(describe) }, context);
    if (installed.length === 0) {
      context.out.write('No provider package is installed. Install one: npm install @zoneproof/provider-rfc2136\n');
      return 0;
    }
    const { bold, red } = context.style;
    const rows = installed.map((one) => [
      one.key,
      one.service ?? '',
      one.packageName,
      one.version,
      one.problem === undefined ? 'ok' : red(one.problem),
    ]);
    context.out.write(table([['PROVIDER', 'SERVICE', 'PACKAGE', 'VERSION', 'STATE'].map(bold), ...rows]));
    return 0;
  }
  try {
    const plugin = await registry.load(name);
    const one = installed.find(({ key }) => key === name);
    if (options.output === 'text') {
      context.out.write(showPlugin(plugin, context.style));
      return 0;
    }
    return print({ providers: one === undefined ? [] : [{ ...describe(one), ...describePlugin(plugin) }] }, context);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new CommandError(error.message);
  }
}

function describe({
  key,
  packageName,
  version,
  service,
  directory,
  problem,
}: ReturnType<Awaited<ReturnType<typeof openRegistry>>['list']>[number]): ProvidersReport['providers'][number] {
  return {
    key,
    package: packageName,
    version,
    directory,
    ...(problem !== undefined && { problem }),
    ...(service !== undefined && { displayName: service }),
  };
}

function describePlugin(
  plugin: ProviderPlugin,
): Omit<Required<ProvidersReport['providers'][number]>, 'key' | 'package' | 'version' | 'directory' | 'problem'> {
  const { displayName, schema, example, permissions = [], errors = [], policy } = plugin;
  return {
    displayName,
    schema: schema as object,
    example: example as object,
    issuer: issuerExample(plugin),
    permissions: permissions.map(({ name, on, need, why }) => ({ name, on, need, why })),
    errors: errors.map(({ kind, seen, advice }) => ({ kind, seen, advice })),
    policy: policy !== undefined,
  };
}

function print(report: ProvidersReport, context: CommandContext): number {
  context.out.write(`${JSON.stringify(report, undefined, 2)}\n`);
  return 0;
}
