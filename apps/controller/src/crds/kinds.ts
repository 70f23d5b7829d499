import type { WithStatus } from '../store/store.ts';

export const apiGroup = 'zoneproof.dev';
export const apiGroupVersion = 'v1alpha1';

/** How the API server calls each kind in its paths. */
export const pluralOf: Readonly<Record<WithStatus, string>> = {
  Issuer: 'issuers',
  ClusterIssuer: 'clusterissuers',
  Certificate: 'certificates',
  Order: 'orders',
};

/**
 * `/apis/zoneproof.dev/v1alpha1/namespaces/NS/certificates/NAME`; without a name the collection, without a namespace
 * that of all namespaces. A ClusterIssuer has none.
 */
export function resourcePath(kind: WithStatus, namespace?: string, name?: string): string {
  const inNamespace = kind !== 'ClusterIssuer' && namespace !== undefined && namespace !== '';
  if (name !== undefined && !inNamespace && kind !== 'ClusterIssuer')
    throw new TypeError(`${kind} ${name} has a namespace, which is missing`);
  const steps = [
    ...(inNamespace ? ['namespaces', namespace] : []),
    pluralOf[kind],
    ...(name === undefined ? [] : [name]),
  ];
  return `/apis/${apiGroup}/${apiGroupVersion}/${steps.map(encodeURIComponent).join('/')}`;
}
