import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { secretBase64, tool } from '@zoneproof/farm';
import type { Client, Names } from './client.ts';
import { exists } from './issued-file.ts';
import { type Job, runJobs } from './jobs.ts';
import { packageVersion } from './package-version.ts';
import type { World } from './world.ts';

/** lego at its best: no check of the propagation, no pause after writing, none between names. */
export const lego = legoClient('lego, no waits', { RFC2136_POLLING_INTERVAL: '0', RFC2136_SEQUENCE_INTERVAL: '0' });

/** lego with its own pauses, still without its check of the propagation. */
export const legoAsItComes = legoClient('lego', {});

function legoClient(name: string, pauses: Readonly<Record<string, string>>): Client {
  return {
    name,
    version: () => packageVersion('lego'),
    async plan(world, directory, certificates) {
      const first = join(directory, 'account');
      // It has no command that registers only: an account is made by the first certificate.
      const made = await runJobs([job(world, directory, first, [`account.${world.zone}`], pauses)], 1);
      if (made.results[0]?.ok !== true) throw new Error(`lego made no account:\n${made.results[0]?.output}`);
      return Promise.all(
        certificates.map(async (names, index) => {
          const path = join(directory, String(index));
          await cp(join(first, 'accounts'), join(path, 'accounts'), { recursive: true });
          return job(world, directory, path, names, pauses);
        }),
      );
    },
    async issued(directory, certificates) {
      const files = certificates.map(([name], index) => join(directory, String(index), 'certificates', `${name}.crt`));
      return (await Promise.all(files.map(exists))).filter(Boolean).length;
    },
  };
}

function job(world: World, cwd: string, path: string, names: Names, pauses: Job['env']): Job {
  const server = `${world.dns.address}:${world.dns.port}`;
  const dns = ['--dns', 'rfc2136', '--dns.disable-cp', '--dns.resolvers', server];
  return {
    command: tool('lego'),
    args: [
      ...['--server', world.ca.directoryUrl, '--email', 'bench@bench.test', '--accept-tos', '--path', path],
      ...dns,
      ...['--key-type', 'ec256', ...names.flatMap((name) => ['--domains', name]), 'run'],
    ],
    cwd,
    env: {
      LEGO_CA_CERTIFICATES: world.ca.rootFile,
      RFC2136_NAMESERVER: server,
      RFC2136_TSIG_KEY: `${world.key.name}.`,
      RFC2136_TSIG_ALGORITHM: `${world.key.algorithm}.`,
      RFC2136_TSIG_SECRET: secretBase64(world.key),
      ...pauses,
    },
  };
}
