import { caBundleField, endpointField, type Static, secretRef, Type } from '@zoneproof/core';

/** Fields of the block `exampledns`. */
export const schema = Type.Object(
  {
    tokenSecretRef: secretRef('the API token'),
    endpoint: Type.Optional(endpointField('https://api.dns.example')),
    caBundle: Type.Optional(caBundleField()),
  },
  { additionalProperties: false, description: 'Zones at ExampleDNS.' },
);

export type Config = Static<typeof schema>;
