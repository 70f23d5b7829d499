import { RegistryError } from '@zoneproof/core';
import { stringify } from 'yaml';
import { crdDocuments } from '../crds/documents.ts';
import { kindDefinitions } from '../crds/kind-definitions.ts';
import { pluralOf } from '../crds/kinds.ts';
import { quote, suggest } from '../manifests/header.ts';
import type { WithStatus } from '../store/store.ts';
import { type CommandContext, CommandError, UsageError } from './context.ts';
import { openRegistry } from './registry.ts';

interface Options {
  readonly pluginDir?: readonly string[];
  readonly output: 'yaml' | 'json';
}

/** `zoneproof crds [KIND]`: prints the CustomResourceDefinitions, made for the providers that are installed here. */
export async function crds(kind: string | undefined, options: Options, context: CommandContext): Promise<number> {
  const wanted = kind === undefined ? undefined : kindOf(kind);
  const registry = await openRegistry(context, options.pluginDir);
  if (registry.list().length === 0)
    throw new CommandError(
      'no provider package is installed, so an Issuer could have no provider block. Install one: npm install @zoneproof/provider-rfc2136',
    );
  try {
    const all = await crdDocuments(registry, (sentence) => context.err.write(`warning: ${sentence}\n`));
    const documents = all.filter((document) => wanted === undefined || definedKind(document) === wanted);
    context.out.write(options.output === 'json' ? json(documents) : yaml(documents));
    return 0;
  } catch (error) {
    if (error instanceof RegistryError) throw new CommandError(error.message);
    throw error;
  }
}

function json(documents: readonly object[]): string {
  const shown = documents.length === 1 ? documents[0] : { apiVersion: 'v1', kind: 'List', items: documents };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

function yaml(documents: readonly object[]): string {
  return documents.map((document) => stringify(document, { aliasDuplicateObjects: false })).join('---\n');
}

/** By any name that kubectl knows the kind by. */
function kindOf(name: string): WithStatus {
  const kinds = Object.keys(kindDefinitions) as WithStatus[];
  const word = name.toLowerCase();
  const kind = kinds.find((one) => [one.toLowerCase(), pluralOf[one], kindDefinitions[one].shortName].includes(word));
  if (kind === undefined)
    throw new UsageError(
      `${quote(name)} is not a kind of zoneproof${suggest(name, kinds) || `; it has ${kinds.join(', ')}.`}`,
    );
  return kind;
}

function definedKind(document: object): string {
  return (document as { spec: { names: { kind: string } } }).spec.names.kind;
}
