// Makes anew what deploy/ and its document are generated from: the chart's values.yaml, its CRDs and dashboard, the plain
// manifests (with helm), and the table of values in docs/install-kubernetes.md. With `--check` it names the stale files and
// exits with 1. Needs `npm run build` first.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../check/step.mjs';
import { chartCrds } from './crds.mjs';
import { dashboardFile } from './dashboard.mjs';
import { hasHelm } from './helm.mjs';
import { plainManifests } from './manifests.mjs';
import { valuesFile, valuesTable } from './values.mjs';

const check = process.argv.includes('--check');
const stale = [];

await bring(await chartFiles());
if (hasHelm()) await bring(await plainManifests());
else console.log('deploy/manifests was not looked at: tools/install-real-servers.sh installs helm');
if (check) {
  for (const path of stale) console.error(`${path} is not what its source makes; npm run generate`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else if (stale.length > 0) console.log(`wrote ${stale.join(', ')}`);

async function chartFiles() {
  const schema = JSON.parse(await text('deploy/chart/values.schema.json'));
  const { version } = JSON.parse(await text('apps/controller/package.json'));
  const chart = await text('deploy/chart/Chart.yaml');
  const page = await text('docs/install-kubernetes.md');
  return new Map([
    ['deploy/chart/Chart.yaml', chart.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`)],
    ['deploy/chart/values.yaml', valuesFile(schema)],
    ['deploy/chart/files/crds.yaml', await chartCrds()],
    ['deploy/chart/files/dashboard.json', dashboardFile()],
    ['docs/install-kubernetes.md', withSection(page, 'values', valuesTable(schema))],
  ]);
}

/** What is rendered from the chart has to find it as it will be. */
async function bring(files) {
  for (const [path, wanted] of files) {
    if ((await text(path).catch(() => undefined)) === wanted) continue;
    stale.push(path);
    if (!check) await writeFile(join(root, path), wanted);
  }
}

function withSection(page, name, content) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/install-kubernetes.md lacks the lines ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n${content}\n${page.slice(to)}`;
}

function text(path) {
  return readFile(join(root, path), 'utf8');
}
