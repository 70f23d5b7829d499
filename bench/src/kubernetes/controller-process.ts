import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@zoneproof/farm';
import { cpuMsOf, type World } from '../world.ts';

/** `zoneproof controller` as a process of its own. */
export interface ControllerProcess {
  readonly pid: number;
  /** From its start until it was ready, and until it led. */
  readonly startMs: { readonly ready: number; readonly leading: number };
  cpuMs(): Promise<number>;
  /** @throws Error with what it printed when it has ended */
  assertRunning(): void;
  /** Resident memory now. */
  rssMiB(): Promise<number>;
  stop(): Promise<void>;
}

const startTimeoutMs = 120_000;

export async function startControllerProcess(kubeconfig: string, world: World): Promise<ControllerProcess> {
  const server = `${world.dns.address}:${world.dns.port}`;
  const port = await freePort();
  const entry = fileURLToPath(new URL('../zoneproof-once.js', import.meta.url));
  const options = ['--kubeconfig', kubeconfig, '--cluster-resource-namespace', 'default'];
  const more = ['--metrics-listen', `127.0.0.1:${port}`, '--dns01-self-check-nameservers', server];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [entry, server, 'controller', ...options, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let leadingAt = 0;
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-8000);
    if (leadingAt === 0 && output.includes('"Leading"')) leadingAt = performance.now();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const alive = () => {
    if (child.exitCode === null && performance.now() - startedAt < startTimeoutMs) return;
    child.kill('SIGKILL');
    throw new Error(`zoneproof controller did not get ready. It printed:\n${output}`);
  };
  while (!(await isReady(port))) {
    alive();
    await pause(20);
  }
  const readyAt = performance.now();
  while (leadingAt === 0) {
    alive();
    await pause(20);
  }
  const pid = child.pid as number;
  return {
    pid,
    startMs: { ready: readyAt - startedAt, leading: leadingAt - startedAt },
    cpuMs: () => cpuMsOf(pid),
    assertRunning: () => {
      if (child.exitCode !== null)
        throw new Error(`zoneproof controller ended with code ${child.exitCode}. It printed:\n${output}`);
    },
    rssMiB: async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    },
    stop: () => stop(child),
  };
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await ended;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
