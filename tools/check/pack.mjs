// Judges the packages as users get them: packed, linted (publint, attw), and installed from the tarballs into empty
// directories, where the program has to start, to find its providers, and to use one of a stranger. Needs `npm run build`
// first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEmptyDirectory } from '../packed/empty-directory.mjs';
import { judge } from '../packed/judge.mjs';
import { checkNewPackage, checkThirdParty } from '../packed/third-party.mjs';
import { root, summary } from './step.mjs';
import { readPackages } from './workspace.mjs';

const publicPackages = readPackages(root).filter(({ manifest }) => manifest.private !== true);
const providers = publicPackages.filter(({ manifest }) => manifest.zoneproof?.provider !== undefined);
const { version } = publicPackages.find(({ name }) => name === 'zoneproof').manifest;
const work = await mkdtemp(join(tmpdir(), 'zoneproof-pack-'));
try {
  const tarballs = new Map();
  for (const found of publicPackages) tarballs.set(found.name, await judge(found, work));
  const one = providers.filter(({ name }) => name === '@zoneproof/provider-rfc2136');
  await checkEmptyDirectory(join(work, 'one'), one, version, tarballs, { alone: true });
  await checkEmptyDirectory(join(work, 'all'), providers, version, tarballs);
  await checkThirdParty(work, tarballs);
  await checkNewPackage(work, tarballs);
} finally {
  await rm(work, { recursive: true, force: true });
}
process.exitCode = summary();
