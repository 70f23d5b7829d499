import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Names } from './client.ts';
import { exists } from './issued-file.ts';
import type { World } from './world.ts';
import { certificateFile, command, writeCertificate, writeIssuer } from './zoneproof.ts';

const waitMs = 60_000;

/**
 * Milliseconds from writing the manifest of one certificate into the directory of a running controller until the
 * certificate lies in its place, `times` times one after the other.
 */
export async function latenciesInRunningController(world: World, times: number): Promise<readonly number[]> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-bench-running-'));
  await writeIssuer(world, directory);
  await writeCertificate(directory, [`running.${world.zone}`]);
  const job = command(world, directory, []);
  const child = spawn(job.command, job.args, { cwd: job.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const until = async (names: Names) => {
      const startedAt = performance.now();
      while (!(await exists(certificateFile(directory, names)))) {
        if (child.exitCode !== null || performance.now() - startedAt > waitMs)
          throw new Error(`zoneproof run issued nothing for ${names[0]}. It printed:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return performance.now() - startedAt;
    };
    await until([`running.${world.zone}`]);
    const latencies: number[] = [];
    for (let i = 0; i < times; i++) {
      const names: Names = [`running-${i}.${world.zone}`];
      await writeCertificate(directory, names);
      latencies.push(await until(names));
    }
    return latencies;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  }
}
