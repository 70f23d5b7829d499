import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLParseError,
} from 'yaml';
import type { FieldPath, ManifestProblem } from './problem.ts';

/** One YAML or JSON document of a file, and where its fields stand. */
export interface ManifestDocument {
  readonly file: string;
  readonly value: unknown;
  /** The place of a field, or of the deepest part of the path that is there. */
  at(path: FieldPath): { readonly line: number; readonly column: number };
}

/**
 * Reads all documents of a YAML or JSON file. A document with a syntax error is left out and its problems are told;
 * the others are read nevertheless. Empty documents do not count.
 */
export function parseDocuments(
  file: string,
  text: string,
): { readonly documents: readonly ManifestDocument[]; readonly problems: readonly ManifestProblem[] } {
  const lines = new LineCounter();
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  const language = file.endsWith('.json') ? 'JSON' : 'YAML';
  const note = (offset: number, message: string, severity: ManifestProblem['severity']): void => {
    const { line, col } = lines.linePos(offset);
    problems.push({ file, line: Math.max(line, 1), column: Math.max(col, 1), severity, message });
  };
  for (const document of parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true })) {
    for (const error of telling(document)) note(error.pos[0], `not valid ${language}: ${error.message}.`, 'error');
    for (const warning of document.warnings) note(warning.pos[0], `${warning.message}.`, 'warning');
    if (document.errors.length > 0 || isEmpty(document)) continue;
    try {
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      documents.push({ file, value, at: (path) => placeOf(document, path, lines) });
    } catch (error) {
      note(document.range[0], `not valid ${language}: ${(error as Error).message}.`, 'error');
    }
  }
  return { documents, problems };
}

/** Where the structure breaks, the parser stumbles on line after line: the first place is the one to repair. */
function telling({ errors }: Document.Parsed): readonly YAMLParseError[] {
  const breaks = errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
  return breaks.length === 0 ? errors : breaks.slice(0, 1);
}

function isEmpty(document: Document.Parsed): boolean {
  return document.contents === null || (isScalar(document.contents) && document.contents.value === null);
}

function placeOf(document: Document.Parsed, path: FieldPath, lines: LineCounter): { line: number; column: number } {
  let node: unknown = document.contents;
  let start = firstOctet(node) ?? document.range[0];
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) break;
      start = firstOctet(pair.key) ?? start;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number' && step < node.items.length) {
      node = node.items[step];
      start = firstOctet(node) ?? start;
    } else break;
  }
  const { line, col } = lines.linePos(start);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function firstOctet(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}
