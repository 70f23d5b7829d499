import { defineProvider } from '@zoneproof/core';
import { admission, configProblems, type RoutednsConfig, schema, secretProblems } from './config.ts';
import { knownErrors } from './known-errors.ts';
import { mostWrites } from './ladder.ts';
import { accessPolicy, permissions } from './policy.ts';
import { createRoutednsProvider } from './provider.ts';

const throttling = 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/throttling-api-requests.html';

export const routedns = defineProvider({
  key: 'routedns',
  displayName: 'AWS Route 53',
  schema,
  capabilities: {
    model: 'rrset',
    // 400 records a set; at most eight multivalue sets are in one answer.
    // https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html#limits-api-entities-records
    maxValuesPerName: 8,
    // 1,000 values and 32,000 characters a batch, and to replace a value takes it twice: 350 times "43 characters".
    // https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html#limits-api-requests-changeresourcerecordsets
    batch: { maxChanges: 350, maxValueBytes: 15_100, atomic: true },
    // PriorRequestNotComplete: one change of a hosted zone at a time.
    writeScope: 'zone',
    // The ladder below the right to read.
    writeAttempts: mostWrites,
    // A deletion has to equal the stored set in TTL and values, and is one transaction with the creation.
    // https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
    compareAndSet: true,
    ttl: { min: 0, max: 2_147_483_647, default: 60 },
    sync: true,
    buckets: [
      {
        name: 'requests',
        burst: 5,
        perSecond: 5,
        source: `${throttling} grants an account 10 a second and 50 at once, for all its programs together; half of the rate is left to them`,
      },
      { name: 'changes', burst: 1_500, perSecond: 100, source: throttling },
    ],
  },
  example: {
    region: 'eu-central-1',
    accessKeyID: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKeySecretRef: { name: 'aws', key: 'secret-access-key' },
  },
  zoneField: 'hostedZoneID',
  permissions,
  errors: knownErrors,
  policy: accessPolicy,
  problems: configProblems,
  admission,
  secretProblems,
  ambient: ({ accessKeyID, secretAccessKeySecretRef }) =>
    accessKeyID === undefined || secretAccessKeySecretRef === undefined,
  account: accountOf,
  create: createRoutednsProvider,
});

/** Limits are those of an AWS account: the role's, as far as it can be told, else one for each key. */
function accountOf({ accessKeyID, role, endpoint }: RoutednsConfig): string {
  const account = role === undefined ? (accessKeyID ?? 'ambient') : (role.split(':')[4] ?? role);
  return endpoint === undefined ? account : `${account} at ${new URL(endpoint).host}`;
}
