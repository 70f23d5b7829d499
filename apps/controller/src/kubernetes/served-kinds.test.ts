import { KubeApiError } from './api-error.ts';
import { kindsProblem } from './served-kinds.ts';

const names = ['issuers', 'clusterissuers', 'certificates', 'orders'].flatMap((name) => [name, `${name}/status`]);
const resources = (list: readonly string[]) => ({ resources: list.map((name) => ({ name })) });
const apply = 'Apply those of this version: zoneproof crds | kubectl apply --server-side -f -';

test.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
  ['all are served', { '/apis/zoneproof.dev/v1alpha1': resources(names) }, undefined],
  ['none is', {}, `The CustomResourceDefinitions of zoneproof.dev are not installed. ${apply}`],
  [
    'another version is',
    { '/apis/zoneproof.dev': { versions: [{ version: 'v1' }, { version: 'v1beta1' }] } },
    `The CustomResourceDefinitions of zoneproof.dev are installed in version v1, v1beta1; this zoneproof works with v1alpha1. ${apply}`,
  ],
  [
    'some are missing',
    { '/apis/zoneproof.dev/v1alpha1': resources(names.filter((name) => !/^order|^issuers\//.test(name))) },
    `The API server does not serve issuers/status, orders, orders/status of zoneproof.dev/v1alpha1. ${apply}`,
  ],
])('%s', async (_title, served, expected) => {
  const request = async ({ path }: { readonly path: string }) => {
    if (path in served) return served[path];
    throw new KubeApiError({ status: 404, reason: 'NotFound', message: 'not there' });
  };
  expect(await kindsProblem({ request }, new AbortController().signal)).toBe(expected);
});

test('an API server that refuses to tell is no missing CRD', async () => {
  const refused = new KubeApiError({ status: 403, reason: 'Forbidden', message: 'no' });
  const request = () => Promise.reject(refused);
  await expect(kindsProblem({ request }, new AbortController().signal)).rejects.toBe(refused);
});
