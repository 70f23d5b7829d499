import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './cases.ts';
import type { Names } from './client.ts';
import { runJobs } from './jobs.ts';
import type { World } from './world.ts';

/** One line of the comparison. */
export interface Row {
  readonly case: string;
  readonly client: string;
  /** Processes at once. */
  readonly parallel: number;
  readonly certificates: number;
  readonly failures: number;
  readonly wallMs: number;
  readonly certificatesPerSecond: number;
  /** Of one process, from its start to its end. */
  readonly medianProcessMs: number;
  readonly cpuMsPerCertificate: number;
  readonly peakRssMiB: number;
  readonly updatesPerCertificate: number;
  /** CPU of BIND and pebble. */
  readonly serverCpuMsPerCertificate: number;
  /** What the first process that failed said last. */
  readonly firstFailure?: string;
}

/** Has a client issue all certificates and counts what that cost it and the servers. */
export async function measure(world: World, { client, ...found }: Case): Promise<Row> {
  const certificates = Array.from({ length: found.certificates }, (_, index) => namesOf(world, found.namesEach, index));
  const directory = await mkdtemp(join(tmpdir(), `zoneproof-bench-${client.name.replace(/\W.*/, '')}-`));
  try {
    const jobs = await client.plan(world, directory, certificates);
    const before = { cpuMs: await world.cpuMs(), ...(await world.dns.statistics()) };
    const done = await runJobs(jobs, found.parallel);
    const after = { cpuMs: await world.cpuMs(), ...(await world.dns.statistics()) };
    const issued = await client.issued(directory, certificates);
    const failed = done.results.find((result) => !result.ok);
    const perCertificate = (total: number) => total / certificates.length;
    return {
      case: found.title,
      client: client.name,
      parallel: found.parallel,
      certificates: certificates.length,
      failures: certificates.length - issued,
      wallMs: done.wallMs,
      certificatesPerSecond: (issued * 1000) / done.wallMs,
      medianProcessMs: median(done.results.map((result) => result.wallMs)),
      cpuMsPerCertificate: perCertificate(done.results.reduce((sum, result) => sum + result.cpuMs, 0)),
      peakRssMiB: done.peakRssMiB,
      updatesPerCertificate: perCertificate(after.updates - before.updates),
      serverCpuMsPerCertificate: perCertificate(after.cpuMs - before.cpuMs),
      ...(failed && { firstFailure: failed.output.trim().split('\n').slice(-6).join(' | ').slice(-500) }),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function namesOf(world: World, count: number, index: number): Names {
  const first = `c${index}.${world.zone}`;
  return [first, ...Array.from({ length: count - 1 }, (_, other) => `c${index}-${other + 1}.${world.zone}`)];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
