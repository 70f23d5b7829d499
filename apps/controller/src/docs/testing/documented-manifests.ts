import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { codeBlocks } from './markdown.ts';

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

/** The Secrets that the examples take as given, in the form of a `--secrets` directory. */
export async function writeGivenSecrets(directory: string): Promise<void> {
  const account = {
    username: 'c36f50e8-4632-44f0-83fe-e070fef28a10',
    password: 'htB9mR9DYgcu9bX_afHF62erXaH2TS7bg9KW3F7Z',
    fulldomain: '8e5700ea-a4bf-41c7-8a77-e990661dcc6a.auth.example.net',
    subdomain: '8e5700ea-a4bf-41c7-8a77-e990661dcc6a',
    allowfrom: [],
  };
  const entries = {
    'tsig/secret': Buffer.alloc(32, 1).toString('base64'),
    'tsig/partner': Buffer.alloc(64, 2).toString('base64'),
    'acmedns/accounts.json': JSON.stringify({ 'example.com': account }),
    'eab/hmac': Buffer.alloc(32, 3).toString('base64url'),
  };
  for (const [entry, text] of Object.entries(entries)) {
    await mkdir(join(directory, entry, '..'), { recursive: true });
    await writeFile(join(directory, entry), text);
  }
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
