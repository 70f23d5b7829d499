import {
  type ConfigProblem,
  caBundleField,
  endpointField,
  endpointProblems,
  type ReadSecret,
  type Static,
  secretRef,
  Type,
} from '@zoneproof/core';
import { readServiceAccount } from './service-account.ts';

/** Fields of the block `clouddns`. */
export const schema = Type.Object(
  {
    project: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[a-z0-9.:-]+$',
      description: 'Project that holds the managed zones: its id, not its display name.',
      examples: ['dns-prod-1234'],
    }),
    serviceAccountSecretRef: Type.Optional(
      secretRef(
        'the key file of a service account (JSON). Left out: ambient credentials, in this order GOOGLE_APPLICATION_CREDENTIALS, the file of gcloud, the metadata server',
      ),
    ),
    managedZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: '^[a-z0-9-]+$',
        description:
          'Name or id of the one managed zone to write to, so that the credentials need no `dns.managedZones.list`.',
        examples: ['example-com'],
      }),
    ),
    endpoint: Type.Optional(endpointField('https://dns.googleapis.com')),
    caBundle: Type.Optional(caBundleField()),
  },
  { additionalProperties: false, description: 'Google Cloud DNS: public managed zones of one project.' },
);

export type ClouddnsConfig = Static<typeof schema>;

/** What the schema cannot say. Pure. */
export function configProblems(config: ClouddnsConfig): readonly ConfigProblem[] {
  return endpointProblems(config);
}

/** What is wrong with the key file. Pure; never repeats what the file holds besides its project. */
export function secretProblems(config: ClouddnsConfig, read: ReadSecret): readonly ConfigProblem[] {
  const ref = config.serviceAccountSecretRef;
  const value = ref && read(ref);
  if (!value) return [];
  const { account, problem } = readServiceAccount(value.text(), config.endpoint !== undefined);
  const say = (message: string, severity: ConfigProblem['severity']): ConfigProblem[] => [
    {
      path: 'serviceAccountSecretRef',
      message: `entry "${ref.key}" of Secret "${ref.name}": ${message}`,
      severity,
    },
  ];
  if (account === undefined) return say(problem, 'error');
  const { projectId } = account;
  if (projectId === undefined || projectId === config.project) return [];
  return say(
    `the service account belongs to project "${projectId}", the zones are looked for in "${config.project}"; that works when it was given a role there`,
    'warning',
  );
}

/** The limits of Cloud DNS are those of a project. */
export function account(config: ClouddnsConfig): string {
  return config.endpoint === undefined ? config.project : `${new URL(config.endpoint).host}/${config.project}`;
}
