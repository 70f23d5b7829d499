/** Where the Secrets of a ClusterIssuer live when zoneproof runs standalone; also the namespace of manifests that name none. */
export const defaultNamespace = 'default';

/** The namespace in which the Secrets of an Issuer or ClusterIssuer are looked up. */
export function secretNamespace(issuer: { readonly kind: string; readonly namespace: string }): string {
  return issuer.kind === 'ClusterIssuer' ? defaultNamespace : issuer.namespace;
}

/** `Issuer default/lab`, `ClusterIssuer public`: how an object is named to people. */
export function objectTitle(object: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`;
}

/** On the Secret with the private key of an Order: which Order that is. */
export const orderLabel = 'zoneproof.dev/order';
