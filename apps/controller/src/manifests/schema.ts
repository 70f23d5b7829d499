import { type ConfigProblem, schemaProblems } from '@zoneproof/core';
import { type FieldPath, type ReportProblem, readPath } from './problem.ts';

/** Holds `value` against a schema; true when it satisfies it. `at` is where the value stands in the document. */
export function reportSchemaProblems(schema: object, value: unknown, at: FieldPath, report: ReportProblem): boolean {
  const problems = schemaProblems(schema, value);
  for (const { keyPath, message, severity } of problems) report([...at, ...keyPath], message, severity);
  return problems.length === 0;
}

/** Tells problems whose paths are relative to `at`; true when none is an error. */
export function reportConfigProblems(
  problems: readonly ConfigProblem[],
  at: FieldPath,
  report: ReportProblem,
): boolean {
  for (const { path, message, severity } of problems) report([...at, ...readPath(path)], message, severity);
  return !problems.some(({ severity }) => severity === 'error');
}
