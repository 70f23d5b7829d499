import {
  type AdmissionRule,
  type ConfigProblem,
  caBundleField,
  endpointAdmission,
  endpointField,
  endpointProblems,
  type ReadSecret,
  type Static,
  secretRef,
  Type,
} from '@zoneproof/core';
import { partitionOf } from './partitions.ts';

/** Fields of the block `routedns`. */
export const schema = Type.Object(
  {
    region: Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'AWS region. Route 53 is the same in all regions of a partition; STS is asked in this one, and ARNs have its partition.',
      examples: ['eu-central-1', 'us-gov-west-1', 'cn-north-1'],
    }),
    accessKeyID: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'Access key id (`aws_access_key_id`). Left out together with secretAccessKeySecretRef: ambient credentials of the controller.',
        examples: ['AKIAIOSFODNN7EXAMPLE'],
      }),
    ),
    secretAccessKeySecretRef: Type.Optional(secretRef('the secret access key (`aws_secret_access_key`)')),
    hostedZoneID: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 48,
        description:
          'Id of the hosted zone that holds the challenges, with or without `/hostedzone/`. Makes ListHostedZonesByName unnecessary.',
        examples: ['Z2FDTNDATAQYW2'],
      }),
    ),
    role: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'ARN of a role to assume (STS AssumeRole) with the credentials above.',
        examples: ['arn:aws:iam::123456789012:role/dns01'],
      }),
    ),
    externalID: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 1224,
        description: 'External id that the trust policy of `role` asks for (`sts:ExternalId`).',
      }),
    ),
    endpoint: Type.Optional(endpointField('Route 53 of the partition of `region`')),
    caBundle: Type.Optional(caBundleField()),
  },
  { additionalProperties: false, description: 'AWS Route 53: public hosted zones.' },
);

export type RoutednsConfig = Static<typeof schema>;

/** What the schema cannot say. Pure. */
export function configProblems(config: RoutednsConfig): readonly ConfigProblem[] {
  return [
    ...regionProblems(config.region),
    ...keyProblems(config),
    ...zoneProblems(config.hostedZoneID),
    ...roleProblems(config),
    ...endpointProblems(config),
  ];
}

/** What of it CEL can say. */
export const admission: readonly AdmissionRule[] = [
  {
    path: 'region',
    rule: "self.region.matches('^[a-z]+(-[a-z]+)+-[0-9]+$')",
    message: 'not the name of a region; they look like eu-central-1',
  },
  {
    rule: 'has(self.accessKeyID) == has(self.secretAccessKeySecretRef)',
    message:
      'accessKeyID and secretAccessKeySecretRef go together. Leave out both for ambient credentials of the controller',
  },
  {
    path: 'accessKeyID',
    rule: String.raw`!has(self.accessKeyID) || self.accessKeyID.matches(r'^\w+$')`,
    message: 'an access key id has letters and digits only',
  },
  {
    path: 'accessKeyID',
    rule: "!has(self.accessKeyID) || !self.accessKeyID.startsWith('ASIA')",
    message: 'belongs to a session and works only with a session token; use the key of a user, or role',
  },
  {
    path: 'hostedZoneID',
    rule: "!has(self.hostedZoneID) || self.hostedZoneID.matches('^(/?hostedzone/)?Z[A-Z0-9]{1,31}$')",
    message: 'not the id of a hosted zone; they look like Z2FDTNDATAQYW2',
  },
  {
    path: 'role',
    rule: String.raw`!has(self.role) || self.role.matches(r'^arn:[a-z-]+:iam::[0-9]{12}:role/[\w+=,.@/-]+$')`,
    message: 'not the ARN of a role; they look like arn:aws:iam::123456789012:role/dns01',
  },
  {
    path: 'externalID',
    rule: '!has(self.externalID) || has(self.role)',
    message: 'is told when a role is assumed; set role, or leave it out',
  },
  {
    path: 'externalID',
    rule: String.raw`!has(self.externalID) || self.externalID.matches(r'^[\w+=,.@:/-]+$')`,
    message: 'may have letters, digits and _+=,.@:/- only',
  },
  ...endpointAdmission,
];

