/** A range of addresses that no tenant may have connected to, and why: completes "... may not be connected to: it is". */
export interface DeniedRange {
  readonly network: string;
  readonly bits: number;
  readonly because: string;
}

/**
 * What never is somebody's DNS service or CA: special-purpose addresses (RFC 6890, the IANA registries), and the metadata
 * services of clouds, which hand out credentials to whoever asks. Private ranges are not here: a CA, BIND and
 * acme-dns often live in the cluster.
 */
export const deniedRanges: readonly DeniedRange[] = [
  { network: '0.0.0.0', bits: 8, because: 'an unspecified address' },
  { network: '127.0.0.0', bits: 8, because: 'a loopback address' },
  // AWS, Google, Azure and most others at 169.254.169.254; ECS at .170.2, EKS at .170.23.
  { network: '169.254.0.0', bits: 16, because: 'a link-local address, where metadata services are' },
  { network: '100.100.100.200', bits: 32, because: 'the metadata service of Alibaba Cloud' },
  { network: '168.63.129.16', bits: 32, because: 'the host service of Azure' },
  { network: '192.0.0.192', bits: 32, because: 'the metadata service of Oracle Cloud' },
  { network: '224.0.0.0', bits: 4, because: 'a multicast address' },
  { network: '240.0.0.0', bits: 4, because: 'a reserved or broadcast address' },
  { network: '::', bits: 128, because: 'an unspecified address' },
  { network: '::1', bits: 128, because: 'a loopback address' },
  { network: 'fe80::', bits: 10, because: 'a link-local address' },
  { network: 'ff00::', bits: 8, because: 'a multicast address' },
  // EC2's own services: metadata at ::254, EKS pod identity at ::23.
  { network: 'fd00:ec2::', bits: 32, because: 'a metadata service of AWS' },
  { network: 'fd20:ce::254', bits: 128, because: 'the metadata service of Google Cloud' },
  { network: 'fd00:c1::a9fe:a9fe', bits: 128, because: 'the metadata service of Oracle Cloud' },
  { network: 'fd00:42::42', bits: 128, because: 'the metadata service of Scaleway' },
];

/**
 * Names of the same. Where they are resolved here their addresses say it all; a proxy resolves names by itself.
 */
export const deniedNames: readonly (readonly [name: string, because: string])[] = [
  ['localhost', 'this machine'],
  ['metadata', 'a metadata service'],
  ['metadata.google.internal', 'a metadata service'],
  ['metadata.goog', 'a metadata service'],
  ['instance-data', 'a metadata service'],
  ['metadata.azure.internal', 'a metadata service'],
  ['metadata.tencentyun.com', 'a metadata service'],
  ['kubernetes', 'the API server'],
  ['kubernetes.default', 'the API server'],
  ['kubernetes.default.svc', 'the API server'],
  ['kubernetes.default.svc.cluster.local', 'the API server'],
];
