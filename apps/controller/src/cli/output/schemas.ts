import { type ProviderErrorKind, providerErrorKinds, type Static, Type } from '@zoneproof/core';

const closed = { additionalProperties: false } as const;
const kinds = ['Issuer', 'ClusterIssuer', 'Certificate', 'Order', 'Secret'];
const kind = Type.String({ enum: kinds });

/** What `zoneproof validate -o json` prints. */
export const validateSchema = Type.Object(
  {
    valid: Type.Boolean({ description: 'No problem is an error.' }),
    objects: Type.Array(
      Type.Object(
        { kind, namespace: Type.String(), name: Type.String(), file: Type.String(), line: Type.Integer() },
        closed,
      ),
    ),
    problems: Type.Array(
      Type.Object(
        {
          file: Type.String(),
          line: Type.Integer({ minimum: 1 }),
          column: Type.Optional(Type.Integer({ minimum: 1 })),
          severity: Type.Unsafe<'error' | 'warning'>({ type: 'string', enum: ['error', 'warning'] }),
          message: Type.String({ description: 'Begins with the field it is about.' }),
          object: Type.Optional(Type.String({ description: 'Certificate default/shop' })),
        },
        closed,
      ),
      { description: 'In the order of files and lines.' },
    ),
  },
  { ...closed, description: 'The outcome of an offline check of manifests.' },
);
export type ValidateReport = Static<typeof validateSchema>;

/** One line of `--log-format json`. */
export const reportLineSchema = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    level: Type.Unsafe<'info' | 'warn' | 'error'>({ type: 'string', enum: ['info', 'warn', 'error'] }),
    kind: Type.Optional(kind),
    namespace: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    reason: Type.String({ description: 'A word out of docs/conditions.md, or one about the process itself.' }),
    message: Type.String(),
    retryAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it is tried again, where that is known.' }),
    ),
  },
  { ...closed, description: 'One change of one object, or of the process when kind is absent.' },
);
export type ReportLine = Static<typeof reportLineSchema>;

/** What `zoneproof providers -o json` prints. */
export const providersSchema = Type.Object(
  {
    providers: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'Key of the provider block in an Issuer.' }),
          package: Type.String(),
          version: Type.String(),
          directory: Type.String(),
          problem: Type.Optional(Type.String({ description: 'Why it cannot be used.' })),
          displayName: Type.Optional(Type.String({ description: 'The service that it is for.' })),
          schema: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'JSON Schema of the block.' })),
          example: Type.Optional(
            Type.Unsafe<object>({ type: 'object', description: 'The smallest block that works.' }),
          ),
          issuer: Type.Optional(Type.String({ description: 'The smallest Issuer with this provider, as YAML.' })),
          permissions: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  name: Type.String({ description: "In the vendor's words." }),
                  on: Type.String({ description: 'On what it is needed.' }),
                  need: Type.Unsafe<'always' | 'optional'>({ type: 'string', enum: ['always', 'optional'] }),
                  why: Type.String({ description: 'What it is for; when optional, what happens without it.' }),
                },
                closed,
              ),
              { description: 'Rights that the credentials need at the vendor.' },
            ),
          ),
          errors: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  kind: Type.Unsafe<ProviderErrorKind>({ type: 'string', enum: [...providerErrorKinds] }),
                  seen: Type.String({ description: "The vendor's code or words." }),
                  advice: Type.String({ description: 'What to do.' }),
                },
                closed,
              ),
              { description: 'Errors that users meet.' },
            ),
          ),
          policy: Type.Optional(Type.Boolean({ description: 'Whether zoneproof policy has a document for it.' })),
        },
        closed,
      ),
      { description: 'The members after displayName are given when one provider is asked for by name.' },
    ),
  },
  { ...closed, description: 'Installed DNS providers.' },
);
export type ProvidersReport = Static<typeof providersSchema>;

/** What `zoneproof acmedns register --json` prints. It holds no credentials. */
export const acmednsRegisterSchema = Type.Object(
  {
    server: Type.String({ description: 'Base URL of the acme-dns server.' }),
    file: Type.String({ description: 'The credentials document.' }),
    records: Type.Array(
      Type.Object(
        {
          domain: Type.String(),
          name: Type.String({ description: 'Owner name of the CNAME to create.' }),
          target: Type.String({ description: 'Its target, the fulldomain of the account.' }),
          account: Type.Unsafe<'registered' | 'kept'>({ type: 'string', enum: ['registered', 'kept'] }),
          cname: Type.Unsafe<'ok' | 'missing' | 'wrong' | 'unknown'>({
            type: 'string',
            enum: ['ok', 'missing', 'wrong', 'unknown'],
            description: 'What the authoritative servers say now.',
          }),
          detail: Type.String(),
        },
        closed,
      ),
    ),
    warnings: Type.Array(Type.String()),
  },
  { ...closed, description: 'Accounts at an acme-dns server and the CNAMEs they need.' },
);
export type AcmednsRegisterReport = Static<typeof acmednsRegisterSchema>;
