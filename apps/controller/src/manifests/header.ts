import { nearestName } from '@zoneproof/core';
import { apiVersion, defaultNamespace, type Kind } from '../resources/index.ts';
import type { ManifestDocument } from './document.ts';
import type { ReportProblem } from './problem.ts';

/** What says which object a document is about. */
export interface ManifestHeader {
  readonly kind: Exclude<Kind, 'Order'>;
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The document as an object; fields other than those of the header are still unread. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const versionOfKind: Readonly<Record<ManifestHeader['kind'], string>> = {
  Issuer: apiVersion,
  ClusterIssuer: apiVersion,
  Certificate: apiVersion,
  Secret: 'v1',
};
const kinds = Object.keys(versionOfKind) as ManifestHeader['kind'][];

/** Written by API servers: accepted, so that what `kubectl get -o yaml` prints can be used, and not read. */
const serverFields = [
  'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'ownerReferences', 'finalizers', 'selfLink',
  'deletionTimestamp', 'deletionGracePeriodSeconds', 'generateName',
]; // biome-ignore format: one list

/** Reads apiVersion, kind and metadata; undefined (with problems told) when the document is no object of ours. */
export function readHeader(document: ManifestDocument, report: ReportProblem): ManifestHeader | undefined {
  const fields = document.value;
  if (!isRecord(fields)) {
    report([], `a manifest is a mapping with apiVersion, kind and metadata; this is ${describe(fields)}.`);
    return undefined;
  }
  const kind = readKind(fields, report);
  if (kind === undefined) return undefined;
  const wanted = versionOfKind[kind];
  if (fields.apiVersion !== wanted)
    report(
      ['apiVersion'],
      fields.apiVersion === undefined
        ? `missing; write apiVersion: ${wanted}.`
        : `${quote(fields.apiVersion)} is not known for kind ${kind}; write ${wanted}.`,
    );
  return readMetadata(kind, fields, report);
}

function readKind(
  fields: Readonly<Record<string, unknown>>,
  report: ReportProblem,
): ManifestHeader['kind'] | undefined {
  const { kind } = fields;
  const known = kinds.find((candidate) => candidate === kind);
  if (known !== undefined) return known;
  if (kind === undefined) report([], `kind is missing; it is one of ${kinds.join(', ')}.`);
  else if (kind === 'Order') report(['kind'], 'Orders are made by zoneproof itself; write a Certificate instead.');
  else report(['kind'], `${quote(kind)} is not a kind of zoneproof${suggest(String(kind), kinds)}`);
  return undefined;
}

function readMetadata(
  kind: ManifestHeader['kind'],
  fields: Readonly<Record<string, unknown>>,
  report: ReportProblem,
): ManifestHeader | undefined {
  const { metadata } = fields;
  if (!isRecord(metadata)) {
    report(
      ['metadata'],
      metadata === undefined ? 'missing; it holds the name.' : 'it has to be a mapping with a name.',
    );
    return undefined;
  }
  const known = ['name', 'namespace', 'labels', 'annotations'];
  for (const key of Object.keys(metadata))
    if (!known.includes(key) && !serverFields.includes(key))
      report(['metadata', key], `unknown field${suggest(key, known)}`);
  const name = readName(metadata.name, 253, ['metadata', 'name'], report);
  const namespace = readNamespace(kind, metadata.namespace, report);
  const labels = readTexts(metadata.labels, ['metadata', 'labels'], report);
  const annotations = readTexts(metadata.annotations, ['metadata', 'annotations'], report);
  if (name === undefined || namespace === undefined) return undefined;
  return { kind, namespace, name, ...(labels && { labels }), ...(annotations && { annotations }), fields };
}

function readNamespace(kind: string, value: unknown, report: ReportProblem): string | undefined {
  const path = ['metadata', 'namespace'];
  if (kind === 'ClusterIssuer') {
    if (value !== undefined) report(path, 'a ClusterIssuer belongs to no namespace; remove the field.');
    return '';
  }
  return value === undefined ? defaultNamespace : readName(value, 63, path, report);
}

/** RFC 1123 names, as Kubernetes has them; file names are made of them. */
function readName(
  value: unknown,
  maxLength: number,
  path: readonly string[],
  report: ReportProblem,
): string | undefined {
  if (value === undefined) report(path, 'missing.');
  else if (typeof value !== 'string') report(path, `${quote(value)} is not text; write it in quotes.`);
  else if (value.length > maxLength || !/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(value))
    report(
      path,
      `${quote(value)} is not a name: at most ${maxLength} of a-z, 0-9, "-" and ".", with a letter or digit at both ends.`,
    );
  else return value;
  return undefined;
}

function readTexts(value: unknown, path: readonly string[], report: ReportProblem): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    report(path, 'it has to be a mapping of texts.');
    return undefined;
  }
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string') report([...path, key], `${quote(text)} is not text; write it in quotes.`);
  return value as Record<string, string>;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `; did you mean "Certificate"?` or nothing. */
export function suggest(word: string, candidates: readonly string[]): string {
  const nearest = nearestName(word, candidates);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`;
}

function describe(value: unknown): string {
  // Not what it says: somebody may have given the file of a Secret.
  return Array.isArray(value) ? 'a list' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}
