import { spawn } from 'node:child_process';
import { tool } from '../tools.ts';

const endWithinMs = 180_000;

/**
 * Runs kubectl; `input` is what it reads with `-f -`.
 *
 * @throws Error when it has not ended after 3 minutes
 */
export function runKubectl(
  kubeconfig: string,
  home: string,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    // What kubectl remembers of a cluster's kinds is filed by address, and the next cluster may have the same one.
    const env = { PATH: process.env.PATH ?? '', HOME: home, KUBECONFIG: kubeconfig };
    const child = spawn(tool('kubectl'), args, { env, stdio: 'pipe', timeout: endWithinMs, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // It may end without having read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== null) resolve({ code, stdout, stderr });
      else
        reject(
          new Error(`kubectl ${args.join(' ')} was ended by a signal or after ${endWithinMs / 1000} s: ${stderr}`),
        );
    });
  });
}
