import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { apiVersion, certificateSpecSchema, issuerSpecSchema } from '../resources/index.ts';
import { createContext } from './context.ts';
import { fieldsTable } from './output/fields-table.ts';
import { acmednsRegisterSchema, providersSchema, reportLineSchema, validateSchema } from './output/schemas.ts';
import { statusSchema } from './output/status-schema.ts';
import { createProgram } from './program.ts';

const docs = new URL('../../../../docs/', import.meta.url);

/** Every document under docs/ that is made from the source, as a whole or in part: file name to text. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['status.schema.json', schemaDocument('zoneproof status -o json', statusSchema)],
    ['validate.schema.json', schemaDocument('zoneproof validate -o json', validateSchema)],
    ['providers.schema.json', schemaDocument('zoneproof providers -o json', providersSchema)],
    ['acmedns-register.schema.json', schemaDocument('zoneproof acmedns register --json', acmednsRegisterSchema)],
    ['run-log.schema.json', schemaDocument('One line of zoneproof run --log-format json', reportLineSchema)],
    [
      'issuer.schema.json',
      schemaDocument('Issuer, ClusterIssuer', manifestSchema(['Issuer', 'ClusterIssuer'], issuerSpecSchema)),
    ],
    ['certificate.schema.json', schemaDocument('Certificate', manifestSchema(['Certificate'], certificateSpecSchema))],
    ['commands.md', commands()],
    ['manifests.md', manifests()],
  ]);
}

/** The documents whose file is missing or different. */
export function staleDocs(): readonly string[] {
  return [...generatedDocs()].filter(([name, text]) => readIfThere(name) !== text).map(([name]) => name);
}

function schemaDocument(title: string, schema: object): string {
  const document = { $schema: 'http://json-schema.org/draft-07/schema#', title, ...schema };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function manifestSchema(kinds: readonly string[], spec: object): object {
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { enum: kinds },
      metadata: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'Name of the object.' },
          namespace: { type: 'string', default: 'default', description: 'Namespace of the object.' },
        },
      },
      spec,
    },
  };
}

/** docs/manifests.md is written by people but for the tables of fields. */
function manifests(): string {
  const tables = { Issuer: issuerSpecSchema, Certificate: certificateSpecSchema };
  let text = readIfThere('manifests.md') ?? '';
  for (const [kind, schema] of Object.entries(tables)) {
    const [begin, end] = [`<!-- fields of ${kind} -->`, '<!-- /fields -->'];
    const at = text.indexOf(begin) + begin.length;
    if (at < begin.length) throw new Error(`docs/manifests.md lacks the line ${begin}`);
    text = `${text.slice(0, at)}\n${fieldsTable(schema)}\n${text.slice(text.indexOf(end, at))}`;
  }
  return text;
}

function commands(): string {
  const program = createProgram(
    createContext({ stdout: { write: () => true, columns: 100 }, env: {} }),
    () => undefined,
  );
  const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];
  const sections = all(program).map((command) => {
    let text = '';
    const write = (part: string): void => {
      text += part;
    };
    command.configureOutput({ writeOut: write }).outputHelp();
    const path = text.match(/^Usage: (.*?) [[<]/)?.[1] ?? 'zoneproof';
    return `## ${path}\n\n\`\`\`\n${text.trim()}\n\`\`\`\n`;
  });
  return [
    '<!-- Generated from apps/controller/src/cli/program.ts. -->',
    '# Commands',
    '',
    'Exit codes: 0 done, 1 something did not succeed, 2 wrong usage or invalid manifests.',
    '`NO_COLOR` turns colours off.',
    '',
    ...sections,
  ].join('\n');
}

function readIfThere(name: string): string | undefined {
  try {
    return readFileSync(new URL(name, docs), 'utf8');
  } catch {
    return undefined;
  }
}

/** Writes the documents; with `--check` names the stale ones and exits 1. */
function generate(check: boolean): number {
  const stale = staleDocs();
  if (check) {
    for (const name of stale) process.stderr.write(`docs/${name} is not what its source makes; run generate-docs.\n`);
    return stale.length === 0 ? 0 : 1;
  }
  mkdirSync(docs, { recursive: true });
  const texts = generatedDocs();
  for (const name of stale) writeFileSync(new URL(name, docs), texts.get(name) as string);
  process.stdout.write(stale.length === 0 ? 'docs are fresh\n' : `wrote ${stale.join(', ')}\n`);
  return 0;
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) process.exitCode = generate(process.argv.includes('--check'));
