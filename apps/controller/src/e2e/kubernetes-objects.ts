import type { RealWorld } from './real-world.ts';

const header = { apiVersion: 'zoneproof.dev/v1alpha1' };

export function namespace(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** Issuer `pebble` of a namespace with its credentials in Secret `tsig`, or a ClusterIssuer of the same name. */
export function issuer(real: RealWorld, place: { readonly namespace: string } | 'cluster'): readonly object[] {
  const [made, secret] = real
    .issuer()
    .split('\n---\n')
    .map((text) => JSON.parse(text) as { readonly metadata: object; readonly spec: object });
  const home = place === 'cluster' ? { namespace: 'zoneproof' } : place;
  return [
    {
      ...made,
      metadata: { ...made?.metadata, ...(place !== 'cluster' && home) },
      ...(place === 'cluster' && { kind: 'ClusterIssuer' }),
    },
    { ...secret, metadata: { ...secret?.metadata, ...home } },
  ];
}

export function certificate(
  metadata: { readonly namespace: string; readonly name: string },
  dnsNames: readonly string[],
  more: object = {},
): object {
  const spec = { secretName: `${metadata.name}-tls`, dnsNames, issuerRef: { name: 'pebble' }, ...more };
  return { ...header, kind: 'Certificate', metadata, spec };
}

/** `cluster` ClusterIssuer `pebble`. */
export const clusterIssuerRef = { issuerRef: { kind: 'ClusterIssuer', name: 'pebble' } };
