import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '@zoneproof/sandbox';
import { type CrashPlan, type CrashProcess, type EndedProcess, startProcess } from './crash-process.ts';

/** A sandbox that lives on while the zoneproof processes that work with it are killed. */
export interface CrashWorld {
  readonly sandbox: Sandbox;
  /** Starts `zoneproof run` on a state directory, with `--once` unless it shall go on. */
  run(stateDir: string, plan?: Partial<CrashPlan>, options?: { readonly goOn?: boolean }): CrashProcess;
  /** A state directory that is not there yet, or a copy of another one. */
  newState(copyOf?: string): Promise<string>;
  close(): Promise<void>;
}

/** Where a Certificate's `onIssued` command leaves its name, beside the state directory. */
export const issuedFile = (stateDir: string): string => `${stateDir}.issued`;

export async function startCrashWorld(
  options: SandboxOptions = {},
  manifestsOf = (sandbox: Sandbox): Readonly<Record<string, string>> => sandbox.manifests(),
): Promise<CrashWorld> {
  const sandbox = await startSandbox(options);
  const root = await mkdtemp(join(tmpdir(), 'zoneproof-crash-'));
  const manifests = join(root, 'manifests');
  await mkdir(manifests);
  for (const [file, text] of Object.entries(manifestsOf(sandbox)))
    await writeFile(join(manifests, file), withOnIssued(text));
  const resolvers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
  let states = 0;

  return {
    sandbox,
    run: (stateDir, plan = {}, { goOn = false } = {}) => {
      const args = ['run', manifests, '--state', stateDir, '--dns01-self-check-nameservers', resolvers];
      return startProcess(
        goOn ? args : [...args, '--once'],
        { transport: [...sandbox.transportMap], ...plan },
        { ISSUED: issuedFile(stateDir) },
      );
    },
    async newState(copyOf) {
      const stateDir = join(root, `state-${++states}`);
      // The socket of the dead process stays behind: Node copies no sockets.
      if (copyOf !== undefined)
        await cp(copyOf, stateDir, {
          recursive: true,
          verbatimSymlinks: true,
          filter: (path) => !/\.sock$/.test(path),
        });
      return stateDir;
    },
    async close() {
      await sandbox.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** What is wrong when the process ended otherwise than by itself and well. */
export function wrongEnd({ code, signal, output }: EndedProcess): readonly string[] {
  return code === 0 ? [] : [`it ended with ${code ?? signal}: ${output}`];
}

function withOnIssued(manifest: string): string {
  const command = `onIssued: [sh, -c, 'echo "$ZONEPROOF_NAME" >> "$ISSUED"']`;
  return manifest.replaceAll(/^ {2}secretName: .*$/gm, `$&\n  ${command}`);
}
