import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type ProviderPackage, providerPackages } from '../provider-packages.ts';
import { codeBlocks, root } from './markdown.ts';

/** One YAML block of a document: the file that its first line names, or one named after its line. */
export interface DocumentedManifest {
  readonly file: string;
  readonly text: string;
}

export function documentedManifests(markdown: string): readonly DocumentedManifest[] {
  return codeBlocks(markdown)
    .filter(({ language }) => language === 'yaml')
    .map(({ text, line }) => ({ file: /^# (\S+\.yaml)$/m.exec(text)?.[1] ?? `line-${line}.yaml`, text }));
}

/**
 * The Secrets that the examples take as given, in the form of a `--secrets` directory: what each provider has in
 * src/testing/example-secrets.ts, any text where it has no such file, and those of docs/manifests.md.
 */
export async function writeGivenSecrets(directory: string): Promise<void> {
  const url = new URL(`file://${root}`);
  const families = await Promise.all([providerPackages(url, 'packages'), providerPackages(url, 'examples')]);
  const given = await Promise.all(families.flat().map(secretsOf));
  const more = [
    { tsig: { partner: Buffer.alloc(64, 2).toString('base64') } },
    { eab: { hmac: Buffer.alloc(32, 3).toString('base64url') } },
  ];
  for (const [name, entries] of [...given, ...more].flatMap((secrets) => Object.entries(secrets)))
    for (const [entry, text] of Object.entries(entries)) {
      await mkdir(join(directory, name), { recursive: true });
      await writeFile(join(directory, name, entry), text);
    }
}

type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function secretsOf({ folder, plugin }: ProviderPackage): Promise<Secrets> {
  const path = `${root}${folder}/src/testing/example-secrets.ts`;
  if (existsSync(path)) return ((await import(path)) as { readonly exampleSecrets: Secrets }).exampleSecrets;
  const secrets: Record<string, Record<string, string>> = {};
  for (const [field, ref] of Object.entries(plugin.example as Record<string, { name: string; key: string }>))
    if (field.endsWith('SecretRef')) secrets[ref.name] = { ...secrets[ref.name], [ref.key]: 'any-text-suits-here' };
  return secrets;
}

/** The text with each document changed; documents are plain objects. */
export function changeDocuments(text: string, change: (object: never) => void): string {
  return parseAllDocuments(text)
    .map((document) => {
      const object: unknown = document.toJS();
      change(object as never);
      return JSON.stringify(object);
    })
    .join('\n---\n');
}
