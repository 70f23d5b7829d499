import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** ENTRYPOINT of deploy/Dockerfile. */
export const entrypoint = ['node', '/app/node_modules/zoneproof/bin/zoneproof.js'];

/**
 * What an image of the tree holds and nothing else: node, the libraries that it needs, and the tree as /app. No shell.
 *
 * @param {string} place an empty directory
 * @param {string} node the program
 */
export async function makeImage(place, tree, node) {
  const { stdout } = await run('ldd', [node]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
  for (const path of libraries) await bring(path, join(place, path));
  await bring(node, join(place, 'usr', 'bin', 'node'));
  await cp(tree, join(place, 'app'), { recursive: true });
  for (const path of ['/etc/resolv.conf', '/etc/hosts']) await bring(path, join(place, path)).catch(() => {});
  for (const path of ['proc', 'dev', 'run']) await mkdir(join(place, path));
  // Anybody could write there if the root were writable.
  await mkdir(join(place, 'tmp'));
  await chmod(join(place, 'tmp'), 0o1777);
}

/**
 * Runs the image as Kubernetes runs a container of the chart: user 65532, no way to more rights, the first process of its
 * PID namespace, a root that cannot be written. Its network is the machine's. Needs root and Linux.
 *
 * @param {readonly string[]} command such as `[...entrypoint, '--version']`
 * @param {{env?: Record<string, string>, files?: Record<string, string>}} options `files`: path to text, mounted as Secrets
 *   and tokens are
 */
export async function startContainer(image, command, { env = {}, files = {} } = {}) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(image, dirname(path)), { recursive: true });
    await writeFile(join(image, path), text);
  }
  const child = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', inNamespace, 'sh', image, ...command],
    { env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code));
  });
  return {
    /** The exit code. */
    ended,
    output: () => output,
    /** SIGTERM for the program, as from the kubelet. */
    async terminate() {
      const [first] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ');
      process.kill(Number(first), 'SIGTERM');
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/** To its end. @returns {Promise<string>} what it printed @throws Error with the same when it fails */
export async function runContainer(image, command, options) {
  const container = await startContainer(image, command, options);
  const code = await container.ended;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${container.output()}`);
  return container.output();
}

// The mounts are of this namespace only, and go with it.
const inNamespace = `
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc -o ro proc "$root/proc"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec=65532:65532 --groups= "$root" "$@"`;

async function bring(from, to) {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { dereference: true });
}
