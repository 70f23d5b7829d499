import { CommanderError } from 'commander';
import { describeDiskError } from '../store/disk-error.ts';
import { StateDirError } from '../store/state-format.ts';
import { CommandError, createContext, type Inputs, UsageError } from './context.ts';
import { createProgram } from './program.ts';

export type { Inputs, Output } from './context.ts';

/**
 * Runs one command line.
 *
 * @param argv what follows `zoneproof`: `['run', 'manifests', '--once']`
 * @returns the exit code: 0 done, 1 something did not succeed, 2 wrong usage or invalid manifests
 */
export async function main(argv: readonly string[], inputs: Inputs = {}): Promise<number> {
  const context = createContext(inputs);
  if (context.out === process.stdout && process.stdout.listenerCount('error') === 0)
    process.stdout.on('error', endQuietly);
  let code = 0;
  const program = createProgram(context, (exitCode) => {
    code = exitCode;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the reason, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError || error instanceof CommandError || error instanceof StateDirError) {
      context.err.write(`zoneproof: ${message}\n`);
      return error instanceof UsageError ? 2 : 1;
    }
    const refused = describeDiskError(error);
    if (refused !== undefined) {
      context.err.write(`zoneproof: ${refused}.\n`);
      return 1;
    }
    context.err.write(`zoneproof: this should not happen, please report it: ${message}\n`);
    return 1;
  }
}

/** `zoneproof status | head` closes the pipe early, which is no failure. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}
