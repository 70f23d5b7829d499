import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const longFile = 300;

/** Put together here so that this file passes its own check. */
const words = [
  [new RegExp(`\\b(?:TO${'DO'}|FIX${'ME'}|XX${'X'})\\b`), 'unfinished work belongs in an issue'],
  [new RegExp(`\\b(?:test|it|describe)\\.on${'ly'}\\b`), 'the other tests would not run'],
  [new RegExp(`@ts-ig${'nore'}|\\bas an${'y'}\\b`), 'a loosened type'],
];

/**
 * Words that do not belong in the project, and the paths of this machine.
 *
 * @returns {string[]} problems as `file:line: text`
 */
export function wordProblems(root, files) {
  const paths = [`${root}/`, `${homedir()}/`].map((path) => new RegExp(`(?<![\\w.])${path.replaceAll('.', '\\.')}`));
  const rules = [...words, ...paths.map((path) => [path, 'a path of one machine'])];
  return texts(root, files).flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        rules
          .filter(([pattern]) => pattern.test(line))
          .map(([, reason]) => `${path}:${index + 1}: ${reason}: ${line.trim().slice(0, 100)}`),
      ),
  );
}

/** Source files that may hold two ideas. @returns {string[]} warnings */
export function longFiles(root, files) {
  return texts(root, files)
    .filter(([path, text]) => /\.(?:ts|mjs)$/.test(path) && !text.startsWith('// Generated'))
    .map(([path, text]) => [path, text.split('\n').length - 1])
    .filter(([, lines]) => lines > longFile)
    .map(([path, lines]) => `${path}: ${lines} lines; is there a seam?`);
}

function texts(root, files) {
  return files
    .filter((path) => path !== 'package-lock.json' && !/\.(?:png|ico|woff2?|gz|der)$/.test(path))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]);
}
