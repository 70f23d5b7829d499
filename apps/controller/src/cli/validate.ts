import { loadManifests, type ManifestObject, type ManifestProblem, showProblem } from '../manifests/index.ts';
import type { CommandContext } from './context.ts';
import type { ValidateReport } from './output/schemas.ts';
import { openRegistry } from './registry.ts';

interface Options {
  readonly secrets?: string;
  readonly pluginDir?: readonly string[];
  readonly output: 'text' | 'json';
}

/** `zoneproof validate`: 0 when no problem is an error, else 2. Sends nothing anywhere. */
export async function validate(paths: readonly string[], options: Options, context: CommandContext): Promise<number> {
  const registry = await openRegistry(context, options.pluginDir);
  const { objects, problems } = await loadManifests(paths, {
    registry,
    ...(options.secrets !== undefined && { secretsDir: options.secrets }),
  });
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (options.output === 'json') {
    context.out.write(`${JSON.stringify(validateReport(objects, problems), undefined, 2)}\n`);
    return errors === 0 ? 0 : 2;
  }
  for (const problem of problems) context.out.write(`${showProblem(problem)}\n`);
  const { green, red, yellow } = context.style;
  const warnings = problems.length - errors;
  const warned = warnings === 0 ? '' : yellow(`, ${count(warnings, 'warning')}`);
  context.out.write(
    errors === 0
      ? `${green('valid')}: ${summary(objects)}${warned}\n`
      : `${red('invalid')}: ${count(errors, 'error')}${warned}; nothing was sent anywhere.\n`,
  );
  return errors === 0 ? 0 : 2;
}

function validateReport(objects: readonly ManifestObject[], problems: readonly ManifestProblem[]): ValidateReport {
  return {
    valid: !problems.some(({ severity }) => severity === 'error'),
    objects: objects.map(({ kind, namespace, name, source }) => ({ kind, namespace, name, ...source })),
    problems: problems.map((problem) => ({ ...problem })),
  };
}

function summary(objects: readonly ManifestObject[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, n]) => count(n, kind)).join(', ') || 'no objects';
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
