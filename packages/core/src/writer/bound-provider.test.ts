import { defineProvider, Type } from '../contract/index.ts';
import { providerTitle } from './bound-provider.ts';

function plugin(key: string, displayName: string) {
  return defineProvider({
    key,
    displayName,
    schema: Type.Object({}),
    capabilities: {
      model: 'rrset',
      maxValuesPerName: 1,
      batch: { maxChanges: 1, atomic: true },
      writeScope: 'zone',
      compareAndSet: true,
      ttl: { min: 0, max: 1, default: 1 },
      sync: false,
      buckets: [],
    },
    example: {},
    account: () => '',
    create: () => {
      throw new Error('not created for its title');
    },
  });
}

test.each([
  ['edgedns', 'Cloudflare', 'edgedns "prod" (Cloudflare)'],
  ['routedns', 'Amazon Route 53', 'routedns "prod" (Amazon Route 53)'],
  ['acmedns', 'acme-dns', 'acmedns "prod"'],
  ['rfc2136', 'RFC 2136 dynamic update', 'rfc2136 "prod"'],
])('%s of %s is called %s', (key, displayName, title) => {
  expect(providerTitle(plugin(key, displayName), 'prod')).toBe(title);
});
