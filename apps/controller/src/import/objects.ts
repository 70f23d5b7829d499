import { isRecord } from '../manifests/header.ts';
import type { FieldPath } from '../manifests/problem.ts';
import { readSecret, type SecretContent } from '../manifests/secret.ts';
import { type Fields, isFields } from './rules.ts';

/** A place in a file; neither is there for what a cluster answered. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
}

/** One Issuer, ClusterIssuer or Certificate of cert-manager. */
export interface ForeignObject {
  readonly kind: 'Issuer' | 'ClusterIssuer' | 'Certificate';
  /** Undefined: none is written, so that it is the one in which the manifest is applied. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** `Ingress web`: who made it. */
  readonly owner?: string;
  readonly spec: Fields;
  readonly apiVersion: string;
  place(path: FieldPath): Place;
}

/** A Secret that was given, or read in a cluster. */
export interface GivenSecret {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly content: SecretContent;
}

export interface Read {
  readonly objects: readonly ForeignObject[];
  readonly secrets: readonly GivenSecret[];
}

const kinds = ['Issuer', 'ClusterIssuer', 'Certificate'] as const;

/**
 * The objects of cert-manager and the Secrets in one document: an object, or a List of them. Other objects are passed
 * over, since people give what `kubectl get` printed.
 */
export function readForeign(document: unknown, placeOf: (path: FieldPath) => Place): Read {
  const objects: ForeignObject[] = [];
  const secrets: GivenSecret[] = [];
  for (const { fields, path } of itemsOf(document)) {
    const { apiVersion, metadata } = fields;
    if (!isRecord(metadata) || typeof metadata.name !== 'string' || metadata.name === '') continue;
    const { name } = metadata;
    const namespace = typeof metadata.namespace === 'string' ? metadata.namespace : undefined;
    const annotations = textsOf(metadata.annotations);
    const kind = kinds.find((known) => known === fields.kind);
    if (kind !== undefined && typeof apiVersion === 'string' && apiVersion.startsWith('cert-manager.io/'))
      objects.push({
        kind,
        namespace: kind === 'ClusterIssuer' ? undefined : namespace,
        name,
        labels: textsOf(metadata.labels),
        annotations,
        ...ownerOf(metadata.ownerReferences),
        spec: isFields(fields.spec) ? fields.spec : {},
        apiVersion,
        place: (at) => placeOf([...path, ...at]),
      });
    else if (fields.kind === 'Secret' && apiVersion === 'v1') {
      // What cannot be decoded is told when the Secret is needed: the entry is missing then.
      const content = readSecret({ kind: 'Secret', namespace: '', name, fields }, () => undefined);
      secrets.push({ namespace, name, annotations, content });
    }
  }
  return { objects, secrets };
}

function itemsOf(
  value: unknown,
  path: FieldPath = [],
): readonly { readonly fields: Fields; readonly path: FieldPath }[] {
  if (!isFields(value)) return [];
  if (typeof value.kind !== 'string' || !value.kind.endsWith('List') || !Array.isArray(value.items))
    return [{ fields: value, path }];
  // The items of a typed list have neither kind nor apiVersion when an API server sends it.
  const kind = value.kind.slice(0, -'List'.length);
  return value.items.flatMap((item: unknown, i) => {
    if (!isFields(item)) return [];
    const whole = kind === '' ? item : { kind, apiVersion: value.apiVersion, ...item };
    return itemsOf(whole, [...path, 'items', i]);
  });
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function ownerOf(references: unknown): { readonly owner?: string } {
  const [first] = Array.isArray(references) ? (references as unknown[]) : [];
  return isFields(first) ? { owner: `${String(first.kind)} ${String(first.name)}` } : {};
}
