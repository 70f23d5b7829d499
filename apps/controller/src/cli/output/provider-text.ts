import { issuerExample, orderedErrors, orderedPermissions, type ProviderPlugin } from '@zoneproof/core';
import type { Style } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';

/** All that a person needs to set a provider up: `zoneproof providers KEY`. */
export function showPlugin(plugin: ProviderPlugin, style: Style): string {
  const { key, displayName, schema, policy } = plugin;
  const [permissions, errors] = [orderedPermissions(plugin), orderedErrors(plugin)];
  const { description } = schema as FieldSchema;
  const section = (title: string, text: string): string => `\n${style.bold(title)}\n${text}`;
  const parts = [
    `${style.bold(key)}: ${displayName}\n`,
    description === undefined ? '' : `${description}\n`,
    section('Fields', indented(table(fieldRows(plugin)))),
  ];
  if (permissions.length > 0) {
    const items = permissions.map(({ name, on, need, why }) => `${name} (${need})\n  on ${on}\n  ${why}\n`);
    const document = policy === undefined ? '' : `As a document: zoneproof policy ${key}\n`;
    parts.push(section('Permissions of the credentials', indented(items.join('') + document)));
  }
  parts.push(section('The smallest Issuer', indented(issuerExample(plugin))));
  if (errors.length > 0) {
    const items = errors.map(({ kind, seen, advice }) => `${kind}: ${seen}\n  ${advice}\n`);
    parts.push(section('When something is wrong', indented(items.join(''))));
  }
  return parts.join('');
}

function fieldRows({ schema }: ProviderPlugin): readonly (readonly string[])[] {
  const required: readonly string[] = schema.required ?? [];
  return Object.entries(schema.properties).map(([field, of]) => {
    const { type, description = '', default: preset, examples } = of as FieldSchema;
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
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}
