import { defineProvider, endpointAdmission } from '@zoneproof/core';
import { account, configProblems, schema, secretProblems } from './config.ts';
import { knownErrors, permissions } from './docs.ts';
import { createClouddnsProvider } from './provider.ts';

const quotas = 'https://cloud.google.com/dns/quotas';

export const clouddns = defineProvider({
  key: 'clouddns',
  displayName: 'Google Cloud DNS',
  schema,
  capabilities: {
    model: 'rrset',
    // "Resource records per resource record set: 100" (quotas)
    maxValuesPerName: 100,
    // 1,000 additions and 1,000 deletions a change, 100,000 octets of rdata in both together (quotas). A corrected
    // change may have to delete and add again what already stands beside a value: three times the octets.
    batch: { maxChanges: 1_000, maxValueBytes: 30_000, atomic: true },
    writeScope: 'zone',
    compareAndSet: true,
    ttl: { min: 0, max: 2_147_483_647, default: 60 },
    sync: true,
    buckets: [
      {
        name: 'api',
        burst: 30,
        perSecond: 5,
        source: `no number published; ${quotas} limits requests by user, minute and region, and the console shows how many`,
      },
      {
        name: 'token',
        burst: 10,
        perSecond: 1,
        source: 'none published; a token is used for an hour',
      },
    ],
  },
  example: {
    project: 'dns-prod-1234',
    serviceAccountSecretRef: { name: 'clouddns', key: 'service-account.json' },
  },
  zoneField: 'managedZone',
  permissions,
  errors: knownErrors,
  problems: configProblems,
  admission: endpointAdmission,
  secretProblems,
  ambient: ({ serviceAccountSecretRef }) => serviceAccountSecretRef === undefined,
  account,
  create: createClouddnsProvider,
});
