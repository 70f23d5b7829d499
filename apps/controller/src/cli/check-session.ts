import { type AcmeClient, createAcmeClient, generateAccountKey } from '@zoneproof/acme';
import type { Egress } from '@zoneproof/core';
import type { Issuer } from '../resources/types.ts';
import { packageVersion } from './program.ts';

/** For an Issuer that has no key yet: a client that reads the directory only, with a key that is thrown away. */
export async function createProbeSession(issuer: Issuer, egress: Egress): Promise<AcmeClient> {
  const { server, caBundle } = issuer.spec.acme;
  const { key } = await generateAccountKey();
  const way = caBundle === undefined ? egress : egress.withCaBundle(caBundle);
  return createAcmeClient({
    directoryUrl: server,
    http: (request) => way.http(request),
    key,
    userAgent: `zoneproof/${packageVersion()}`,
  });
}
