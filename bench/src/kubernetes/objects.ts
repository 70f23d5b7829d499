import { secretBase64 } from '@zoneproof/farm';
import type { World } from '../world.ts';

export const apiVersion = 'zoneproof.dev/v1alpha1';
export const namespace = 'default';
export const certificatesPath = `/apis/${apiVersion}/namespaces/${namespace}/certificates`;

/** The ClusterIssuer of the benchmark and the Secret it refers to. Servers on loopback are nothing for an Issuer. */
export function issuerObjects(world: World): readonly object[] {
  const server = `${world.dns.address}:${world.dns.port}`;
  const rfc2136 = {
    nameserver: server,
    tsigKeyName: world.key.name,
    tsigAlgorithm: 'HMACSHA256',
    tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tsig', namespace },
      stringData: { secret: secretBase64(world.key) },
    },
    {
      apiVersion,
      kind: 'ClusterIssuer',
      metadata: { name: 'bench' },
      spec: {
        acme: {
          email: 'bench@bench.test',
          server: world.ca.directoryUrl,
          caBundle: world.ca.rootPem,
          privateKeySecretRef: { name: 'account-key' },
          dns01: { providers: [{ name: 'bind', rfc2136 }] },
        },
      },
    },
  ];
}

export function certificateObject(name: string, dnsNames: readonly string[], secretName = `${name}-tls`): object {
  return {
    apiVersion,
    kind: 'Certificate',
    metadata: { name, namespace },
    spec: { secretName, dnsNames, issuerRef: { name: 'bench', kind: 'ClusterIssuer' } },
  };
}
