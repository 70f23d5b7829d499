import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Version of pebble that the tests are written for; tools/install-real-servers.sh builds it. */
export const pebbleVersion = '2.10.1';

/** Version of moto (PyPI) that the tests are written for; tools/install-real-servers.sh puts it into a venv. */
export const motoVersion = '5.2.5';

/** Version of kube-apiserver, kube-controller-manager and kubectl; tools/install-real-servers.sh builds them and etcd. */
export const kubernetesVersion = '1.36.3';

/** Version of helm that the chart is tested with; tools/install-real-servers.sh builds it. */
export const helmVersion = '3.18.6';

export type RealServer =
  | 'bind'
  | 'bind-dnssec'
  | 'knot'
  | 'powerdns'
  | 'pebble'
  | 'lego'
  | 'certbot'
  | 'moto'
  | 'kubernetes'
  | 'helm'
  | 'promtool';

const commandsOf: Readonly<Record<RealServer, readonly string[]>> = {
  bind: ['named', 'nsupdate'],
  'bind-dnssec': ['dnssec-keygen', 'dnssec-signzone'],
  knot: ['knotd'],
  powerdns: ['pdns_server', 'pdnsutil', 'sqlite3'],
  pebble: ['pebble', 'openssl'],
  lego: ['lego'],
  certbot: ['certbot'],
  moto: ['moto_server', 'openssl'],
  kubernetes: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'openssl'],
  helm: ['helm'],
  promtool: ['promtool'],
};

/** Full path of a program, or undefined. Looks in PATH, in the folders of system daemons and in our cache. */
export function findTool(command: string): string | undefined {
  const folders = [...cacheFolders(), ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

/** Full path of a program. @throws Error that says how to install it */
export function tool(command: string): string {
  const path = findTool(command);
  if (path === undefined) throw new Error(missingText([command]));
  return path;
}

/**
 * Whether the programs of these servers are installed.
 *
 * @throws Error when one is missing and ZONEPROOF_REQUIRE_REAL=1, as in CI
 */
export function requireReal(...servers: readonly RealServer[]): boolean {
  const missing = missingCommands(servers);
  if (missing.length > 0 && process.env.ZONEPROOF_REQUIRE_REAL === '1') throw new Error(missingText(missing));
  return missing.length === 0;
}

/**
 * A jest `describe` over real servers. Without them its tests are skipped and the reason stands in the title; under
 * ZONEPROOF_REQUIRE_REAL=1 it fails instead.
 */
export function describeReal(servers: readonly RealServer[], title: string, body: () => void): void {
  const { describe, test } = globalThis as unknown as JestGlobals;
  const missing = missingCommands(servers);
  if (missing.length === 0) describe(title, body);
  else if (process.env.ZONEPROOF_REQUIRE_REAL === '1')
    describe(title, () =>
      test('the real servers are installed', () => {
        throw new Error(missingText(missing));
      }),
    );
  else {
    // Reporters of many files show the titles of failures only.
    process.stderr.write(`skipped: ${title}: ${missingText(missing)}\n`);
    describe.skip(`${title} (skipped: ${missingText(missing)})`, body);
  }
}

interface JestGlobals {
  readonly describe: ((title: string, body: () => void) => void) & { skip(title: string, body: () => void): void };
  readonly test: (title: string, body: () => void) => void;
}

function missingCommands(servers: readonly RealServer[]): readonly string[] {
  return servers.flatMap((server) => commandsOf[server]).filter((command) => findTool(command) === undefined);
}

function missingText(commands: readonly string[]): string {
  const are = commands.length === 1 ? 'is' : 'are';
  return `${commands.join(', ')} ${are} not installed; tools/install-real-servers.sh installs what the tests need`;
}

function cacheFolders(): readonly string[] {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'zoneproof');
  return [
    join(cache, `pebble-${pebbleVersion}`),
    join(cache, `moto-${motoVersion}`, 'bin'),
    join(cache, `kubernetes-${kubernetesVersion}`),
    join(cache, `helm-${helmVersion}`),
  ];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
