import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool } from '@zoneproof/farm';
import { root } from '../check/step.mjs';

const run = promisify(execFile);
const chart = join(root, 'deploy', 'chart');

/** The oldest Kubernetes that the chart is for; helm renders for it. */
export const kubeVersion = '1.29.0';

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
