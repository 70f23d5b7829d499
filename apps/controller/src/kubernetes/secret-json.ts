import { isHandedOver } from '../resources/adopt.ts';
import { apiVersion, type Kind, type ObjectMeta, type Secret } from '../resources/index.ts';
import { orderLabel } from '../resources/names.ts';
import { secretData } from '../store/secret-data.ts';
import type { NewMeta, SecretContent } from '../store/store.ts';

/** With our name there, a Secret that nobody owns is ours. */
export const managedByLabel = 'app.kubernetes.io/managed-by';
export const managedByUs = 'zoneproof';

/** What is read of a Secret's metadata. */
export interface SecretMeta {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  }[];
}

export interface SecretJson {
  readonly metadata: SecretMeta;
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export function secretPath(namespace: string, name?: string): string {
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}

export function readSecretJson({ metadata, type, data = {} }: SecretJson): Secret {
  const { namespace = '', name, uid, resourceVersion, creationTimestamp, labels, annotations } = metadata;
  const owner = ownerOf(metadata);
  const meta: ObjectMeta = {
    namespace,
    name,
    uid,
    generation: 1,
    resourceVersion,
    createdAt: creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp),
    ...(owner && { owner }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  const entries = Object.entries(data).map(([entry, value]) => [entry, Buffer.from(value, 'base64')]);
  return {
    kind: 'Secret',
    metadata: meta,
    ...(type === undefined ? {} : { type }),
    data: secretData(Object.fromEntries(entries)),
  };
}

/** The whole of what we want the Secret to have; entries of others are no business of ours. */
export function secretJson(meta: NewMeta, content: SecretContent, resourceVersion?: string): object {
  const { namespace, name, owner, labels, annotations } = meta;
  const entries = Object.entries(content.data).map(([entry, value]) => [entry, Buffer.from(value).toString('base64')]);
  // Without blockOwnerDeletion: some clusters ask for a right on the owner's finalizers to set it.
  const ownerReferences = owner?.uid ? [{ apiVersion, ...owner, controller: true }] : undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace,
      name,
      labels: { ...labels, [managedByLabel]: managedByUs },
      ...(annotations && { annotations }),
      ...(ownerReferences && { ownerReferences }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: content.type,
    data: Object.fromEntries(entries),
  };
}

/** The object of ours that owns the Secret. */
export function ownerOf({ ownerReferences = [] }: SecretMeta): ObjectMeta['owner'] {
  const group = apiVersion.split('/')[0] as string;
  const owner = ownerReferences.find((one) => one.apiVersion.startsWith(`${group}/`));
  return owner && { kind: owner.kind as Kind, name: owner.name, uid: owner.uid };
}

/**
 * Whose Secret it is: undefined when `owner` may write it, else words that complete "Secret X ...".
 *
 * Ours is what the same object owns; what a Certificate owned that is gone; what carries our label and has no owner,
 * as it stays when a Certificate is deleted without its Secret; and what its owner hands over by an annotation.
 */
export function whyForeign(
  metadata: SecretMeta,
  { owner, labels }: Pick<NewMeta, 'owner' | 'labels'>,
  isGone: (owner: NonNullable<NewMeta['owner']>) => boolean,
): string | undefined {
  const before = ownerOf(metadata);
  const references = withoutCertManager(metadata) ?? metadata.ownerReferences;
  const stranger = references?.find(({ uid }) => uid !== before?.uid);
  if (stranger !== undefined) return `belongs to ${stranger.kind} ${stranger.name}`;
  if (before !== undefined) {
    const isSame =
      before.kind === owner?.kind &&
      before.name === owner?.name &&
      // The key of an Order has its Certificate for an owner, too, and is not the Certificate's Secret for that.
      metadata.labels?.[orderLabel] === labels?.[orderLabel];
    return isSame || isGone(before) ? undefined : `belongs to ${before.kind} ${before.name}`;
  }
  if (metadata.labels?.[managedByLabel] === managedByUs || isHandedOver(metadata)) return undefined;
  return 'was made by someone else';
}

/**
 * The owner references that are left when a Secret is handed over by cert-manager; undefined when none of them is
 * cert-manager's. With its own, the Secret would go when cert-manager's Certificate is deleted.
 */
export function withoutCertManager(metadata: SecretMeta): NonNullable<SecretMeta['ownerReferences']> | undefined {
  const { ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((one) => !one.apiVersion.startsWith('cert-manager.io/'));
  return others.length < ownerReferences.length && isHandedOver(metadata) ? others : undefined;
}
