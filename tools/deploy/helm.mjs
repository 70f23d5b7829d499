import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool } from '@zoneproof/farm';
import { root } from '../check/step.mjs';

const run = promisify(execFile);
const chart = join(root, 'deploy', 'chart');

/** The oldest Kubernetes that the chart is for; helm renders for it. */
export const kubeVersion = '1.29.0';

/** Values that turn on all that the chart can do for the whole cluster. */
export const everythingOn = [
  ...['--set', 'image.repository=registry.invalid/zoneproof'],
  ...['metrics.serviceMonitor', 'metrics.prometheusRule', 'metrics.dashboard', 'networkPolicy'].flatMap((path) => [
    '--set',
    `${path}.enabled=true`,
  ]),
  ...['--set', 'watchSecrets=true', '--set', 'issuerAmbientCredentials=true'],
  ...['--set', 'selfCheck.nameservers={192.0.2.53:53,198.51.100.53:53}', '--set', 'deniedCidrs={10.0.0.0/8}'],
  ...['--set', 'extraArgs={--shutdown-timeout=20s}', '--set', 'env[0].name=HTTPS_PROXY,env[0].value=http://proxy:3128'],
  ...['--set-json', 'networkPolicy.egress=[{"ports":[{"port":8053}]}]'],
];

/** Whether there is a helm to run. */
export function hasHelm() {
  return findTool('helm') !== undefined;
}

/**
 * `helm template RELEASE deploy/chart`.
 *
 * @param {readonly string[]} args values and the like: `['--set', 'replicas=3']`
 * @returns {Promise<string>} YAML documents
 * @throws Error with helm's words
 */
export async function render(args, { release = 'zoneproof', namespace = 'zoneproof' } = {}) {
  return helm('template', release, chart, '--namespace', namespace, '--kube-version', kubeVersion, ...args);
}

/** `helm lint`. @throws Error with helm's words */
export async function lint(args) {
  return helm('lint', chart, '--strict', '--kube-version', kubeVersion, ...args);
}

async function helm(...args) {
  try {
    const { stdout } = await run(findTool('helm'), args, { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    throw new Error(`helm ${args[0]}: ${(error.stderr || error.stdout || error.message).trim()}`);
  }
}
