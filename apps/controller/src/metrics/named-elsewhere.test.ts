import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { metricDefinitions } from './definitions.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const files = ['deploy', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(json|ya?ml|md)$/.test(name))
    .map((name) => join(folder, name)),
);

test('every metric that a document, an alert or a dashboard names is there, with the labels that it is asked for by', () => {
  const problems: string[] = [];
  let named = 0;
  for (const file of files)
    for (const [, name = '', braces = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /\b(zoneproof_[a-z_]+)(?:\{([^}]*)\})?/g,
    )) {
      named++;
      const definition = definitionOf(name);
      if (definition === undefined) problems.push(`${file}: there is no metric ${name}`);
      for (const [, label = ''] of braces.matchAll(/(\w+)\s*(?:=~?|!=|!~)\s*\\?"/g))
        if (definition !== undefined && !(label in definition.labels) && !ofTarget.has(label))
          problems.push(`${file}: ${name} has no label ${label}`);
    }
  expect(problems).toEqual([]);
  expect(named).toBeGreaterThan(Object.keys(metricDefinitions).length);
});

/** Labels that Prometheus adds to what it scrapes. */
const ofTarget = new Set(['job', 'instance', 'pod', 'namespace']);

function definitionOf(name: string) {
  const known: Readonly<Record<string, (typeof metricDefinitions)[keyof typeof metricDefinitions]>> = metricDefinitions;
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return known[name] ?? (known[base]?.type === 'histogram' ? known[base] : undefined);
}
