import { stringify } from 'yaml';

/**
 * @typedef {{path: string, fallback: unknown, description: string}} Value `path`: `image.tag`
 */

/** Every value of the chart, from its values.schema.json. @returns {Value[]} */
export function valuesOf(schema, above = '') {
  return Object.entries(schema.properties).flatMap(([name, one]) => {
    const path = `${above}${name}`;
    if (one.properties !== undefined) return valuesOf(one, `${path}.`);
    return 'default' in one ? [{ path, fallback: one.default, description: one.description }] : [];
  });
}

/** values.yaml: the defaults, each below what it means. */
export function valuesFile(schema) {
  return `# Generated from values.schema.json.\n${block(schema, 0)}`;
}

function block({ properties }, depth) {
  const indent = '  '.repeat(depth);
  return Object.entries(properties)
    .map(([name, one]) => {
      if (one.properties !== undefined) return `\n${indent}${name}:\n${block(one, depth + 1)}`;
      if (!('default' in one)) return '';
      const text = stringify({ [name]: one.default }, { lineWidth: 0 }).trimEnd();
      return [`# ${one.description}`, ...text.split('\n')].map((line) => `${indent}${line}\n`).join('');
    })
    .join('');
}

/** The same as a table in Markdown. */
export function valuesTable(schema) {
  const rows = valuesOf(schema).map(
    ({ path, fallback, description }) => `| \`${path}\` | \`${JSON.stringify(fallback)}\` | ${description} |`,
  );
  return ['| value | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
