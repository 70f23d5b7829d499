import { describeReal } from '@zoneproof/farm';
import { resourcePath, statusJson } from '../crds/api-form.ts';
import { type StoreCluster, startStoreCluster } from '../kubernetes/testing/store-cluster.ts';
import type { StatusReport } from './output/status-schema.ts';
import { runMain, violations } from './testing/run-main.ts';

describeReal(['kubernetes'], 'status and renew of a cluster', () => {
  let world: StoreCluster;
  let where: readonly string[];
  let namespace: string;
  beforeAll(async () => {
    world = await startStoreCluster();
    where = ['--from-cluster', '--kubeconfig', world.cluster.adminKubeconfig];
    namespace = await world.newNamespace();
    await world.applyCertificate(namespace, 'shop', { secretName: 'shop-tls' });
    const condition = { type: 'Ready', status: 'True', reason: 'Issued', message: 'It is current.' } as const;
    const status = statusJson('Certificate', {
      conditions: [{ ...condition, observedGeneration: 1, lastTransitionAt: 1_700_000_000_000 }],
      notAfter: 1_707_776_000_000,
    });
    const path = `${resourcePath('Certificate', namespace, 'shop')}/status`;
    await world.admin.request({ method: 'PATCH', path, body: { status }, contentType: 'application/merge-patch+json' });
  }, 60_000);
  afterAll(() => world?.stop());

  test('a table, and JSON of the form that docs/ publishes', async () => {
    const table = await runMain(['status', ...where]);
    expect(table).toMatchObject({ code: 0, err: '' });
    expect(table.out).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(table.out).toMatch(new RegExp(`${namespace}/shop +yes +2024-02-12`));

    const { out } = await runMain(['status', 'shop', '-n', namespace, ...where, '-o', 'json']);
    const report: StatusReport = JSON.parse(out);
    expect(violations('status.schema.json', report)).toEqual([]);
    expect(report.certificates).toMatchObject([{ name: 'shop', ready: true, reason: 'Issued' }]);
    expect(report).not.toHaveProperty('stateDirectory');
  });

  test('a renewal is asked for in the status; one of nothing is refused', async () => {
    expect(await runMain(['renew', 'shop', '-n', namespace, ...where])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`zoneproof status shop -n ${namespace} --from-cluster --watch`),
    });
    const path = resourcePath('Certificate', namespace, 'shop');
    const { status } = (await world.admin.request({ method: 'GET', path })) as { status: object };
    expect(status).toMatchObject({ renewalRequestedTime: expect.stringMatching(/Z$/), notAfter: expect.anything() });
    expect(await runMain(['renew', 'nothing', '-n', namespace, ...where])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`there is no certificate nothing in namespace ${namespace}`),
    });
  });
});
