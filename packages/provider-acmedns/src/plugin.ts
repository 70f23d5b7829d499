import { defineProvider } from '@zoneproof/core';
import { admission, configProblems, endpoint, schema, secretProblems, serves } from './config.ts';
import { knownErrors } from './known-errors.ts';
import { createAcmednsProvider } from './provider.ts';
import { slotCount } from './slots.ts';

export const acmedns = defineProvider({
  key: 'acmedns',
  displayName: 'acme-dns',
  schema,
  capabilities: {
    model: 'slots',
    maxValuesPerName: slotCount,
    // One value a request (acme-dns api.go); apex and wildcard of one order share an `apply`, so that both are seen.
    batch: { maxChanges: slotCount, atomic: false },
    writeScope: 'name',
    compareAndSet: false,
    // acme-dns answers with a TTL of 1 s and takes none (dns.go).
    ttl: { min: 1, max: 1, default: 1 },
    sync: false,
    buckets: [
      {
        name: 'api',
        burst: 10,
        perSecond: 10,
        source: 'none published; each update costs acme-dns a bcrypt comparison of 50 to 100 ms CPU (auth.go)',
      },
      { name: 'dns', burst: 500, perSecond: 500, source: "none published: a DNS server of one's own" },
    ],
  },
  example: {
    host: 'https://auth.example.net',
    accountSecretRef: { name: 'acmedns', key: 'accounts.json' },
  },
  errors: knownErrors,
  problems: configProblems,
  admission,
  secretProblems,
  serves,
  account: (config) => endpoint(new URL(config.host).href, 'update').replace(/\/update$/, ''),
  create: createAcmednsProvider,
});
