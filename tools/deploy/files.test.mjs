import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../check/step.mjs';
import { listFiles } from '../check/workspace.mjs';
import { entrypoint } from './container.mjs';
import { valuesFile, valuesOf } from './values.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');

test('every option that the chart gives is one of zoneproof controller', () => {
  const given = [...read('deploy/chart/templates/deployment.yaml').matchAll(/- (--[a-z0-9-]+)/g)].map(([, one]) => one);
  const controller =
    read('docs/commands.md')
      .split(/^## /m)
      .find((one) => one.startsWith('zoneproof controller\n')) ?? '';
  const known = new Set(controller.match(/--[a-z0-9-]+/g));
  expect(given.length).toBeGreaterThan(8);
  expect(given.filter((option) => !known.has(option))).toEqual([]);
});

test('every value of the chart is used, and no other', () => {
  const schema = JSON.parse(read('deploy/chart/values.schema.json'));
  const declared = new Set(valuesOf(schema).map(({ path }) => path));
  const templates = listFiles(root).filter((path) => path.startsWith('deploy/chart/templates/'));
  const used = new Set(
    templates.flatMap((path) => [...read(path).matchAll(/\.Values\.([\w.]+)/g)].map(([, one]) => one)),
  );
  expect([...used].sort()).toEqual([...declared].sort());
});

test('a value says what it means, above its default', () => {
  const schema = {
    properties: {
      a: { default: [], description: 'First.' },
      b: { properties: { c: { default: 'x', description: 'Second.' } } },
    },
  };
  expect(valuesFile(schema)).toBe('# Generated from values.schema.json.\n# First.\na: []\n\nb:\n  # Second.\n  c: x\n');
});

test('the Dockerfile runs what the bundle makes', () => {
  const dockerfile = read('deploy/Dockerfile');
  const { scripts } = JSON.parse(read('package.json'));
  const commands = [...dockerfile.matchAll(/&& npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(commands).toEqual(['build', 'bundle']);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(commands));
  expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)[1])).toEqual(entrypoint);
  expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  expect(dockerfile).toMatch(/^ARG NODE=\d+\.\d+\.\d+$/m);
});

test('nothing names a registry', () => {
  const texts = listFiles(root)
    .filter((path) => path.startsWith('deploy/') || path === 'docs/install-kubernetes.md')
    .map((path) => [path, read(path)]);
  expect(texts.filter(([, text]) => /\b(?:docker\.io|ghcr\.io|quay\.io|gcr\.io)\b/.test(text))).toEqual([]);
});
