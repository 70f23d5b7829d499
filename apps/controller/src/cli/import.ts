import { resolve } from 'node:path';
import { systemRandom, systemTimers } from '@zoneproof/core';
import { type Finding, showFinding } from '../import/finding.ts';
import { titleOf } from '../import/metadata.ts';
import type { ForeignObject, Read } from '../import/objects.ts';
import { type Plan, planImport } from '../import/plan.ts';
import { readFiles } from '../import/read-files.ts';
import { outputFiles, writeFiles } from '../import/write.ts';
import { showProblem } from '../manifests/index.ts';
import { adoptAnnotation } from '../resources/adopt.ts';
import { type CommandContext, CommandError, UsageError } from './context.ts';
import type { ImportReport } from './output/import-schema.ts';
import { packageVersion } from './program.ts';
import { openRegistry } from './registry.ts';
import { untilStopped } from './signals.ts';
import { printable } from './terminal/style.ts';
import { count } from './validate.ts';

interface Options {
  readonly fromCluster: boolean;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly out: string;
  readonly pluginDir?: readonly string[];
  readonly output: 'text' | 'json';
}

/** `zoneproof import cert-manager`: 0 when all is taken over, 1 when something has no counterpart, 2 for wrong usage. */
export async function importCertManager(
  paths: readonly string[],
  options: Options,
  context: CommandContext,
): Promise<number> {
  checkUsage(paths, options);
  const { read, files } = options.fromCluster ? await readFrom(options, context) : await readPaths(paths, context);
  const plan = await planImport(inNamespace(read, options.namespace), {
    registry: await openRegistry(context, options.pluginDir),
    now: context.clock.now(),
    inPlace: options.fromCluster,
  });
  if (read.objects.length === 0)
    throw new CommandError(
      'Nothing of cert-manager was found: no Issuer, ClusterIssuer or Certificate of cert-manager.io.',
    );
  const output = plan.objects.length === 0 ? [] : await outputFiles(options.out, plan);
  const overwritten = output.find(({ path }) => files.some((file) => resolve(file) === resolve(path)));
  if (overwritten !== undefined)
    throw new UsageError(`--out: ${overwritten.path} is one of the files that are imported.`);
  await writeFiles(output);
  const report = reportOf(
    plan,
    output.map(({ path }) => path),
  );
  context.out.write(
    options.output === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : showReport(plan, report, context),
  );
  return report.complete ? 0 : 1;
}

function checkUsage(paths: readonly string[], { fromCluster, kubeconfig, context }: Options): void {
  if (fromCluster && paths.length > 0) throw new UsageError('Give paths or --from-cluster, not both.');
  if (!fromCluster && paths.length === 0) throw new UsageError('Give the paths of manifests, or --from-cluster.');
  if (!fromCluster && (kubeconfig !== undefined || context !== undefined))
    throw new UsageError('--kubeconfig and --context go with --from-cluster.');
}

interface Source {
  readonly read: Read;
  /** Files that must not be written over. */
  readonly files: readonly string[];
}

async function readPaths(paths: readonly string[], { err }: CommandContext): Promise<Source> {
  const { files, problems, ...read } = await readFiles(paths);
  for (const problem of problems) err.write(`${showProblem(problem)}\n`);
  if (problems.some(({ severity }) => severity === 'error'))
    throw new UsageError('The files above cannot be read; nothing was written.');
  return { read, files };
}

async function readFrom({ namespace, kubeconfig, context: name }: Options, context: CommandContext): Promise<Source> {
  const { connectKubeApi } = await import('../kubernetes/api.ts');
  const { KubeConfigError } = await import('../kubernetes/kube-config.ts');
  const { isKubeApiError } = await import('../kubernetes/api-error.ts');
  const { readCluster } = await import('../import/read-cluster.ts');
  const stopping = untilStopped(context.inputs.signal);
  try {
    const api = await connectKubeApi({
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(name !== undefined && { context: name }),
      clock: context.clock,
      timers: systemTimers,
      random: systemRandom,
      userAgent: `zoneproof/${packageVersion()}`,
    });
    try {
      return { read: await readCluster(api, namespace, stopping.signal), files: [] };
    } finally {
      api.close();
    }
  } catch (error) {
    if (error instanceof KubeConfigError) throw new UsageError(error.message);
    if (isKubeApiError(error)) throw new CommandError(`The cluster could not be read: ${error.message}`);
    throw error;
  } finally {
    stopping.release();
  }
}

