import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Report } from '../reconcile/services.ts';
import type { Certificate } from '../resources/index.ts';
import type { CommandContext } from './context.ts';
import { certificateFiles } from './output/certificate-files.ts';

/** Longest time that the command of a certificate may take. */
const timeoutMs = 5 * 60_000;

/**
 * Runs the certificate's `onIssued` command with the places of the new files in its environment, and reports how it
 * ended. Its output goes nowhere: it may hold anything.
 */
export function runOnIssued(
  certificate: Certificate,
  stateDir: string,
  report: (report: Report) => void,
  { env, clock }: Pick<CommandContext, 'env' | 'clock'>,
): void {
  const [command, ...args] = certificate.spec.onIssued ?? [];
  if (command === undefined) return;
  const { namespace, name } = certificate.metadata;
  const files = certificateFiles(resolve(stateDir), namespace, name);
  const tell = (reason: 'OnIssuedDone' | 'OnIssuedFailed', text: string): void => {
    const level = reason === 'OnIssuedDone' ? 'info' : 'error';
    const message = `onIssued command ${command} ${text}`;
    report({ at: clock.now(), level, kind: 'Certificate', namespace, name, reason, message });
  };
  const child = spawn(command, args, {
    stdio: 'ignore',
    timeout: timeoutMs,
    env: {
      ...env,
      ZONEPROOF_NAMESPACE: namespace,
      ZONEPROOF_NAME: name,
      ZONEPROOF_CERTIFICATE: files.certificate,
      ZONEPROOF_KEY: files.key,
    },
  });
  child.once('error', (error: NodeJS.ErrnoException) =>
    tell('OnIssuedFailed', `could not be started (${error.code ?? error.message}). Run it by hand.`),
  );
  child.once('exit', (code, signal) => {
    if (code === 0) tell('OnIssuedDone', 'is done.');
    else tell('OnIssuedFailed', `ended with ${code === null ? signal : `exit code ${code}`}. Run it by hand.`);
  });
}
