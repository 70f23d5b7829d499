import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeReal } from '@zoneproof/farm';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { main } from '../cli/main.ts';
import { collector, inDirectory, plugins, runMain } from '../cli/testing/run-main.ts';
import { must } from '../crds/testing/world.ts';
import { type StoreCluster, serviceAccount, startStoreCluster } from '../kubernetes/testing/store-cluster.ts';
import { certManagerCrds } from './testing/cert-manager-crds.ts';
import {
  type EarlierLife,
  earlierLife,
  earlierNames,
  nameserversOf,
  sandboxSolver,
  tsigText,
} from './testing/earlier-life.ts';

describeReal(['kubernetes'], 'a cluster that comes from cert-manager', () => {
  let sandbox: Sandbox;
  let earlier: EarlierLife;
  let world: StoreCluster;

  beforeAll(async () => {
    [sandbox, world] = await Promise.all([startSandbox(), startStoreCluster()]);
    earlier = await earlierLife(sandbox);
    await kubectl(['apply', '-f', '-'], list(certManagerCrds));
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=20s']);
    // The garbage collector looks for new kinds twice a minute.
    await world.cluster.restartControllers();
    await kubectl(['apply', '-f', '-'], list(leftByCertManager()));
    // With --enable-certificate-owner-ref a Secret goes with its Certificate.
    const uid = await kubectl([
      'get',
      'certificates.cert-manager.io',
      '-n',
      'shop',
      'web',
      '-o',
      'jsonpath={.metadata.uid}',
    ]);
    const owner = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', name: 'web', uid, controller: true };
    const patch = JSON.stringify({ metadata: { ownerReferences: [owner] } });
    for (const name of ['web-tls', 'canary'])
      await kubectl(['patch', 'secret', '-n', 'shop', name, '--type=merge', '-p', patch]);
  }, 180_000);

  afterAll(async () => {
    await Promise.all([sandbox?.close(), world?.stop()]);
  }, 30_000);

  const kubectl = (args: readonly string[], input?: string): Promise<string> => must(world.cluster, args, input);
  const secretOf = async (name: string): Promise<Secret> =>
    JSON.parse(await kubectl(['get', 'secret', '-n', 'shop', name, '-o', 'json']));

  function leftByCertManager(): readonly object[] {
    const { accountKey, key, chain } = earlier;
    const issuer = { name: 'le', kind: 'ClusterIssuer' };
    const issuerAnnotations = { 'cert-manager.io/issuer-name': 'le', 'cert-manager.io/issuer-kind': 'ClusterIssuer' };
    const secret = (namespace: string, name: string, stringData: object, type = 'Opaque') => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace,
        name,
        annotations: issuerAnnotations,
        labels: { 'controller.cert-manager.io/fao': 'true' },
      },
      type,
      stringData,
    });
    const pair = { 'tls.crt': chain, 'tls.key': key };
    const certificate = (name: string) => ({
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { namespace: 'shop', name },
      spec: { secretName: `${name}-tls`, dnsNames: earlierNames, issuerRef: issuer },
    });
    return [
      ...['cert-manager', 'shop'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'ClusterIssuer',
        metadata: { name: 'le' },
        spec: {
          acme: {
            server: sandbox.ca.directoryUrl,
            caBundle: Buffer.from(sandbox.ca.rootPem).toString('base64'),
            privateKeySecretRef: { name: 'account' },
            solvers: [sandboxSolver(sandbox)],
          },
        },
      },
      certificate('web'),
      certificate('kept'),
      secret('cert-manager', 'account', { 'tls.key': accountKey }),
      secret('cert-manager', 'tsig', { secret: tsigText(sandbox) }),
      secret('shop', 'web-tls', pair, 'kubernetes.io/tls'),
      secret('shop', 'kept-tls', pair, 'kubernetes.io/tls'),
      secret('shop', 'canary', { a: 'b' }),
    ];
  }

  test(
    'account and certificate are used on; what is not handed over is not touched; cert-manager can go',
    () =>
      inDirectory(async (directory) => {
        const out = join(directory, 'zoneproof.yaml');
        const { adminKubeconfig } = world.cluster;
        const imported = await runMain([
          'import',
          'cert-manager',
          '--from-cluster',
          '--kubeconfig',
          adminKubeconfig,
          '--out',
          out,
        ]);
        expect(imported).toMatchObject({ code: 0, err: '' });
        expect(imported.out).toContain('taken over: 1 ClusterIssuer, 2 Certificates\n');
        const [, annotate = ''] = /^ {2}kubectl (annotate secret -n shop --overwrite .*)$/m.exec(imported.out) ?? [];
        expect(annotate.split(' ')).toEqual(expect.arrayContaining(['web-tls', 'kept-tls']));
        await kubectl(annotate.split(' ').filter((word) => word !== 'kept-tls'));

        const orders = sandbox.ca.orders().length;
        const controller = await startController();
        try {
          await kubectl(['apply', '-f', '-'], await readFile(out, 'utf8'));
          const ready = [
            'wait',
            '-n',
            'shop',
            'certificates.zoneproof.dev/web',
            '--for=condition=Ready',
            '--timeout=30s',
          ];
          await kubectl(ready);
          const wait = '--for=jsonpath={.status.conditions[?(@.type=="Ready")].reason}=SecretNotOurs';
          await kubectl(['wait', '-n', 'shop', 'certificates.zoneproof.dev/kept', wait, '--timeout=30s']);
          const issuer = await kubectl(['get', 'clusterissuers.zoneproof.dev', 'le', '-o', 'json']);
          expect(JSON.parse(issuer).status.conditions).toContainEqual(
            expect.objectContaining({ type: 'Ready', status: 'True', message: expect.stringMatching(/was found\.$/) }),
          );

          const taken = await secretOf('web-tls');
          expect(text(taken, 'tls.crt')).toBe(earlier.chain);
          expect(text(taken, 'tls.key')).toBe(earlier.key);
          expect(taken.metadata.ownerReferences).toMatchObject([{ apiVersion: 'zoneproof.dev/v1alpha1', name: 'web' }]);
          expect(taken.metadata.annotations).toMatchObject({ 'cert-manager.io/issuer-name': 'le' });
          expect((await secretOf('kept-tls')).metadata).not.toHaveProperty('ownerReferences');

          await kubectl(['delete', 'certificates.cert-manager.io', '-n', 'shop', 'web']);
          await kubectl(['wait', '-n', 'shop', '--for=delete', 'secret/canary', '--timeout=60s']);
          expect(text(await secretOf('web-tls'), 'tls.key')).toBe(earlier.key);
          expect(sandbox.ca.orders().length).toBe(orders);
        } finally {
          await controller.stop();
        }
      }),
    150_000,
  );

  async function startController(): Promise<{ stop(): Promise<void> }> {
    const kubeconfig = await world.cluster.kubeconfigFor(serviceAccount);
    const [stopping, out, err] = [new AbortController(), collector(), collector()];
    const argv = [
      'controller',
      ...['--kubeconfig', kubeconfig, '--cluster-resource-namespace', 'cert-manager'],
      ...['--dns01-self-check-nameservers', nameserversOf(sandbox), '--metrics-listen', '127.0.0.1:0'],
    ];
    const { signal } = stopping;
    const ended = main(argv, { stdout: out, stderr: err, env: {}, plugins, transport: sandbox.transport, signal });
    return {
      stop: async () => {
        stopping.abort();
        expect({ code: await ended, err: err.text() }).toEqual({ code: 0, err: '' });
      },
    };
  }
});

interface Secret {
  readonly metadata: { readonly ownerReferences?: readonly object[]; readonly annotations: object };
  readonly data: Readonly<Record<string, string>>;
}

function text({ data }: Secret, entry: string): string {
  return Buffer.from(data[entry] ?? '', 'base64').toString('utf8');
}

function list(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
