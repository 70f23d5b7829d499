import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretBase64, tool } from '@zoneproof/farm';
import type { Client } from './client.ts';
import { exists } from './issued-file.ts';
import { type Job, runJobs } from './jobs.ts';
import { packageVersion } from './package-version.ts';
import type { World } from './world.ts';

/** certbot with its rfc2136 plugin, without the sleep after writing. */
export const certbot: Client = {
  name: 'certbot',
  version: () => packageVersion('certbot'),
  async plan(world, directory, certificates) {
    const credentials = join(directory, 'rfc2136.ini');
    await writeFile(credentials, credentialsText(world), { mode: 0o600 });
    const account = join(directory, 'account');
    const register = job(world, directory, account, ['register', '--agree-tos', '-m', 'bench@bench.test']);
    const made = await runJobs([register], 1);
    if (made.results[0]?.ok !== true) throw new Error(`certbot made no account:\n${made.results[0]?.output}`);
    return Promise.all(
      certificates.map(async (names, index) => {
        const home = join(directory, String(index));
        await cp(join(account, 'config', 'accounts'), join(home, 'config', 'accounts'), { recursive: true });
        const plugin = ['--dns-rfc2136', '--dns-rfc2136-credentials', credentials];
        const wait = ['--dns-rfc2136-propagation-seconds', '0'];
        const domains = names.flatMap((name) => ['-d', name]);
        return job(world, directory, home, ['certonly', ...plugin, ...wait, '--key-type', 'ecdsa', ...domains]);
      }),
    );
  },
  async issued(directory, certificates) {
    const files = certificates.map(([name], index) =>
      join(directory, String(index), 'config', 'live', name, 'fullchain.pem'),
    );
    return (await Promise.all(files.map(exists))).filter(Boolean).length;
  },
};

function job(world: World, cwd: string, home: string, args: readonly string[]): Job {
  const folders = ['config', 'work', 'logs'].flatMap((name) => [`--${name}-dir`, join(home, name)]);
  return {
    command: tool('certbot'),
    args: [...args, '--non-interactive', '--server', world.ca.directoryUrl, ...folders],
    cwd,
    env: { REQUESTS_CA_BUNDLE: world.ca.rootFile },
  };
}

function credentialsText(world: World): string {
  return [
    `dns_rfc2136_server = ${world.dns.address}`,
    `dns_rfc2136_port = ${world.dns.port}`,
    `dns_rfc2136_name = ${world.key.name}.`,
    `dns_rfc2136_secret = ${secretBase64(world.key)}`,
    `dns_rfc2136_algorithm = ${world.key.algorithm.toUpperCase()}`,
    '',
  ].join('\n');
}
