import { defineProvider, endpointProblems } from '@zoneproof/core';
import { schema } from './config.ts';
import { knownErrors } from './errors.ts';
import { createProvider } from './provider.ts';

export const exampledns = defineProvider({
  key: 'exampledns',
  displayName: 'ExampleDNS',
  schema,
  capabilities: {
    // The service adds and removes single values by itself: https://dns.example/docs/changes
    model: 'message',
    maxValuesPerName: 100,
    batch: { maxChanges: 500, atomic: true },
    writeScope: 'none',
    compareAndSet: true,
    ttl: { min: 60, max: 86_400, default: 60 },
    sync: false,
    buckets: [{ name: 'api', burst: 20, perSecond: 5, source: 'https://dns.example/docs/limits' }],
  },
  example: { tokenSecretRef: { name: 'exampledns', key: 'token' } },
  permissions: [
    { name: 'zones:read', on: 'the account', need: 'always', why: 'finds the zone of a name' },
    { name: 'txt:write', on: 'each zone', need: 'always', why: 'adds and removes challenge values' },
  ],
  errors: knownErrors,
  problems: endpointProblems,
  account: ({ endpoint = '', tokenSecretRef: { name, key } }, namespace) => [endpoint, namespace, name, key].join(' '),
  create: createProvider,
});