/** What is wrong with the secret access key. Pure; never repeats it. */
export function secretProblems(config: RoutednsConfig, read: ReadSecret): readonly ConfigProblem[] {
  const ref = config.secretAccessKeySecretRef;
  const secret = ref && read(ref)?.text();
  if (ref === undefined || secret === undefined) return [];
  const problem = secretProblem(secret);
  const path = 'secretAccessKeySecretRef';
  return problem === undefined
    ? []
    : [{ path, message: `entry "${ref.key}" of Secret "${ref.name}" ${problem}`, severity: 'error' }];
}

/** `/hostedzone/Z2FDTNDATAQYW2` -> `Z2FDTNDATAQYW2` */
export function bareZoneId(id: string): string {
  return id.replace(/^\/?hostedzone\//, '');
}

function regionProblems(region: string): readonly ConfigProblem[] {
  const problem = (message: string): ConfigProblem[] => [{ path: 'region', message, severity: 'error' }];
  if (/^[a-z]+(-[a-z]+)+-\d+[a-z]$/.test(region))
    return problem(`"${region}" is an availability zone; the region is "${region.slice(0, -1)}"`);
  if (!/^[a-z]+(-[a-z]+)+-\d+$/.test(region))
    return problem(`"${region}" is not the name of a region; they look like eu-central-1`);
  return [];
}

function keyProblems({ accessKeyID, secretAccessKeySecretRef }: RoutednsConfig): readonly ConfigProblem[] {
  const problem = (path: string, message: string): ConfigProblem[] => [{ path, message, severity: 'error' }];
  if (accessKeyID === undefined)
    return secretAccessKeySecretRef === undefined
      ? []
      : problem(
          'accessKeyID',
          'missing; a secret access key goes with its access key id. Leave out both for ambient credentials',
        );
  if (!/^\w+$/.test(accessKeyID)) return problem('accessKeyID', 'an access key id has letters and digits only');
  if (accessKeyID.startsWith('ASIA'))
    return problem(
      'accessKeyID',
      'belongs to a session and works only with a session token; use the key of a user, or role',
    );
  if (secretAccessKeySecretRef === undefined)
    return problem('secretAccessKeySecretRef', 'missing; an access key id goes with its secret access key');
  return [];
}

function zoneProblems(hostedZoneID: string | undefined): readonly ConfigProblem[] {
  if (hostedZoneID === undefined || /^Z[A-Z0-9]{1,31}$/.test(bareZoneId(hostedZoneID))) return [];
  const message = `"${hostedZoneID}" is not the id of a hosted zone; they look like Z2FDTNDATAQYW2`;
  return [{ path: 'hostedZoneID', message, severity: 'error' }];
}

function roleProblems({ region, role, externalID }: RoutednsConfig): readonly ConfigProblem[] {
  const problem = (path: string, message: string): ConfigProblem[] => [{ path, message, severity: 'error' }];
  if (role === undefined)
    return externalID === undefined
      ? []
      : problem('externalID', 'is told when a role is assumed; set role, or leave it out');
  const [, partition] = /^arn:([a-z-]+):iam::\d{12}:role\/[\w+=,.@/-]+$/.exec(role) ?? [];
  if (partition === undefined)
    return problem('role', `"${role}" is not the ARN of a role; they look like arn:aws:iam::123456789012:role/dns01`);
  const own = partitionOf(region).name;
  if (partition !== own)
    return problem(
      'role',
      `is in partition ${partition}, but region ${region} is in ${own}; nothing is shared between them`,
    );
  if (externalID !== undefined && !/^[\w+=,.@:/-]+$/.test(externalID))
    return problem('externalID', 'may have letters, digits and _+=,.@:/- only');
  return [];
}

function secretProblem(secret: string): string | undefined {
  if (secret === '') return 'is empty';
  if (/\s/.test(secret)) return 'has white space in it; it has to hold the secret access key and nothing else';
  if (/^A[KS]IA[A-Z0-9]{16}$/.test(secret)) return 'holds an access key id; it has to hold the secret access key';
  return undefined;
}
