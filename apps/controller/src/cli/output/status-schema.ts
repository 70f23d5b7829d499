import { type Static, Type } from '@zoneproof/core';
import type { DnsTransportName } from '@zoneproof/dns';

const time = (description: string) => Type.String({ format: 'date-time', description });
const text = (description: string) => Type.String({ description });
const closed = { additionalProperties: false } as const;

const kind = Type.Unsafe<'Issuer' | 'ClusterIssuer'>({ type: 'string', enum: ['Issuer', 'ClusterIssuer'] });

const serverEvidence = Type.Object(
  {
    server: text('Name of the authoritative server.'),
    address: text('Its address that was asked.'),
    finding: Type.Unsafe<'has' | 'lacks' | 'lame' | 'unreachable'>({
      type: 'string',
      enum: ['has', 'lacks', 'lame', 'unreachable'],
      description: 'has: every value is there; lacks: at least one is not; lame: no authority; unreachable: no answer.',
    }),
    transport: Type.Unsafe<DnsTransportName>({ type: 'string', enum: ['udp', 'tcp', 'tls', 'https'] }),
    rttMs: Type.Optional(Type.Number({ description: 'Milliseconds until the answer.' })),
    rcode: Type.Optional(text('Response code.')),
    aa: Type.Optional(Type.Boolean({ description: 'Whether the answer was authoritative.' })),
    serial: Type.Optional(Type.Integer({ description: "The zone's SOA serial there." })),
    values: Type.Optional(Type.Array(Type.String(), { description: 'Values seen, shortened.' })),
    alias: Type.Optional(text('Name that the asked one is an alias of there.')),
    inferred: Type.Optional(
      Type.Literal(true, {
        description: 'Not asked for these values: it lacks one that was written at the same time.',
      }),
    ),
    detail: Type.Optional(text('What the server said, or why there is no answer.')),
  },
  closed,
);

const evidence = Type.Object(
  {
    verdict: Type.Unsafe<'visible' | 'missing' | 'unreachable'>({
      type: 'string',
      enum: ['visible', 'missing', 'unreachable'],
    }),
    at: time('When the servers were asked.'),
    zone: text('Zone whose servers were asked.'),
    target: text('Name that was asked for, after CNAMEs.'),
    by: Type.Optional(Type.Literal('resolver', { description: 'Only listed servers were asked.' })),
    servers: Type.Array(serverEvidence),
    summary: text('One sentence for people.'),
  },
  { ...closed, description: 'The last round of the self check.' },
);

const issuer = Type.Object(
  {
    kind,
    namespace: text('Empty for a ClusterIssuer.'),
    name: Type.String(),
    ready: Type.Boolean(),
    reason: text('A word out of docs/conditions.md.'),
    message: Type.String(),
    server: text('ACME directory.'),
    accountURL: Type.Optional(text('The account at the CA.')),
    termsOfService: Type.Optional(text('URL of the terms agreed to.')),
    providers: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          block: text('Block key and vendor.'),
          ready: Type.Boolean(),
          reason: Type.String(),
          message: Type.String(),
        },
        closed,
      ),
    ),
  },
  closed,
);

const certificate = Type.Object(
  {
    namespace: Type.String(),
    name: Type.String(),
    ready: Type.Boolean({ description: 'A current certificate is stored.' }),
    reason: text('A word out of docs/conditions.md.'),
    message: Type.String(),
    dnsNames: Type.Array(Type.String()),
    issuerRef: Type.Object({ kind, name: Type.String() }, closed),
    secretName: Type.String(),
    notBefore: Type.Optional(time('Begin of validity.')),
    notAfter: Type.Optional(time('End of validity.')),
    renewAt: Type.Optional(time('When it will be renewed.')),
    serial: Type.Optional(text('Serial number, hexadecimal.')),
    issuer: Type.Optional(text('Who signed it.')),
    files: Type.Optional(
      Type.Object(
        { certificate: text('The chain, PEM.'), key: text('The private key, PEM.') },
        { ...closed, description: 'Where the current certificate lies.' },
      ),
    ),
    order: Type.Optional(text('Name of the Order under way.')),
    lastFailure: Type.Optional(
      Type.Object(
        {
          at: time('When the last Order failed.'),
          count: Type.Integer({ description: 'Failures in a row.' }),
          reason: Type.String(),
          message: Type.String(),
          retryAt: time('When another is begun.'),
        },
        closed,
      ),
    ),
  },
  closed,
);

