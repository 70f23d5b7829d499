// `npm run check`: everything that can be said about the tree without running it. All problems at once; exit code 1.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dependencyProblems } from './dependencies.mjs';
import { floorProblems } from './floors.mjs';
import { missingOptionals } from './lockfile.mjs';
import { referenceProblems } from './references.mjs';
import { longFiles, wordProblems } from './texts.mjs';
import { listFiles, readExamples, readPackages } from './workspace.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const files = listFiles(root);
const packages = [...readPackages(root, files), ...readExamples(root, files)];
const rootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const generators = [
  { title: 'generated files', generator: join('apps', 'controller', 'dist', 'cli', 'generate-docs.js') },
  { title: 'cases of the self check', generator: join('tools', 'farm', 'dist', 'selfcheck', 'generate-docs.js') },
  { title: 'chart and manifests', generator: join('tools', 'deploy', 'generate.mjs') },
];

const results = await Promise.all([
  command('format and lint', 'biome', ['check', '--colors=off', '--max-diagnostics=50', '.']),
  command('types', 'tsc', ['-b']).then(async (types) => [
    types,
    await command('types of the example', 'tsc', ['-p', 'examples/third-party-provider']),
    ...(await Promise.all(generators.map(generatedFiles))),
  ]),
  command('types of the tests', 'tsc', ['-p', 'tsconfig.test.json']),
  { title: 'floors', problems: floorProblems(packages) },
  { title: 'dependencies', problems: dependencyProblems(packages, rootManifest) },
  { title: 'lock file', problems: lockProblems() },
  { title: 'references', problems: referenceProblems(root) },
  { title: 'words', problems: wordProblems(root, files) },
]);

let failed = 0;
for (const { title, problems } of results.flat()) {
  console.log(`${problems.length === 0 ? 'ok      ' : 'PROBLEM '}${title}`);
  for (const problem of problems) console.log(`  ${problem.trimEnd().replaceAll('\n', '\n  ')}`);
  failed += problems.length;
}
for (const warning of longFiles(root, files)) console.log(`long    ${warning}`);
process.exitCode = failed === 0 ? 0 : 1;

/** Files that programs write about themselves (docs tables, schemas) are those that they would write now. */
async function generatedFiles({ title, generator }) {
  if (!existsSync(join(root, generator))) return { title: `${title} (none yet)`, problems: [] };
  const result = await command(title, process.execPath, [generator, '--check']);
  // What it could not look at, it says.
  return result.problems.length === 0 && result.said !== '' ? { ...result, title: `${title}: ${result.said}` } : result;
}

function lockProblems() {
  const missing = missingOptionals(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  if (missing.length === 0) return [];
  const names = missing.map((found) => found.name).join(', ');
  return [`npm ci would refuse it for lack of ${names}; node tools/check/lockfile.mjs puts them in`];
}

function command(title, program, args) {
  const local = join(root, 'node_modules', '.bin', program);
  return new Promise((resolve) => {
    const child = spawn(existsSync(local) ? local : program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', (error) => resolve({ title, problems: [`${program} cannot be run: ${error.message}`] }));
    child.on('close', (code) =>
      resolve({ title, problems: code === 0 ? [] : [text || `exit code ${code}`], said: text.trim() }),
    );
  });
}
