import { type SelfCheckMode, secretRef, selfCheckModes, Type } from '@zoneproof/core';

const domainList = (description: string, examples: readonly string[][]) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { minItems: 1, maxItems: 500, description, examples }),
  );

/**
 * One element of `spec.acme.dns01.providers` without its block: the fields that every provider has. The block's key
 * and schema come from the installed provider packages.
 */
export const providerSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'Name of the provider, distinct within the Issuer; certificates and messages refer to it.',
      examples: ['prod-dns'],
    }),
    selector: Type.Optional(
      Type.Object(
        {
          dnsZones: domainList('Serves these domains and everything below them.', [['example.com']]),
          dnsNames: domainList('Serves exactly these domains.', [['www.example.com']]),
        },
        {
          additionalProperties: false,
          description:
            'Which domains this provider serves. The most specific match wins; a provider without a selector serves what no selector matches.',
        },
      ),
    ),
  },
  { description: 'A name and exactly one provider block, whose key is that of an installed provider.' },
);

const serverList = (description: string, examples: readonly string[][]) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { minItems: 1, maxItems: 16, description, examples }),
  );

/** How values are proven to be visible before the CA is asked: docs/self-check.md. */
const selfCheckSchema = Type.Object(
  {
    mode: Type.Optional(
      Type.Unsafe<SelfCheckMode>({
        type: 'string',
        enum: [...selfCheckModes],
        description:
          'Who is asked for the value: auto asks the authoritative servers, and the listed ones only where none of those can be reached; authoritative never asks others; listed-only asks the listed ones alone. Absent: as --dns01-self-check-mode says.',
      }),
    ),
    nameservers: serverList(
      'Servers to start from, in place of those of --dns01-self-check-nameservers or /etc/resolv.conf: host:port, tls://host or https://host/path.',
      [['192.0.2.53:53', 'https://dns.example.com/dns-query']],
    ),
    finalResolvers: serverList(
      'Resolvers that are asked last, once the authoritative servers agree: host:port, tls://host or https://host/path.',
      [['https://dns.example.com/dns-query']],
    ),
  },
  { additionalProperties: false, description: 'How the self check of the values goes for this Issuer.' },
);

/** `spec` of an Issuer. */
export const issuerSpecSchema = Type.Object(
  {
    acme: Type.Object(
      {
        email: Type.Optional(
          Type.String({
            minLength: 3,
            maxLength: 320,
            description: 'E-mail address of the ACME account, for notices of the CA.',
            examples: ['ops@example.com'],
          }),
        ),
        server: Type.String({
          minLength: 1,
          maxLength: 2048,
          description: 'URL of the ACME directory.',
          examples: ['https://acme-v02.api.letsencrypt.org/directory'],
        }),
        privateKeySecretRef: Type.Object(
          {
            name: Type.String({
              minLength: 1,
              maxLength: 253,
              description: 'Name of the Secret.',
              examples: ['acme-account'],
            }),
          },
          {
            additionalProperties: false,
            description:
              'Secret with the ACME account key (entry tls.key); made when it is missing, never overwritten.',
          },
        ),
        caBundle: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 262_144,
            description:
              'PEM certificates that the ACME server is trusted by. Absent: the root certificates that come with Node.',
            examples: ['-----BEGIN CERTIFICATE-----\n...'],
          }),
        ),
        termsOfServiceAgreed: Type.Optional(
          Type.Boolean({
            default: true,
            description: "Consent to the CA's terms of service, whose URL is in the status.",
          }),
        ),
        externalAccountBinding: Type.Optional(
          Type.Object(
            {
              keyID: Type.String({
                minLength: 1,
                maxLength: 1024,
                description: 'Key identifier given by the CA.',
                examples: ['kid-1'],
              }),
              keySecretRef: secretRef('the HMAC key given by the CA, in base64url'),
            },
            { additionalProperties: false, description: 'Binds the account to one at the CA (RFC 8555 7.3.4).' },
          ),
        ),
        profile: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            description: "Certificate profile, one of those in the CA's directory. Absent: the CA's default.",
            examples: ['shortlived'],
          }),
        ),
        dns01: Type.Object(
          {
            providers: Type.Array(providerSchema, {
              minItems: 1,
              maxItems: 64,
              description: 'DNS providers, each with a name of its own.',
            }),
            selfCheck: Type.Optional(selfCheckSchema),
          },
          { additionalProperties: false, description: 'How DNS01 challenges are answered.' },
        ),
      },
      { additionalProperties: false, description: 'The ACME account and its DNS01 providers.' },
    ),
  },
  { additionalProperties: false, description: 'An ACME account plus a list of named DNS providers.' },
);

/** Who may use a ClusterIssuer, and for which names: docs/security.md. */
export const allowanceFields = {
  allowedNamespaces: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Namespaces whose Certificates may use this ClusterIssuer. Absent: all.',
      examples: [['shop', 'web']],
    }),
  ),
  allowedDomains: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      minItems: 1,
      maxItems: 1000,
      description:
        'Domains that Certificates of this ClusterIssuer may have names in: each one and everything below it, wildcards included. Absent: all.',
      examples: [['example.com']],
    }),
  ),
};

/** `spec` of a ClusterIssuer. */
export const clusterIssuerSpecSchema = Type.Object(
  { ...issuerSpecSchema.properties, ...allowanceFields },
  {
    additionalProperties: false,
    description: 'An ACME account plus a list of named DNS providers, for the Certificates of all or some namespaces.',
  },
);
