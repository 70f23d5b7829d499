import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool } from './tools.ts';

/** A real server that runs in the foreground in a directory of its own. */
export interface RunningServer {
  readonly name: string;
  readonly pid: number;
  readonly directory: string;
  /** False once the process has ended, by itself or by `stop`. */
  running(): boolean;
  /** The last 64 KiB that the server printed. */
  log(): string;
  /**
   * Ends the process and removes its directory. Repeating it is harmless.
   *
   * @throws Error with the end of the log when the server had died before it was asked to stop
   */
  stop(): Promise<void>;
}

export interface ServerPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Resolves when the server answers and rejects while it does not; asked again until `readyWithinMs` has passed. Gets
   * the last 64 KiB that the server printed.
   */
  readonly ready: (log: string) => Promise<unknown>;
  /** 20 s when left out. */
  readonly readyWithinMs?: number;
  /** How long after SIGTERM the SIGKILL comes; 5 s when left out. */
  readonly stopWithinMs?: number;
}

const keptLogBytes = 64 * 1024;

/**
 * Starts a server and waits until it answers. A server that found its port taken is started again on other ports:
 * `plan` is called anew, with an empty directory.
 *
 * @throws Error with the server's own words when it ends or stays silent
 */
export async function startServer(
  name: string,
  plan: (directory: string) => Promise<ServerPlan>,
): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    const directory = await mkdtemp(join(tmpdir(), `zoneproof-${name}-`));
    try {
      return await start(name, directory, await plan(directory));
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      if (attempt === 3 || !/in use/i.test(String(error))) throw error;
    }
  }
}

async function start(name: string, directory: string, plan: ServerPlan): Promise<RunningServer> {
  const child = spawnBound(plan, directory);
  let log = '';
  const keep = (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-keptLogBytes);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  let end: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end = error.message;
      resolve();
    });
    child.once('close', (code, signal) => {
      end ??= signal === null ? `exit code ${code}` : `signal ${signal}`;
      resolve();
    });
  });
  const died = () => new Error(`${name} ended by itself (${end}). It printed:\n${log.slice(-4000)}`);

  const readyWithinMs = plan.readyWithinMs ?? 20_000;
  const deadline = Date.now() + readyWithinMs;
  let ready = false;
  let silence: unknown;
  while (end === undefined && !ready && Date.now() < deadline) {
    await plan.ready(log).then(
      () => {
        ready = true;
      },
      (error: unknown) => {
        silence = error;
      },
    );
    if (!ready) await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 25))]);
  }
  if (end !== undefined) throw died();
  if (!ready) {
    await kill(child, ended, plan.stopWithinMs);
    const waited = `${name} did not answer within ${readyWithinMs / 1000} s (${String(silence)})`;
    throw new Error(`${waited}. It printed:\n${log.slice(-4000)}`);
  }

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    const early = end !== undefined;
    if (!early) await kill(child, ended, plan.stopWithinMs);
    await rm(directory, { recursive: true, force: true });
    if (early) throw died();
  };
  return {
    name,
    pid: child.pid ?? 0,
    directory,
    running: () => end === undefined,
    log: () => log,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** The kernel kills the server when this process dies, by whatever cause (prctl PR_SET_PDEATHSIG through setpriv). */
function spawnBound(plan: ServerPlan, directory: string): ChildProcess {
  const setpriv = findTool('setpriv');
  const command = setpriv ?? plan.command;
  const args = setpriv === undefined ? plan.args : ['--pdeathsig', 'KILL', plan.command, ...plan.args];
  return spawn(command, args, {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', ...plan.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function kill(child: ChildProcess, ended: Promise<void>, withinMs = 5000): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await ended;
  clearTimeout(timer);
}
