import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@zoneproof/sandbox';
import { inDirectory, runMain } from '../../cli/testing/run-main.ts';
import { together } from './run-import.ts';

/** What cert-manager leaves: an account at the CA, and a certificate with an RSA key. PEM. */
export interface EarlierLife {
  readonly accountKey: string;
  readonly key: string;
  readonly chain: string;
}

export const earlierNames = ['example.test', '*.example.test'];

/** Gets both from the sandbox by zoneproof itself, of which nothing else is left. */
export function earlierLife(sandbox: Sandbox): Promise<EarlierLife> {
  return inDirectory(async (directory) => {
    const [file, state] = [join(directory, 'earlier.yaml'), join(directory, 'state')];
    const spec = {
      secretName: 'web-tls',
      dnsNames: earlierNames,
      privateKey: { algorithm: 'RSA' },
      issuerRef: { name: 'sandbox' },
    };
    const { 'issuer.yaml': issuer = '', 'secrets.yaml': secrets = '' } = sandbox.manifests();
    const certificate = { apiVersion: 'zoneproof.dev/v1alpha1', kind: 'Certificate', metadata: { name: 'web' }, spec };
    await writeFile(file, together(issuer, secrets, JSON.stringify(certificate)));
    const { code, out, err } = await runOnce(sandbox, file, state);
    if (code !== 0) throw new Error(out + err);
    await rm(file);
    const secret = (...path: string[]) => readFile(join(state, 'secrets', 'default', ...path), 'utf8');
    return {
      accountKey: await secret('sandbox-account-key', 'tls.key'),
      key: await secret('web-tls', 'tls.key'),
      chain: await secret('web-tls', 'tls.crt'),
    };
  });
}

/** `zoneproof run --once` against the sandbox. */
export function runOnce(sandbox: Sandbox, manifests: string, state: string): ReturnType<typeof runMain> {
  const servers = nameserversOf(sandbox);
  return runMain(['run', manifests, '--state', state, '--once', '--dns01-self-check-nameservers', servers], {
    transport: sandbox.transport,
  });
}

export function nameserversOf({ resolvers }: Sandbox): string {
  return resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
}

/** A solver that may write into the sandbox's zones, with its Secret `tsig`. */
export function sandboxSolver({ dns: { server }, tsigKey }: Sandbox): object {
  const tsig = {
    tsigKeyName: tsigKey.name,
    tsigAlgorithm: 'HMACSHA256',
    tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
  };
  return { dns01: { rfc2136: { nameserver: `${server.address}:${server.port}`, ...tsig } } };
}

export function tsigText({ tsigKey }: Sandbox): string {
  return Buffer.from(tsigKey.secret).toString('base64');
}
