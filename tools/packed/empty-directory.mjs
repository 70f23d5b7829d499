import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { step } from '../check/step.mjs';
import { installedPackages, installInto, zoneproof } from './tarballs.mjs';

const exec = promisify(execFile);
const vendors = /aws|smithy|google|gaxios|cloudflare|akamai|edgegrid/i;
const maxMiB = 30;

/**
 * `zoneproof` with these providers in an empty directory: what comes along, how large it is, and how long it starts.
 *
 * @param {import('../check/workspace.mjs').Package[]} providers
 * @param {{alone?: boolean}} options `alone`: the one provider needs no vendor's packages and little room
 */
export async function checkEmptyDirectory(place, providers, version, tarballs, { alone = false } = {}) {
  const keys = providers.map(({ manifest }) => manifest.zoneproof.provider).sort();
  const names = ['zoneproof', ...providers.map(({ name }) => name)];
  await step(`npm i ${names.join(' ')}`, () => installInto(place, names, tarballs));
  if (alone) {
    await step('it brings no package of AWS, Google, Cloudflare or Akamai', async () => {
      const packages = await installedPackages(place);
      const found = packages.filter((path) => vendors.test(path));
      if (found.length > 0) throw new Error(`brings ${found.join(', ')}`);
      return `${packages.length} packages`;
    });
  }
  await step('size on disk', async () => {
    const { stdout } = await exec('du', ['-sk', join(place, 'node_modules')]);
    const mebibytes = Number(stdout.split('\t')[0]) / 1024;
    if (alone && mebibytes > maxMiB) throw new Error(`${mebibytes.toFixed(1)} MiB; at most ${maxMiB}`);
    return `${mebibytes.toFixed(1)} MiB`;
  });
  await step('zoneproof --version', async () => {
    const { said, ms } = await timed(() => zoneproof(place, '--version'));
    if (said.trim() !== version) throw new Error(`said "${said.trim()}", not ${version}`);
    return ms;
  });
  await step(`zoneproof providers finds ${keys.join(', ')} and nothing else`, async () => {
    const { said, ms } = await timed(() => zoneproof(place, 'providers', '-o', 'json'));
    const found = JSON.parse(said).providers;
    const bad = found.filter(({ problem }) => problem !== undefined);
    if (bad.length > 0 || String(found.map(({ key }) => key)) !== String(keys)) throw new Error(`said ${said}`);
    return ms;
  });
  for (const key of keys)
    await step(`zoneproof providers ${key}`, async () => {
      const { said, ms } = await timed(() => zoneproof(place, 'providers', key));
      if (!said.includes(`${key}:`)) throw new Error(`said ${said}`);
      return ms;
    });
}

/** The best of five: the others waited for the machine. */
async function timed(run) {
  let best = Number.POSITIVE_INFINITY;
  let said = '';
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    said = await run();
    best = Math.min(best, performance.now() - started);
  }
  return { said, ms: `${Math.round(best)} ms` };
}
