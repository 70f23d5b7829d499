import { Type } from '@zoneproof/core';

const issuerKinds = ['Issuer', 'ClusterIssuer'] as const;

/** `issuerRef` of a Certificate. */
const issuerRefSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 253, description: 'Name of the Issuer.', examples: ['letsencrypt'] }),
    kind: Type.Optional(
      Type.Unsafe<(typeof issuerKinds)[number]>({
        type: 'string',
        enum: [...issuerKinds],
        default: 'Issuer',
        description: "Issuer (in the certificate's namespace) or ClusterIssuer.",
      }),
    ),
  },
  { additionalProperties: false, description: 'Who issues.' },
);

/** `dns01` of a Certificate: which provider serves which of its domains. */
const mappingSchema = Type.Array(
  Type.Object(
    {
      provider: Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'Name of a provider of the Issuer.',
        examples: ['prod-dns'],
      }),
      domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Names out of dnsNames.',
        examples: [['example.com', '*.example.com']],
      }),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100, description: 'Names the provider of some domains. Absent: selectors and zones decide.' },
);

const texts = (
  value: { readonly maxLength: number; readonly pattern?: string },
  description: string,
  example: object,
) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string', ...value },
      maxProperties: 64,
      description,
      examples: [example],
    }),
  );

/** `secretTemplate` of a Certificate. */
const secretTemplateSchema = Type.Object(
  {
    labels: texts(
      { maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' },
      'Labels that the Secret has.',
      { team: 'shop' },
    ),
    annotations: texts({ maxLength: 4096 }, 'Annotations that the Secret has.', { 'example.com/copy-to': 'edge' }),
  },
  {
    additionalProperties: false,
    description:
      'Labels and annotations kept on the Secret. What else it has stays; what is taken out of here goes from the Secret.',
  },
);

/** `spec` of a Certificate. */
export const certificateSpecSchema = Type.Object(
  {
    secretName: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'Secret that receives key and chain (tls.key, tls.crt, ca.crt). One certificate a Secret.',
      examples: ['shop-tls'],
    }),
    secretTemplate: Type.Optional(secretTemplateSchema),
    dnsNames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Names of the certificate, wildcards included. U-labels are turned into A-labels.',
      examples: [['example.com', '*.example.com']],
    }),
    issuerRef: issuerRefSchema,
    dns01: Type.Optional(mappingSchema),
    privateKey: Type.Optional(
      Type.Object(
        {
          algorithm: Type.Optional(
            Type.Unsafe<'ECDSA' | 'RSA'>({
              type: 'string',
              enum: ['ECDSA', 'RSA'],
              default: 'ECDSA',
              description: 'Algorithm of the private key.',
            }),
          ),
          size: Type.Optional(
            Type.Integer({
              minimum: 256,
              maximum: 8192,
              description:
                'Bits: 256 or 384 with ECDSA (default 256); 2048, 3072, 4096 or 8192 with RSA (default 2048).',
              examples: [256],
            }),
          ),
          rotationPolicy: Type.Optional(
            Type.Unsafe<'Always' | 'Never'>({
              type: 'string',
              enum: ['Always', 'Never'],
              default: 'Always',
              description: 'Always: a new key with each certificate. Never: the key is kept.',
            }),
          ),
        },
        { additionalProperties: false, description: 'The private key.' },
      ),
    ),
    renewBefore: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 32,
        description:
          'How long before its end the certificate is renewed: a time span (720h, 30d) or a share of the lifetime (33%). Absent: after two thirds of the lifetime, after half of it when that is less than 10 days.',
        examples: ['720h'],
      }),
    ),
    onIssued: Type.Optional(
      Type.Array(Type.String({ maxLength: 4096 }), {
        minItems: 1,
        maxItems: 64,
        description: 'Standalone only: command and arguments run after a new certificate was stored.',
        examples: [['systemctl', 'reload', 'nginx']],
      }),
    ),
  },
  { additionalProperties: false, description: 'A certificate to be kept issued.' },
);

/** `spec` of an Order; Orders are made by zoneproof alone. */
export const orderSpecSchema = Type.Object(
  {
    dnsNames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Names of the order.',
      examples: [['example.com']],
    }),
    issuerRef: Type.Object(
      {
        name: Type.String({
          minLength: 1,
          maxLength: 253,
          description: 'Name of the Issuer.',
          examples: ['letsencrypt'],
        }),
        kind: Type.Unsafe<(typeof issuerKinds)[number]>({
          type: 'string',
          enum: [...issuerKinds],
          description: 'Issuer or ClusterIssuer.',
        }),
      },
      { additionalProperties: false, description: 'Who issues.' },
    ),
    dns01: Type.Optional(mappingSchema),
    privateKeySecretName: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'Secret with the new private key.',
      examples: ['shop-1-key'],
    }),
  },
  { additionalProperties: false, description: 'One order at the CA; made by zoneproof.' },
);
