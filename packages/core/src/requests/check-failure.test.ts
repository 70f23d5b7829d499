import { ProviderError } from '../contract/index.ts';
import { checkFailure } from './check-failure.ts';

test("a provider's own error is its message and kind; of any other only the name is told, since its words may hold anything", () => {
  expect(checkFailure(new ProviderError({ kind: 'auth', message: 'at: replace the key' }), 'at')).toEqual({
    result: 'failed',
    detail: 'at: replace the key',
    kind: 'auth',
  });
  expect(checkFailure(new TypeError('hunter2'), 'edgedns "prod" (Cloudflare)')).toEqual({
    result: 'failed',
    detail:
      'edgedns "prod" (Cloudflare): the check broke off (TypeError). Report this to the maintainer of the provider package.',
  });
  expect(checkFailure('hunter2', 'at').detail).toMatch(/^at: the check broke off \(string\)\./);
});