const challenge = Type.Object(
  {
    domain: Type.String(),
    wildcard: Type.Boolean(),
    step: Type.Unsafe<'new' | 'presented' | 'visible' | 'responded' | 'validated' | 'failed'>({
      type: 'string',
      enum: ['new', 'presented', 'visible', 'responded', 'validated', 'failed'],
    }),
    authorization: text("The authorization's status at the CA."),
    provider: Type.Optional(text('Provider that writes the value.')),
    zone: Type.Optional(text('Zone it is written to.')),
    target: Type.Optional(text('Name it is written at.')),
    presentedAt: Type.Optional(time('When it was written.')),
    error: Type.Optional(Type.String()),
    evidence: Type.Optional(evidence),
  },
  closed,
);

const order = Type.Object(
  {
    namespace: Type.String(),
    name: Type.String(),
    certificate: Type.Optional(text('Certificate it is for.')),
    createdAt: time('When it was begun.'),
    dnsNames: Type.Array(Type.String()),
    result: Type.Optional(Type.Unsafe<'valid' | 'failed'>({ type: 'string', enum: ['valid', 'failed'] })),
    status: Type.Optional(text("The order's status at the CA.")),
    orderURL: Type.Optional(Type.String()),
    waiting: Type.Optional(
      Type.Object(
        { reason: Type.String(), message: Type.String(), until: Type.Optional(time('When it is tried again.')) },
        closed,
      ),
    ),
    failure: Type.Optional(
      Type.Object(
        { reason: Type.String(), message: Type.String(), retryAt: Type.Optional(time('Not before.')) },
        closed,
      ),
    ),
    challenges: Type.Array(challenge),
    openValues: Type.Array(
      Type.Object(
        {
          zone: Type.String(),
          name: Type.String(),
          provider: Type.String(),
          since: time('When it was first intended.'),
        },
        closed,
      ),
      { description: 'TXT values of ours that may be in a zone now.' },
    ),
  },
  closed,
);

/** What `zoneproof status -o json` prints. */
export const statusSchema = Type.Object(
  {
    apiVersion: Type.Unsafe<'zoneproof.dev/v1alpha1'>({ type: 'string', const: 'zoneproof.dev/v1alpha1' }),
    kind: Type.Unsafe<'Status'>({ type: 'string', const: 'Status' }),
    time: time('When this was read.'),
    stateDirectory: Type.Optional(Type.String({ description: 'Absent with --from-cluster.' })),
    process: Type.Optional(
      Type.Object(
        { running: Type.Boolean(), pid: Type.Optional(Type.Integer()) },
        { ...closed, description: 'The process that holds the state directory.' },
      ),
    ),
    cluster: Type.Optional(Type.String({ description: 'With --from-cluster: URL of the API server.' })),
    issuers: Type.Array(issuer),
    certificates: Type.Array(certificate),
    orders: Type.Array(order),
  },
  { ...closed, description: 'Issuers, certificates and orders of a state directory or a cluster.' },
);

export type StatusReport = Static<typeof statusSchema>;
export type CertificateReport = StatusReport['certificates'][number];
export type IssuerReport = StatusReport['issuers'][number];
export type OrderReport = StatusReport['orders'][number];
export type EvidenceReport = NonNullable<OrderReport['challenges'][number]['evidence']>;
