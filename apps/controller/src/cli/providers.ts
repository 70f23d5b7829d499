import { type ProviderPlugin, RegistryError } from '@zoneproof/core';
import { stringify } from 'yaml';
import { type CommandContext, CommandError } from './context.ts';
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
      one.packageName,
      one.version,
      one.problem === undefined ? 'ok' : red(one.problem),
    ]);
    context.out.write(table([['PROVIDER', 'PACKAGE', 'VERSION', 'STATE'].map(bold), ...rows]));
    return 0;
  }
  try {
    const plugin = await registry.load(name);
    const one = installed.find(({ key }) => key === name);
    if (options.output === 'text') {
      context.out.write(showPlugin(plugin, context));
      return 0;
    }
    const { displayName, schema, example } = plugin;
    const base =
      one === undefined
        ? []
        : [{ ...describe(one), displayName, schema: schema as object, example: example as object }];
    return print({ providers: base }, context);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new CommandError(error.message);
  }
}

function describe({
  key,
  packageName,
  version,
  directory,
  problem,
}: ReturnType<Awaited<ReturnType<typeof openRegistry>>['list']>[number]): ProvidersReport['providers'][number] {
  return { key, package: packageName, version, directory, ...(problem !== undefined && { problem }) };
}

function print(report: ProvidersReport, context: CommandContext): number {
  context.out.write(`${JSON.stringify(report, undefined, 2)}\n`);
  return 0;
}

function showPlugin(plugin: ProviderPlugin, { style }: CommandContext): string {
  const required: readonly string[] = plugin.schema.required ?? [];
  const rows = Object.entries(plugin.schema.properties).map(([field, schema]) => {
    const { type, description = '', default: preset, examples } = schema as FieldSchema;
    const notes = [
      description,
      preset === undefined ? '' : `Default: ${JSON.stringify(preset)}.`,
      examples?.[0] === undefined ? '' : `Example: ${JSON.stringify(examples[0])}.`,
    ];
    return [
      field,
      field.endsWith('SecretRef') ? 'secret reference' : (type ?? ''),
      required.includes(field) ? 'required' : '',
      notes.filter(Boolean).join(' '),
    ];
  });
  const example = stringify([{ name: 'my-dns', [plugin.key]: plugin.example }]);
  return [
    `${style.bold(plugin.key)}: ${plugin.displayName}\n`,
    (plugin.schema as FieldSchema).description === undefined ? '' : `${(plugin.schema as FieldSchema).description}\n`,
    `\n${table([['FIELD', 'TYPE', '', 'MEANING'].map(style.bold), ...rows])}`,
    `\nIn an Issuer, under spec.acme.dns01.providers:\n\n${example.replace(/^(?=.)/gm, '  ')}`,
  ].join('');
}

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}
