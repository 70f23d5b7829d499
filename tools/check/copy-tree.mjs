import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles, readPackages } from './workspace.mjs';

/**
 * The tree as it stands, without its history: every file that git tracks or would track, what was built from them, and the
 * installed packages by link. Those of the workspace lead to the copy. It is a git repository with one commit.
 *
 * @param {(...args: string[]) => Promise<unknown>} git in the copy
 */
export async function copyTree(root, copy, git) {
  for (const path of listFiles(root)) await cp(join(root, path), join(copy, path), { preserveTimestamps: true });
  await git('init', '--quiet', '--initial-branch=main');
  await mkdir(join(copy, 'node_modules', '@zoneproof'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '@zoneproof' && name !== 'zoneproof')
      await symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  for (const { folder, name } of readPackages(copy)) {
    await symlink(join(copy, folder), join(copy, 'node_modules', name));
    const nested = join(root, folder, 'node_modules');
    if (existsSync(nested)) await symlink(nested, join(copy, folder, 'node_modules'));
    for (const path of [`${folder}/dist`, `${folder}/tsconfig.tsbuildinfo`])
      if (existsSync(join(root, path)))
        await cp(join(root, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  }
  await git('add', '--all');
  await git('commit', '--quiet', '--no-verify', '-m', 'the tree');
}
