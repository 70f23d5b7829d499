import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DnsServer } from '@zoneproof/dns';

/** What the parent wants of a process that is to crash; crash-child.mjs reads it. */
export interface CrashPlan {
  /** For `mapTransport`: how the sandbox's name servers are reached. */
  readonly transport: readonly (readonly [string, DnsServer])[];
  /** Added to the clock: a process of long ago. */
  readonly clockOffsetMs?: number;
  /** A file that gets one line, a {@link Boundary}, for each one reached. */
  readonly trace: string;
  /** SIGKILL on reaching this boundary for the `occurrence`-th time (1 is the first)... */
  readonly killAt?: { readonly boundary: Boundary; readonly occurrence: number };
  /** ...or the boundary of this number, whichever it is (0 is the first). */
  readonly killAtIndex?: number;
}

/** `order.present before`, `order.present after`. */
export type Boundary = `${string} ${'before' | 'after'}`;

export interface EndedProcess {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lifeMs: number;
  readonly output: string;
  /** In the order in which they were reached. */
  readonly boundaries: readonly Boundary[];
}

export interface CrashProcess {
  readonly ended: Promise<EndedProcess>;
  kill(): void;
}

const program = fileURLToPath(new URL('./crash-child.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** A process that hangs ends with SIGABRT, which no test takes for its own kill. */
const longestLifeMs = 60_000;

/** Starts `zoneproof ARGS`. */
export function startProcess(
  args: readonly string[],
  plan: Omit<CrashPlan, 'trace'>,
  env: Readonly<Record<string, string>>,
): CrashProcess {
  if (!existsSync(built)) throw new Error('The program is not built; run npm run build.');
  const trace = join(tmpdir(), `zoneproof-trace-${randomUUID()}`);
  const startedAt = performance.now();
  // A process that lives for a second gains nothing from optimized code, and a fifth of its time goes into making it.
  const child = spawn(process.execPath, ['--no-opt', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestLifeMs,
    killSignal: 'SIGABRT',
    env: { PATH: process.env.PATH, ...env, ZONEPROOF_CRASH: JSON.stringify({ ...plan, trace } satisfies CrashPlan) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<EndedProcess>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const lifeMs = performance.now() - startedAt;
      void readTrace(trace).then((boundaries) => resolve({ code, signal, lifeMs, output, boundaries }), reject);
    });
  });
  return { ended, kill: () => void child.kill('SIGKILL') };
}

async function readTrace(path: string): Promise<readonly Boundary[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  await rm(path, { force: true });
  return text.split('\n').filter((line): line is Boundary => line !== '');
}
