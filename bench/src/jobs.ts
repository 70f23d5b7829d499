import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One process to run and measure. */
export interface Job {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface JobResult {
  readonly ok: boolean;
  readonly wallMs: number;
  /** User and system time, children included. */
  readonly cpuMs: number;
  readonly output: string;
}

export interface JobsResult {
  readonly results: readonly JobResult[];
  readonly wallMs: number;
  /** The highest sum of the resident memory of all processes at one moment. */
  readonly peakRssMiB: number;
}

const jobTimeoutMs = 15 * 60_000;
const sampleMs = 20;

/** Runs all jobs, `parallel` of them at once. */
export async function runJobs(jobs: readonly Job[], parallel: number): Promise<JobsResult> {
  const running = new Set<number>();
  let peakRssKiB = 0;
  let sampler: NodeJS.Timeout;
  const sample = () => {
    const from = performance.now();
    let sum = 0;
    for (const pid of running) sum += residentKiB(pid);
    peakRssKiB = Math.max(peakRssKiB, sum);
    // With many processes a look takes long: it may take 5 % of one CPU, not more.
    sampler = setTimeout(sample, sampleMs + 20 * (performance.now() - from));
  };
  sampler = setTimeout(sample, sampleMs);
  const startedAt = performance.now();
  const results: JobResult[] = [];
  const waiting = [...jobs];
  const worker = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) results.push(await runJob(job, running));
  };
  await Promise.all(Array.from({ length: Math.min(parallel, jobs.length) }, worker));
  clearTimeout(sampler);
  return { results, wallMs: performance.now() - startedAt, peakRssMiB: peakRssKiB / 1024 };
}

function runJob(job: Job, running: Set<number>): Promise<JobResult> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    // Node cannot ask for the resources of a finished child; bash's `time` can.
    const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"';
    const child = spawn('bash', ['-c', script, 'bash', job.command, ...job.args], {
      cwd: job.cwd,
      env: { PATH: process.env.PATH ?? '', HOME: job.cwd, LC_ALL: 'C.UTF-8', ...job.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const pid = child.pid;
    if (pid !== undefined) running.add(pid);
    const timer = setTimeout(() => pid !== undefined && process.kill(-pid, 'SIGKILL'), jobTimeoutMs);
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      const wallMs = performance.now() - startedAt;
      const times = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(output);
      const cpuMs = times === null ? Number.NaN : (Number(times[1]) + Number(times[2])) * 1000;
      resolve({ ok: code === 0, wallMs, cpuMs, output });
    });
  });
}

/** Resident memory of the children of a shell and their children; its own is not counted. */
function residentKiB(shell: number): number {
  let sum = 0;
  for (const child of childrenOf(shell)) {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${child}/status`));
    sum += Number(resident?.[1] ?? 0) + residentKiB(child);
  }
  return sum;
}

function childrenOf(pid: number): readonly number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

/** A process that just ended has no text. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
