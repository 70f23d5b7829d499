import { KubeApiError } from '../kubernetes/api-error.ts';
import { rethrow } from './connect-cluster.ts';

test('of an API server that gives no answer, what to check is told', () => {
  const error = new KubeApiError({
    status: 0,
    reason: 'NoAnswer',
    message: 'The API server https://192.0.2.1 gave no answer to GET /apis (ECONNREFUSED).',
    unknownOutcome: false,
  });
  expect(() => rethrow(error)).toThrow(
    /^The API server https:\/\/192\.0\.2\.1 gave no answer .*\. Check that it runs, and that the kubeconfig names/,
  );
});
