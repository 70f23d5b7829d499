import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { kubernetesResources } from '../docs/kubernetes-resources.ts';
import { withSection } from '../docs/marked.ts';
import { providerDocuments } from '../docs/provider-documents.ts';
import { providerPackages } from '../docs/provider-packages.ts';
import { mappingTables } from '../import/mapping-table.ts';
import { metricTables } from '../metrics/document.ts';
import {
  allowanceFields,
  apiVersion,
  certificateSpecSchema,
  clusterIssuerSpecSchema,
  issuerSpecSchema,
} from '../resources/index.ts';
import { createContext } from './context.ts';
import { checkSchema } from './output/check-schema.ts';
import { fieldsTable } from './output/fields-table.ts';
import { importSchema } from './output/import-schema.ts';
import { acmednsRegisterSchema, providersSchema, reportLineSchema, validateSchema } from './output/schemas.ts';
import { statusSchema } from './output/status-schema.ts';
import { createProgram } from './program.ts';

const root = new URL('../../../../', import.meta.url);

/** Every document that is made from the source, as a whole or in part: path to text. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const own: readonly [string, string][] = [
    ['status.schema.json', schemaDocument('zoneproof status -o json', statusSchema)],
    ['validate.schema.json', schemaDocument('zoneproof validate -o json', validateSchema)],
    ['check.schema.json', schemaDocument('zoneproof check -o json', checkSchema)],
    ['providers.schema.json', schemaDocument('zoneproof providers -o json', providersSchema)],
    ['acmedns-register.schema.json', schemaDocument('zoneproof acmedns register --json', acmednsRegisterSchema)],
    ['run-log.schema.json', schemaDocument('One line of --log-format json', reportLineSchema)],
    ['issuer.schema.json', schemaDocument('Issuer', manifestSchema(['Issuer'], issuerSpecSchema))],
    [
      'clusterissuer.schema.json',
      schemaDocument('ClusterIssuer', manifestSchema(['ClusterIssuer'], clusterIssuerSpecSchema)),
    ],
    ['certificate.schema.json', schemaDocument('Certificate', manifestSchema(['Certificate'], certificateSpecSchema))],
    ['import.schema.json', schemaDocument('zoneproof import cert-manager -o json', importSchema)],
    ['from-cert-manager.md', fromCertManager()],
    ['commands.md', commands()],
    ['manifests.md', manifests()],
    ['kubernetes-resources.md', await resources()],
    ['metrics.md', metrics()],
  ];
  return new Map([
    ...own.map(([name, text]): [string, string] => [`docs/${name}`, text]),
    ...(await providerDocuments(root)),
  ]);
}

/** The documents whose file is missing or different. */
export async function staleDocs(): Promise<readonly string[]> {
  return stale(await generatedDocs());
}

function stale(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts].filter(([path, text]) => readIfThere(path) !== text).map(([path]) => path);
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
  const tables = {
    Issuer: issuerSpecSchema,
    ClusterIssuer: { properties: allowanceFields },
    Certificate: certificateSpecSchema,
  };
  let text = readIfThere('docs/manifests.md') ?? '';
  for (const [kind, schema] of Object.entries(tables))
    text = withSection(text, `<!-- fields of ${kind} -->`, '<!-- /fields -->', fieldsTable(schema));
  return text;
}

/** docs/metrics.md is written by people but for the tables. */
function metrics(): string {
  return withSection(readIfThere('docs/metrics.md') ?? '', '<!-- metrics -->', '<!-- /metrics -->', metricTables());
}

/** docs/from-cert-manager.md is written by people but for the tables of fields. */
function fromCertManager(): string {
  const text = readIfThere('docs/from-cert-manager.md') ?? '';
  return withSection(text, '<!-- fields of cert-manager -->', '<!-- /fields -->', mappingTables());
}

/** docs/kubernetes-resources.md is written by people but for its tables. */
async function resources(): Promise<string> {
  const packages = await providerPackages(root, 'packages');
  const plugins = packages.map(({ plugin }) => plugin);
  return kubernetesResources(readIfThere('docs/kubernetes-resources.md') ?? '', plugins);
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

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return undefined;
  }
}

/** Writes the documents; with `--check` names the stale ones and exits 1. */
async function generate(check: boolean): Promise<number> {
  const texts = await generatedDocs();
  const paths = stale(texts);
  if (check) {
    for (const path of paths) process.stderr.write(`${path} is not what its source makes; npm run generate\n`);
    return paths.length === 0 ? 0 : 1;
  }
  for (const path of paths) writeFileSync(new URL(path, root), texts.get(path) as string);
  process.stdout.write(paths.length === 0 ? 'docs are fresh\n' : `wrote ${paths.join(', ')}\n`);
  return 0;
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) process.exitCode = await generate(process.argv.includes('--check'));