/** Of files, too, `--namespace` takes the objects of one, and the ClusterIssuers. */
function inNamespace(read: Read, namespace: string | undefined): Read {
  if (namespace === undefined) return read;
  const objects = read.objects.filter(
    (object) => object.kind === 'ClusterIssuer' || (object.namespace ?? 'default') === namespace,
  );
  return { ...read, objects };
}

function reportOf({ objects, notTaken, findings, secrets, expected }: Plan, written: readonly string[]): ImportReport {
  return {
    complete: findings.every(({ level }) => level === 'note'),
    objects: objects.map(({ from }) => headOf(from)),
    notTaken: notTaken.map(headOf),
    findings: findings.map((finding) => ({ ...finding })),
    secrets: {
      written: secrets.map(({ metadata }) => {
        const { namespace, name } = metadata as { namespace?: string; name: string };
        return { ...(namespace !== undefined && { namespace }), name };
      }),
      expected: expected.map(({ namespace, name, use }) => ({
        ...(namespace !== undefined && { namespace }),
        name,
        use,
      })),
    },
    written: [...written],
  };
}

function headOf({ kind, namespace, name, place }: ForeignObject): ImportReport['objects'][number] {
  return { kind, ...(namespace !== undefined && { namespace }), name, ...place([]) };
}

function showReport({ findings, notTaken }: Plan, report: ImportReport, { style }: CommandContext): string {
  let text = '';
  for (const finding of findings) text += `${coloured(finding, style)}\n`;
  if (findings.length > 0) text += '\n';
  const { expected, written } = report.secrets;
  const numberOf = (kind: string): number => report.objects.filter((object) => object.kind === kind).length;
  const kinds = ['Issuer', 'ClusterIssuer', 'Certificate'] as const;
  const taken = kinds.filter((kind) => numberOf(kind) > 0).map((kind) => count(numberOf(kind), kind));
  text += `taken over: ${taken.join(', ') || 'nothing'}${written.length === 0 ? '' : `, with ${count(written.length, 'Secret')}`}\n`;
  if (notTaken.length > 0) text += `${style.red('not taken over')}: ${notTaken.map(titleOf).join(', ')}\n`;
  const left = findings.filter(({ level }) => level === 'left-out').length;
  if (left > 0) text += `${style.yellow('left out')}: ${left}, see above\n`;
  if (report.written.length > 0) text += `written: ${report.written.join(', ')}\n`;
  const others = expected.filter(({ use }) => use !== 'certificate');
  if (others.length > 0)
    text += `\nThese Secrets have to be there, as they are now:\n${others.map((secret) => `  ${pathOf(secret)} (${secret.use})\n`).join('')}`;
  return `${text}${showHandOver(expected)}`;
}

function showHandOver(expected: ImportReport['secrets']['expected']): string {
  const names = new Map<string, string[]>();
  for (const { namespace = 'default', name, use } of expected)
    if (use === 'certificate') names.set(namespace, [...(names.get(namespace) ?? []), name]);
  if (names.size === 0) return '';
  const commands = [...names].flatMap(([namespace, secrets]) =>
    inParts(secrets).map(
      (part) => `  kubectl annotate secret -n ${namespace} --overwrite ${part.join(' ')} ${adoptAnnotation}=true\n`,
    ),
  );
  return `\nTo hand the certificates over, once cert-manager is stopped and before these manifests are applied:\n${commands.join('')}`;
}

/** Command lines that a person can read. */
function inParts(names: readonly string[]): readonly (readonly string[])[] {
  const size = 50;
  return Array.from({ length: Math.ceil(names.length / size) }, (_, i) => names.slice(i * size, (i + 1) * size));
}

function pathOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function coloured(finding: Finding, { yellow }: CommandContext['style']): string {
  const shown = printable(showFinding(finding));
  return finding.level === 'note' ? shown : shown.replace('left out', yellow('left out'));
}
