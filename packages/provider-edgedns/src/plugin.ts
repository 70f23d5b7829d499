import { defineProvider } from '@zoneproof/core';
import { accountOf, admission, configProblems, misplacedFields, schema, secretProblems } from './config.ts';
import { knownErrors } from './errors.ts';
import { createEdgednsProvider } from './provider.ts';

export const edgedns = defineProvider({
  key: 'edgedns',
  displayName: 'Cloudflare',
  schema,
  misplacedFields,
  capabilities: {
    model: 'record',
    // 8,192 characters of content at one name are room for 182 values of 45:
    // https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/
    maxValuesPerName: 100,
    // 200 operations on Free, 3,500 on other plans, and the API does not tell which plan it is to a token that may just
    // do this: https://developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes/
    batch: { maxChanges: 200, atomic: true },
    // Rows are independent; one name at a time keeps "present" and "absent" of one value in their order.
    writeScope: 'name',
    // Rows are deleted by id, right after a look; the answer tells what they held, and what was changed in between comes back.
    compareAndSet: true,
    // https://developers.cloudflare.com/dns/manage-dns-records/reference/ttl/
    ttl: { min: 60, max: 86_400, default: 60 },
    sync: false,
    buckets: [
      {
        // 1,200 requests in any five minutes: 300 at once and 3 a second make 1,200.
        name: 'api',
        burst: 300,
        perSecond: 3,
        source: 'https://developers.cloudflare.com/fundamentals/api/reference/limits/',
      },
    ],
  },
  example: { apiTokenSecretRef: { name: 'cloudflare', key: 'api-token' } },
  // https://developers.cloudflare.com/fundamentals/api/reference/permissions/
  permissions: [
    {
      name: 'Zone:Zone:Read',
      on: 'the zones (zone resources of the token)',
      need: 'always',
      why: 'To find the zone of a name.',
    },
    {
      name: 'Zone:DNS:Edit',
      on: 'the zones (zone resources of the token)',
      need: 'always',
      why: 'To write TXT records, and to look up those to remove. It includes Zone:DNS:Read.',
    },
  ],
  errors: knownErrors,
  problems: configProblems,
  admission,
  secretProblems,
  account: accountOf,
  create: createEdgednsProvider,
});
