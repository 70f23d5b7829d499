import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listFiles, readPackages } from './workspace.mjs';

const exec = promisify(execFile);

/**
 * The tree as it stands, without its history: every file that git tracks or would track, what was built from them, and the
 * installed packages. It is a git repository with one commit.
 *
 * @param {(...args: string[]) => Promise<unknown>} git in the copy
 */
export async function copyTree(root, copy, git) {
  for (const path of listFiles(root)) await cp(join(root, path), join(copy, path), { preserveTimestamps: true });
  await git('init', '--quiet', '--initial-branch=main');
  const folders = readPackages(copy).map(({ folder }) => folder);
  for (const path of folders.flatMap((folder) => [`${folder}/dist`, `${folder}/tsconfig.tsbuildinfo`]))
    if (existsSync(join(root, path)))
      await cp(join(root, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  for (const path of ['.', ...folders].map((folder) => join(folder, 'node_modules')))
    if (existsSync(join(root, path))) await copyInstalled(join(root, path), join(copy, path));
  await git('add', '--all');
  await git('commit', '--quiet', '--no-verify', '-m', 'the tree');
}

/** By hard links where the file system allows them. The links to packages of the workspace lead into the copy. */
async function copyInstalled(from, to) {
  await exec('cp', ['-al', from, to]).catch(() => exec('cp', ['-a', from, to]));
}
