import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { secretBase64 } from '@zoneproof/farm';
import type { Client, Names } from './client.ts';
import { exists } from './issued-file.ts';
import { type Job, runJobs } from './jobs.ts';
import type { World } from './world.ts';

/** One process for all certificates, self check included. */
export const zoneproof: Client = {
  name: 'zoneproof',
  async version() {
    const index = createRequire(import.meta.url).resolve('zoneproof');
    const manifest = JSON.parse(await readFile(join(dirname(index), '..', 'package.json'), 'utf8'));
    return String(manifest.version);
  },
  async plan(world, directory, certificates) {
    await writeIssuer(world, directory);
    // As for the other clients: the account is there before the measurement starts.
    await writeCertificate(directory, [`account.${world.zone}`]);
    const job = command(world, directory, ['--once']);
    const made = await runJobs([job], 1);
    if (made.results[0]?.ok !== true) throw new Error(`zoneproof made no account:\n${made.results[0]?.output}`);
    for (const names of certificates) await writeCertificate(directory, names);
    return [job];
  },
  async issued(directory, certificates) {
    const files = certificates.map((names) => certificateFile(directory, names));
    return (await Promise.all(files.map(exists))).filter(Boolean).length;
  },
};

/** `zoneproof run` on the manifests in `directory`. */
export function command(world: World, directory: string, options: readonly string[]): Job {
  const server = `${world.dns.address}:${world.dns.port}`;
  const entry = fileURLToPath(new URL('./zoneproof-once.js', import.meta.url));
  const state = ['--state', join(directory, 'state'), '--dns01-self-check-nameservers', server];
  return {
    command: process.execPath,
    args: [entry, server, 'run', join(directory, 'manifests'), ...state, ...options],
    cwd: directory,
    env: {},
  };
}

export async function writeIssuer(world: World, directory: string): Promise<void> {
  await mkdir(join(directory, 'manifests'), { recursive: true });
  await writeManifests(directory, 'issuer', [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tsig' }, stringData: { secret: secretBase64(world.key) } },
    {
      apiVersion: 'zoneproof.dev/v1alpha1',
      kind: 'Issuer',
      metadata: { name: 'bench' },
      spec: {
        acme: {
          email: 'bench@bench.test',
          server: world.ca.directoryUrl,
          caBundle: world.ca.rootPem,
          privateKeySecretRef: { name: 'account-key' },
          dns01: {
            providers: [
              {
                name: 'bind',
                rfc2136: {
                  nameserver: `${world.dns.address}:${world.dns.port}`,
                  tsigKeyName: world.key.name,
                  tsigAlgorithm: 'HMACSHA256',
                  tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
                },
              },
            ],
          },
        },
      },
    },
  ]);
}

export async function writeCertificate(directory: string, names: Names): Promise<void> {
  const name = objectName(names);
  await writeManifests(directory, name, [
    {
      apiVersion: 'zoneproof.dev/v1alpha1',
      kind: 'Certificate',
      metadata: { name },
      spec: { secretName: `${name}-tls`, dnsNames: names, issuerRef: { name: 'bench' } },
    },
  ]);
}

export function certificateFile(directory: string, names: Names): string {
  return join(directory, 'state', 'certs', 'default', objectName(names), 'tls.crt');
}

function objectName(names: Names): string {
  return names[0].replaceAll('.', '-').replace('*', 'wildcard');
}

/** JSON is YAML. */
async function writeManifests(directory: string, file: string, manifests: readonly object[]): Promise<void> {
  const text = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  await writeFile(join(directory, 'manifests', `${file}.yaml`), `${text}\n`);
}
