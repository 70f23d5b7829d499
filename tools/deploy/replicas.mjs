import { createServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '@zoneproof/farm';
import { root, step } from '../check/step.mjs';
import { entrypoint, startContainer } from './container.mjs';
import { everythingOn, render } from './helm.mjs';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const dryRun = ['--dry-run=server'];
const manifests = join(root, 'deploy', 'manifests');

/** The plain manifests at an API server, and two containers of the Deployment as that server has it. */
export async function checkReplicas(image) {
  let cluster;
  const replicas = [];
  try {
    await step('an API server', async () => {
      cluster = await startCluster();
    });
    if (cluster === undefined) return;
    await step('it takes the manifests', () => applyManifests(cluster));
    await step('it takes the chart with everything on', () => tryChart(cluster));
    await step('the profile "restricted" admits its Pods', () => tryPod(cluster));
    await step('two replicas start: both are ready, one leads', async () => {
      for (const _ of [1, 2]) replicas.push(await startReplica(cluster, image));
      await until('both are ready and one leads', async () => {
        const ready = await Promise.all(replicas.map(isReady));
        const leading = await Promise.all(replicas.map(leads));
        return ready.every(Boolean) && leading.filter(Boolean).length === 1;
      });
      return `${(await Promise.all(replicas.map(residentMiB))).join(' and ')} MiB resident`;
    });
    await step('an Issuer and a Certificate get their conditions', () => applyObjects(cluster));
    await step('SIGTERM for the leader: it ends with 0, and the other one leads', async () => {
      const [first, second] = (await leads(replicas[0])) ? replicas : [...replicas].reverse();
      const from = performance.now();
      await first.container.terminate();
      await until('the other one leads', () => leads(second));
      const tookMs = Math.round(performance.now() - from);
      if (tookMs > 10_000) throw new Error(`${tookMs} ms; the lease ran out by itself`);
      await endsWell(first);
      await second.container.terminate();
      await endsWell(second);
      return `after ${tookMs} ms`;
    });
    await step('nothing was refused to their ServiceAccount', () => nothingRefused(cluster));
  } finally {
    for (const { container } of replicas) container.kill();
    await Promise.all(replicas.map(({ container }) => container.ended));
    await cluster?.stop();
  }
}

async function applyManifests({ kubectl }) {
  await kubectlDone(kubectl, ['apply', '--server-side', '-f', join(manifests, 'crds.yaml')]);
  await kubectlDone(kubectl, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
  for (const file of ['one-namespace.yaml', 'cluster.yaml'])
    await kubectlDone(kubectl, ['apply', '--server-side', '-f', join(manifests, file)]);
}

/** But for what only the Prometheus operator knows. */
async function tryChart({ kubectl }) {
  const isKnown = (text) => !text.includes('apiVersion: monitoring.coreos.com/');
  const documents = (await render(everythingOn)).split(/^---$/m).filter(isKnown);
  await kubectlDone(
    kubectl,
    ['apply', ...dryRun, '--server-side', '--force-conflicts', '-f', '-'],
    documents.join('---\n'),
  );
}

/** The namespace asks for it; of a Deployment the API server only warns. */
async function tryPod({ kubectl }) {
  const { spec } = await podTemplate(kubectl);
  const create = (pod) => {
    const metadata = { namespace: 'zoneproof', name: 'one' };
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: pod });
    return kubectlDone(kubectl, ['create', ...dryRun, '-f', '-'], text);
  };
  await create(spec);
  const { securityContext: _restricted, ...open } = spec;
  await create(open).then(
    () => Promise.reject(new Error('it admits others, too')),
    (error) => {
      if (!error.message.includes('violates PodSecurity')) throw error;
    },
  );
}

async function podTemplate(kubectl) {
  const read = ['get', 'deployment', 'zoneproof', '--namespace', 'zoneproof', '-o', 'json'];
  return JSON.parse(await kubectlDone(kubectl, read)).spec.template;
}

