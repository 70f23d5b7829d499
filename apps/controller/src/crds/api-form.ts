import { DnsNameError, toDnsName } from '@zoneproof/dns';
import {
  apiVersion,
  type CertificateSpec,
  type Kind,
  type ObjectMeta,
  type ObjectOfKind,
  type OrderSpec,
} from '../resources/index.ts';
import type { NewMeta, WithStatus } from '../store/store.ts';
import { withinBounds } from './bounds.ts';
import { withFoldedLedger, withUnfoldedLedger } from './ledger-form.ts';
import { withInstants, withTexts } from './times.ts';

export { resourcePath } from './kinds.ts';

/**
 * What the API server sends of one of our kinds (or the object of a watch event), as the program keeps it: only the
 * fields that are read, instants as epoch milliseconds, domain names as A-labels.
 *
 * @throws TypeError when it has no name, no uid or no version
 */
export function readObject<K extends WithStatus>(kind: K, json: unknown): ObjectOfKind[K] {
  const { metadata, spec, status } = json as ApiObject;
  const object = {
    kind,
    metadata: readMeta(kind, metadata),
    spec: kind === 'Certificate' ? withALabels((spec ?? {}) as unknown as CertificateSpec) : (spec ?? {}),
    status: withUnfoldedLedger(withInstants(status ?? {})),
  };
  return object as unknown as ObjectOfKind[K];
}

/** Our status as the JSON of `status`; {@link readObject} is its inverse, but for sentences that were too long. */
export function statusJson<K extends WithStatus>(_kind: K, status: ObjectOfKind[K]['status']): object {
  return withinBounds(withTexts(withFoldedLedger(status as Readonly<Record<string, unknown>>)));
}

/** A new Order for `POST`; its owner is told to the garbage collector. */
export function orderJson(meta: NewMeta, spec: OrderSpec): object {
  const { namespace, name, owner, finalizers, labels, annotations } = meta;
  // Without blockOwnerDeletion: some clusters ask for a right on the owner's finalizers to set it.
  const ownerReferences = owner && [{ apiVersion, ...owner, controller: true }];
  return {
    apiVersion,
    kind: 'Order',
    metadata: {
      namespace,
      name,
      ...(ownerReferences && { ownerReferences }),
      ...(finalizers && { finalizers }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec,
  };
}

interface ApiObject {
  readonly metadata?: ApiMeta;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ */
interface ApiMeta {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  }[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function readMeta(kind: WithStatus, meta: ApiMeta | undefined): ObjectMeta {
  const { name, uid, resourceVersion } = meta ?? {};
  if (meta === undefined || name === undefined || uid === undefined || resourceVersion === undefined)
    throw new TypeError(`the API server sent a ${kind} without name, uid or resourceVersion`);
  const { namespace = '', generation = 1, creationTimestamp, deletionTimestamp, finalizers = [], labels } = meta;
  const annotations = withoutLastApplied(meta.annotations);
  const owner = ownerOf(meta);
  return {
    namespace,
    name,
    uid,
    generation,
    resourceVersion,
    createdAt: creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp),
    ...(deletionTimestamp !== undefined && { deletedAt: Date.parse(deletionTimestamp) }),
    ...(finalizers.length > 0 && { finalizers }),
    ...(owner && { owner }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
}

function ownerOf({ ownerReferences = [] }: ApiMeta): ObjectMeta['owner'] {
  const owner = ownerReferences.find((one) => one.controller === true && one.apiVersion === apiVersion);
  return owner && { kind: owner.kind as Kind, name: owner.name, uid: owner.uid };
}

/** kubectl keeps a copy of the whole manifest there. */
function withoutLastApplied(annotations: ApiMeta['annotations']): ApiMeta['annotations'] {
  if (annotations === undefined) return undefined;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _copy, ...others } = annotations;
  return Object.keys(others).length === 0 ? undefined : others;
}

function withALabels(spec: CertificateSpec): CertificateSpec {
  const { dnsNames, dns01 } = spec;
  return {
    ...spec,
    ...(dnsNames && { dnsNames: [...new Set(dnsNames.map(aLabels))] }),
    ...(dns01 && { dns01: dns01.map((entry) => ({ ...entry, domains: entry.domains.map(aLabels) })) }),
  };
}

/** A text that is no name stays as it is: the Certificate's condition tells its user. */
function aLabels(name: string): string {
  try {
    return toDnsName(name);
  } catch (error) {
    if (error instanceof DnsNameError) return name;
    throw error;
  }
}
