import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DnsServer } from '@zoneproof/dns';
import type { CrashPlan } from './crash-process.ts';

/** One line of the log. */
export interface LogLine {
  readonly level: string;
  readonly reason: string;
  readonly message: string;
  readonly kind?: string;
  readonly name?: string;
  /** When it was read here, `performance.now()`. */
  readonly readAt: number;
}

/** `zoneproof controller` in a process of its own, the built one. */
export interface Replica {
  readonly lines: readonly LogLine[];
  /** What else was printed. */
  errors(): string;
  signal(name: NodeJS.Signals): void;
  /** The first line with this reason. @throws Error with the log when there is none in time */
  until(reason: string, timeoutMs?: number): Promise<LogLine>;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly at: number;
  }>;
  /** Kills it if it is still there. */
  remove(): Promise<void>;
}

const program = fileURLToPath(new URL('./crash-child.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../dist/cli/controller.js', import.meta.url));
/** A process that nobody ends ends itself. */
const longestLifeMs = 180_000;

export function startReplica(args: readonly string[], transport: readonly (readonly [string, DnsServer])[]): Replica {
  if (!existsSync(built)) throw new Error('The program is not built; run npm run build.');
  const plan: CrashPlan = { transport, trace: '/dev/null' };
  const child = spawn(process.execPath, [program, 'controller', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestLifeMs,
    killSignal: 'SIGKILL',
    env: { PATH: process.env.PATH, ZONEPROOF_CRASH: JSON.stringify(plan) },
  });
  const lines: LogLine[] = [];
  const listeners = new Set<() => void>();
  let [rest, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() as string;
    for (const part of parts) lines.push({ ...JSON.parse(part), readAt: performance.now() });
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended: Replica['ended'] = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, at: performance.now() });
      for (const listener of listeners) listener();
    });
  });
  return {
    lines,
    errors: () => errors,
    signal: (name) => void child.kill(name),
    until: (reason, timeoutMs = 20_000) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          listeners.delete(look);
        };
        const fail = (why: string) => {
          stop();
          const last = lines.slice(-20).map((line) => `${line.reason}: ${line.message}`);
          reject(new Error(`no ${reason} ${why}:\n${last.join('\n')}\n${errors}`));
        };
        const timer = setTimeout(() => fail(`within ${timeoutMs} ms`), timeoutMs);
        const look = () => {
          const found = lines.find((line) => line.reason === reason);
          if (found !== undefined) {
            stop();
            resolve(found);
          } else if (child.exitCode !== null || child.signalCode !== null) fail('before the process ended');
        };
        listeners.add(look);
        look();
      }),
    ended,
    remove: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