/** As the kubelet starts a container of the Deployment, but for the port: both have the network of this machine. */
async function startReplica({ kubectl, url, rootPem }, image) {
  const inNamespace = ['--namespace', 'zoneproof'];
  const { spec } = await podTemplate(kubectl);
  const port = await freePort();
  const args = spec.containers[0].args.map((arg) => arg.replace(/^--metrics-listen=.*/, `--metrics-listen=:${port}`));
  const { hostname, port: apiPort } = new URL(url);
  const container = await startContainer(image, [...entrypoint, ...args], {
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort },
    files: {
      [`${account}/token`]: (
        await kubectlDone(kubectl, ['create', 'token', spec.serviceAccountName, ...inNamespace])
      ).trim(),
      [`${account}/ca.crt`]: rootPem,
      [`${account}/namespace`]: 'zoneproof',
    },
  });
  return { container, origin: `http://127.0.0.1:${port}` };
}

async function applyObjects({ kubectl }) {
  await kubectlDone(kubectl, ['apply', '--server-side', '-f', '-'], JSON.stringify(objects));
  for (const one of ['issuer.zoneproof.dev/ca', 'certificate.zoneproof.dev/shop'])
    await kubectlDone(kubectl, ['wait', '--for=condition=Ready=False', one, '--timeout=30s']);
  const reasons = await kubectlDone(kubectl, [
    ...['get', 'issuers.zoneproof.dev,certificates.zoneproof.dev'],
    ...['-o', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].reason}'],
  ]);
  return reasons;
}

/** A CA that nobody may reach from a namespace: the end of the way is a refusal, and nothing leaves this machine. */
const objects = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'zoneproof.dev/v1alpha1',
      kind: 'Issuer',
      metadata: { namespace: 'default', name: 'ca' },
      spec: {
        acme: {
          server: 'https://127.0.0.1:9/directory',
          privateKeySecretRef: { name: 'account' },
          dns01: { providers: [{ name: 'one', rfc2136: { nameserver: '192.0.2.53' } }] },
        },
      },
    },
    {
      apiVersion: 'zoneproof.dev/v1alpha1',
      kind: 'Certificate',
      metadata: { namespace: 'default', name: 'shop' },
      spec: { secretName: 'shop', dnsNames: ['shop.example'], issuerRef: { name: 'ca' } },
    },
  ],
};

async function nothingRefused(cluster) {
  const theirs = (await cluster.audit()).filter(({ user }) => user === 'system:serviceaccount:zoneproof:zoneproof');
  const refused = theirs.filter(({ status }) => status === 403);
  if (refused.length > 0) throw new Error(refused.map((one) => JSON.stringify(one)).join('\n'));
  return `${theirs.length} requests`;
}

async function endsWell({ container }) {
  const code = await Promise.race([container.ended, pause(30_000, 'nothing within 30 s', { ref: false })]);
  if (code !== 0) throw new Error(`it ended with ${code}:\n${container.output()}`);
}

async function isReady({ origin }) {
  return (await fetch(`${origin}/readyz`).catch(() => undefined))?.status === 200;
}

async function leads(replica) {
  return /^zoneproof_leader 1$/m.test(await metrics(replica));
}

async function residentMiB(replica) {
  const [, bytes] = /^process_resident_memory_bytes (.*)$/m.exec(await metrics(replica)) ?? [];
  return Math.round(Number(bytes) / 1024 / 1024);
}

/** '' while it does not listen. */
async function metrics({ origin }) {
  return fetch(`${origin}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
}

async function until(what, isTrue) {
  for (const end = performance.now() + 30_000; !(await isTrue()); await pause(50))
    if (performance.now() > end) throw new Error(`not within 30 s: ${what}`);
}

async function kubectlDone(kubectl, args, input) {
  const { code, stdout, stderr } = await kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
