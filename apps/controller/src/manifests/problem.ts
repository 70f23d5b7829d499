/** Something wrong with a manifest, where a person can find it. */
export interface ManifestProblem {
  /** As given or found, relative when it was given so. */
  readonly file: string;
  /** Both count from 1. Line 1 without a column: the file as a whole. */
  readonly line: number;
  readonly column?: number;
  readonly severity: 'error' | 'warning';
  /** What is wrong and what to do; begins with the field: `spec.dnsNames[1]: ...`. */
  readonly message: string;
  /** `Certificate default/shop`, when that much could be read. */
  readonly object?: string;
}

/** Keys and indexes from the top of a document to one field. */
export type FieldPath = readonly (string | number)[];

/** Notes a problem of one object's manifest. */
export type ReportProblem = (path: FieldPath, message: string, severity?: ManifestProblem['severity']) => void;

/** `['spec', 'dnsNames', 1]` -> `spec.dnsNames[1]`. */
export function showPath(path: FieldPath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}

/** `spec.dnsNames[1]` -> `['spec', 'dnsNames', 1]`. */
export function readPath(text: string): FieldPath {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? (key as string) : Number(index),
  );
}

/** `src/a.yaml:3:5: error: ...`, the form that editors and CI systems recognise. */
export function showProblem({ file, line, column, severity, message, object }: ManifestProblem): string {
  const place = `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  return `${place}: ${severity}: ${object === undefined ? '' : `${object}: `}${message}`;
}
