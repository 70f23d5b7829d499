import { jest } from '@jest/globals';
import { describeReal } from '@zoneproof/farm';
import { parseAllDocuments } from 'yaml';
import { everythingOn, lint, render } from './helm.mjs';

// helm takes a second on a busy machine.
jest.setTimeout(60_000);

const image = ['--set', 'image.repository=registry.invalid/zoneproof'];
describeReal(['helm'], 'the chart', () => {
  test('helm lint finds nothing', async () => {
    await lint(image);
    await lint([...everythingOn]);
  });

  test('as it comes: two replicas for the whole cluster, under the restricted profile', async () => {
    const objects = await objectsOf(image);
    expect(kinds(objects)).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'CustomResourceDefinition',
      'Deployment',
      'PodDisruptionBudget',
      'Role',
      'RoleBinding',
      'Service',
      'ServiceAccount',
    ]);
    const { replicas, template } = find(objects, 'Deployment').spec;
    expect(replicas).toBe(2);
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    const [container] = template.spec.containers;
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    });
    expect(container.image).toMatch(/^registry\.invalid\/zoneproof:\d+\.\d+\.\d+$/);
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'metrics' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'metrics' });
    expect(container.args).toContain('--cluster-resource-namespace=zoneproof');
  });

  test('for some namespaces: a Role in each, and nothing that holds for the whole cluster', async () => {
    const objects = await objectsOf([...image, '--set', 'namespaces={shop,mail}', '--set', 'crds.enabled=false']);
    expect(objects.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
    const roles = objects.filter(({ kind }) => kind === 'Role');
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['shop', 'mail', 'zoneproof']);
    expect(JSON.stringify(roles)).not.toContain('clusterissuers');
    const { args } = find(objects, 'Deployment').spec.template.spec.containers[0];
    expect(args).toEqual(expect.arrayContaining(['--namespace=shop', '--namespace=mail']));
    expect(args.filter((arg) => arg.startsWith('--cluster-resource-namespace'))).toEqual([]);
  });

  test('no right to list or watch Secrets unless watchSecrets asks for it', async () => {
    const verbs = async (...args) => {
      const { rules } = find(await objectsOf([...image, ...args]), 'ClusterRole');
      return rules.find(({ resources }) => resources.includes('secrets')).verbs;
    };
    expect(await verbs()).toEqual(['get', 'create', 'patch', 'delete']);
    expect(await verbs('--set', 'watchSecrets=true')).toEqual(['get', 'create', 'patch', 'delete', 'list', 'watch']);
  });

  test('with everything on', async () => {
    const objects = await objectsOf([...everythingOn]);
    expect(kinds(objects)).toEqual(
      expect.arrayContaining(['ConfigMap', 'NetworkPolicy', 'PrometheusRule', 'ServiceMonitor']),
    );
    const alerts = find(objects, 'PrometheusRule').spec.groups.flatMap(({ rules }) => rules);
    expect(alerts.length).toBeGreaterThan(10);
    expect(JSON.parse(find(objects, 'ConfigMap').data['zoneproof.json']).panels.length).toBeGreaterThan(10);
    const { args } = find(objects, 'Deployment').spec.template.spec.containers[0];
    expect(args).toEqual(
      expect.arrayContaining([
        '--issuer-ambient-credentials',
        '--watch-secrets',
        '--denied-cidrs=10.0.0.0/8',
        '--dns01-self-check-nameservers=192.0.2.53:53,198.51.100.53:53',
        '--shutdown-timeout=20s',
      ]),
    );
  });

  test.each([
    ['no image', [], 'image.repository: name the image that you built with deploy/Dockerfile'],
    ['a value that does not exist', [...image, '--set', 'replica=3'], "additional properties 'replica' not allowed"],
    ['a value of the wrong type', [...image, '--set', 'replicas=many'], "at '/replicas'"],
    ['a mode that does not exist', [...image, '--set', 'selfCheck.mode=all'], "at '/selfCheck/mode'"],
  ])('%s is refused with the reason', (_title, args, reason) => expect(render(args)).rejects.toThrow(reason));

  test('names follow the release', async () => {
    const objects = parse(await render(image, { release: 'second', namespace: 'other' }));
    expect(new Set(objects.filter(isOurs).map(({ metadata }) => metadata.name))).toEqual(
      new Set(['second-zoneproof', 'second-zoneproof-leader', 'second-zoneproof-metrics']),
    );
    expect(find(objects, 'Deployment').spec.template.spec.containers[0].args).toContain(
      '--lease-name=second-zoneproof',
    );
  });
});

async function objectsOf(args) {
  return parse(await render(args));
}

function parse(text) {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}

function kinds(objects) {
  return [...new Set(objects.map(({ kind }) => kind))].sort();
}

function isOurs({ kind }) {
  return kind !== 'CustomResourceDefinition';
}

function find(objects, kind) {
  return objects.find((object) => object.kind === kind);
}
