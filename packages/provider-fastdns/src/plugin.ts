import { defineProvider } from '@zoneproof/core';
import { accountOf, admission, configProblems, schema, secretProblems } from './config.ts';
import { knownErrors, permissions } from './known-errors.ts';
import { createFastdnsProvider } from './provider.ts';

export const fastdns = defineProvider({
  key: 'fastdns',
  displayName: 'Akamai Edge DNS',
  schema,
  capabilities: {
    model: 'rrset',
    maxValuesPerName: 100,
    // No page names a limit of a request. EdgeGrid signs the first 131,072 octets of one: 125 sets of long names and
    // values stay below, and as many removals, one request each, fit into the 30 s of a call.
    batch: { maxChanges: 125, maxValueBytes: 65_536, atomic: true },
    // "409 concurrentZoneModification": one change of a zone at a time. And one zone at a time, since a removal takes a
    // request a set: fifty zones at once would share the rate until no call of theirs ended in its 30 s.
    writeScope: 'account',
    compareAndSet: true,
    // The bulk creation; then change list, edit, submission, and the list's removal when that is refused.
    writeAttempts: 5,
    // https://techdocs.akamai.com/edge-dns/docs/features "Minimum TTL: 300 seconds"
    ttl: { min: 300, max: 2_147_483_647, default: 300 },
    sync: true,
    buckets: [
      {
        name: 'api',
        burst: 50,
        perSecond: 10,
        source:
          'https://techdocs.akamai.com/edge-dns/reference/rate-limiting describes 429 and its headers; the figures here are assumed and adapt',
      },
    ],
  },
  example: {
    serviceConsumerDomain: 'akab-h05tnam3wl42son7-nktnlnnx-kbob3i3v.luna.akamaiapis.net',
    clientTokenSecretRef: { name: 'akamai', key: 'clientToken' },
    clientSecretSecretRef: { name: 'akamai', key: 'clientSecret' },
    accessTokenSecretRef: { name: 'akamai', key: 'accessToken' },
  },
  misplacedFields: {
    host: 'of .edgerc is serviceConsumerDomain',
    clientToken: 'belongs into a Secret: use clientTokenSecretRef',
    clientSecret: 'belongs into a Secret: use clientSecretSecretRef',
    accessToken: 'belongs into a Secret: use accessTokenSecretRef',
  },
  permissions,
  errors: knownErrors,
  problems: configProblems,
  admission,
  secretProblems,
  account: accountOf,
  create: createFastdnsProvider,
});
