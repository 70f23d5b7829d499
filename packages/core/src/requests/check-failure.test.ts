import { ProviderError } from '../contract/index.ts';
import { checkFailure } from './check-failure.ts';

test("a provider's own error is its message; of any other only the name is told, since its words may hold anything", () => {
  expect(checkFailure(new ProviderError({ kind: 'auth', message: 'at: replace the key' }), 'at')).toBe(
    'at: replace the key',
  );
  expect(checkFailure(new TypeError('hunter2'), 'edgedns "prod" (Cloudflare)')).toBe(
    'edgedns "prod" (Cloudflare): the check broke off (TypeError). Report this to the maintainer of the provider package.',
  );
  expect(checkFailure('hunter2', 'at')).toMatch(/^at: the check broke off \(string\)\./);
});
