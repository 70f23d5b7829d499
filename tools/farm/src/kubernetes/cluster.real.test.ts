import { existsSync } from 'node:fs';
import { type Cluster, describeReal, startCluster } from '../index.ts';
import { plainClient } from './testing/plain-client.ts';

describeReal(['kubernetes'], 'cluster of the farm', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    await kubectl(['create', 'namespace', 'team']);
    await kubectl(['create', 'serviceaccount', 'reader', '--namespace', 'team']);
  }, 180_000);

  afterAll(async () => {
    const pids = cluster.servers().map(({ pid }) => pid);
    expect(pids).toHaveLength(3);
    await cluster.stop();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(existsSync(cluster.adminKubeconfig)).toBe(false);
  }, 30_000);

  async function kubectl(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await cluster.kubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  test('a ServiceAccount may do what a Role gives it, and nothing else; so may a user with groups', async () => {
    const reader = await cluster.kubeconfigFor({ name: 'system:serviceaccount:team:reader' });
    const alice = await cluster.kubeconfigFor({ name: 'alice', groups: ['people/of the team'] });
    const whoami = async (kubeconfig: string) =>
      JSON.parse(await kubectl(['auth', 'whoami', '-o', 'json', '--kubeconfig', kubeconfig])).status.userInfo;
    expect(await whoami(reader)).toMatchObject({ username: 'system:serviceaccount:team:reader' });
    expect(await whoami(alice)).toMatchObject({
      username: 'alice',
      groups: ['people/of the team', 'system:authenticated'],
    });

    await kubectl(['create', 'role', 'read', '--namespace', 'team', '--verb', 'get', '--resource', 'configmaps']);
    const to = ['--serviceaccount', 'team:reader', '--group', 'people/of the team'];
    await kubectl(['create', 'rolebinding', 'read', '--namespace', 'team', '--role', 'read', ...to]);
    for (const kubeconfig of [reader, alice]) {
      const may = (verb: string) =>
        cluster.kubectl(['auth', 'can-i', verb, 'configmaps', '--namespace', 'team', '--kubeconfig', kubeconfig]);
      expect((await may('get')).stdout).toBe('yes\n');
      expect((await may('delete')).stdout).toBe('no\n');
    }
    await expect(cluster.kubeconfigFor({ name: 'system:serviceaccount:team:nobody' })).rejects.toThrow(
      'serviceaccounts \\"nobody\\" not found',
    );
  }, 60_000);

  test('the audit log tells who asked for what, and how it ended', async () => {
    const before = (await cluster.audit()).length;
    await kubectl(['create', 'configmap', 'audited', '--namespace', 'team']);
    await cluster.kubectl(['create', 'configmap', 'audited', '--namespace', 'team']);
    const entries = (await cluster.audit()).slice(before).filter(({ user }) => user === 'admin');
    expect(entries).toEqual([
      expect.objectContaining({
        verb: 'create',
        group: '',
        resource: 'configmaps',
        namespace: 'team',
        name: 'audited',
        user: 'admin',
        userAgent: expect.stringContaining('kubectl/v1.36'),
        status: 201,
      }),
      expect.objectContaining({ verb: 'create', resource: 'configmaps', status: 409 }),
    ]);
  }, 30_000);

  test('the garbage collector deletes what a deleted owner leaves, of a new kind too; a namespace goes with all in it', async () => {
    await kubectl(['apply', '-f', '-'], JSON.stringify(crd));
    await kubectl(['wait', '--for', 'condition=Established', 'crd/things.farm.test']);
    await cluster.restartControllers();
    await kubectl(['create', 'namespace', 'short']);
    await kubectl(['create', 'configmap', 'x', '--namespace', 'short']);
    await kubectl(['delete', 'namespace', 'short', '--wait=false']);
    await kubectl(['apply', '-f', '-'], thing('owner'));
    const uid = await kubectl(['get', 'thing', 'owner', '-n', 'team', '-o', 'jsonpath={.metadata.uid}']);
    const owner = { apiVersion: 'farm.test/v1', kind: 'Thing', name: 'owner', uid };
    await kubectl(['apply', '-f', '-'], thing('owned', { ownerReferences: [owner] }));
    await kubectl(['delete', 'thing', 'owner', '-n', 'team']);
    await kubectl(['wait', '--for', 'delete', 'thing/owned', '-n', 'team', '--timeout', '20s']);

    await kubectl(['wait', '--for', 'delete', 'namespace/short', '--timeout', '30s']);
    expect((await cluster.kubectl(['get', 'configmap', 'x', '--namespace', 'short'])).stderr).toContain('NotFound');
  }, 120_000);

  test('after a restart the API server has the same address and objects, and past watches are too old', async () => {
    await kubectl(['create', 'configmap', 'kept', '--namespace', 'team']);
    const version = await kubectl(['get', 'cm', 'kept', '-n', 'team', '-o', 'jsonpath={.metadata.resourceVersion}']);
    await kubectl(['create', 'configmap', 'later', '--namespace', 'team']);
    await cluster.stopApiServer();
    expect((await cluster.kubectl(['get', 'configmaps', '--namespace', 'team'])).stderr).toContain('refused');
    await cluster.startApiServer();
    await cluster.compactEtcd();
    await cluster.compactEtcd();
    expect(await kubectl(['get', 'configmaps', '--namespace', 'team'])).toContain('kept');
    const ask = await plainClient(await cluster.kubeconfigFor({ name: 'root', groups: ['system:masters'] }));
    const [event] = await (await ask('GET', `${configMaps}?watch=1&resourceVersion=${version}`)).until(1);
    expect(JSON.parse(event ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect((await cluster.audit()).some(({ name }) => name === 'kept')).toBe(true);
  }, 120_000);

  test('the proxy lets all pass, as the user who asks', async () => {
    const faults = await cluster.faults();
    await kubectl(['create', 'serviceaccount', 'guest', '--namespace', 'team']);
    const names: string[] = [];
    for (const name of ['system:serviceaccount:team:guest', 'bob']) {
      const kubeconfig = await faults.kubeconfigFor({ name });
      names.push(
        await kubectl(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}', '--kubeconfig', kubeconfig]),
      );
    }
    expect(names).toEqual(['system:serviceaccount:team:guest', 'bob']);
    await faults.close();
  }, 60_000);

  test('the proxy refuses requests, with the status asked for, before the API server sees them', async () => {
    const faults = await cluster.faults();
    const ask = await plainClient(await faults.kubeconfigFor({ name: 'root', groups: ['system:masters'] }));
    faults.failNext(2, { status: 429, retryAfterSeconds: 3, match: ({ method }) => method === 'POST' });
    expect((await ask('GET', configMaps)).status).toBe(200);
    for (let i = 0; i < 2; i++) {
      const refused = await ask('POST', configMaps, configMap('refused'));
      expect([refused.status, refused.retryAfter]).toEqual([429, '3']);
      expect(JSON.parse(await refused.end())).toMatchObject({ kind: 'Status', reason: 'TooManyRequests', code: 429 });
    }
    expect(faults.outstanding()).toBe(0);
    expect((await ask('POST', configMaps, configMap('refused'))).status).toBe(201);
    expect((await cluster.audit()).filter(({ name, verb }) => name === 'refused' && verb === 'create')).toHaveLength(1);
    await faults.close();
  }, 30_000);

  test('the proxy loses the answers of requests that were carried out', async () => {
    const faults = await cluster.faults();
    const ask = await plainClient(await faults.kubeconfigFor({ name: 'root', groups: ['system:masters'] }));
    faults.loseAnswers(1, ({ path }) => path.startsWith(configMaps));
    await expect(ask('POST', configMaps, configMap('lost'))).rejects.toThrow('socket hang up');
    expect((await ask('GET', `${configMaps}/lost`)).status).toBe(200);
    await faults.close();
  }, 30_000);

  test('the proxy holds watches back, and cuts them', async () => {
    const faults = await cluster.faults();
    const user = { name: 'root', groups: ['system:masters'] };
    const direct = await plainClient(await cluster.kubeconfigFor(user));
    const ask = await plainClient(await faults.kubeconfigFor(user));
    const { resourceVersion } = JSON.parse(await (await ask('GET', configMaps)).end()).metadata;
    const path = `${configMaps}?watch=1&resourceVersion=${resourceVersion}`;
    const [seen, held] = [await direct('GET', path), await ask('GET', path)];
    await direct('POST', configMaps, configMap('first'));
    await held.until(1);

    faults.stallWatches(true);
    await direct('POST', configMaps, configMap('second'));
    await seen.until(2);
    const late = await ask('GET', path);
    expect(late.status).toBe(200);
    expect((await ask('GET', configMaps)).status).toBe(200);
    expect([held.lines.length, late.lines.length]).toEqual([1, 0]);
    faults.stallWatches(false);
    expect((await held.until(2))[1]).toContain('"second"');
    await late.until(2);

    faults.cutWatches();
    await expect(held.end()).rejects.toThrow('aborted');
    await expect(late.end()).rejects.toThrow('aborted');
    await direct('POST', configMaps, configMap('third'));
    await seen.until(3);
    seen.close();
    await faults.close();
  }, 60_000);
});

const configMaps = '/api/v1/namespaces/team/configmaps';

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.farm.test' },
  spec: {
    group: 'farm.test',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

function thing(name: string, metadata: object = {}): string {
  return JSON.stringify({
    apiVersion: 'farm.test/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'team', ...metadata },
  });
}
