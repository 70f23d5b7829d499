import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AcmeProblem } from '@zoneproof/acme';
import { ProviderError, providerErrorKinds } from '@zoneproof/core';
import { backoffMs, nextIssuanceMs } from '../reconcile/backoff.ts';
import { type Problem, toProblem } from '../reconcile/problem.ts';
import { reasons } from '../reconcile/reasons.ts';
import { ForeignSecretError, SecretUnreadableError } from '../store/store.ts';
import { readMarkdown, root } from './testing/markdown.ts';

const { text } = readMarkdown('docs/conditions.md');

interface Entry {
  readonly meaning: string;
  readonly todo: string;
  readonly again: string;
}

const entries = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section): [string, Entry] => {
      const [, reason = '', meaning = '', todo = '', again = ''] =
        /^(\w+)\n\n(.+)\n\n- Do: ([\s\S]+?)\n- Again: ([\s\S]+?)\n(?:\n|$)/.exec(section) ?? [];
      return [reason, { meaning, todo, again }];
    }),
);

test('docs/conditions.md has each reason of the code, with its meaning, and no other', () => {
  expect(Object.fromEntries([...entries].map(([reason, { meaning }]) => [reason, meaning]))).toEqual(reasons);
});

test('each reason says what to do and when it is tried again', () => {
  expect([...entries].filter(([, { todo, again }]) => todo === '' || again === '')).toEqual([]);
});

test('each reason is given somewhere in the code', () => {
  const source = sourceFiles(join(root, 'apps/controller/src'))
    .filter((path) => !/\.test\.ts$|reasons\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  expect(Object.keys(reasons).filter((reason) => !source.includes(`'${reason}'`))).toEqual([]);
});

const acmeTypes = [
  'caa', 'userActionRequired', 'externalAccountRequired', 'accountDoesNotExist', 'rejectedIdentifier',
  'unsupportedIdentifier', 'badCSR', 'badPublicKey', 'unauthorized', 'serverInternal', 'malformed',
]; // biome-ignore format: one list

const problems: readonly (readonly [string, Problem])[] = [
  ...providerErrorKinds.map((kind) => problemOf(kind, new ProviderError({ kind, message: 'told' }))),
  ...acmeTypes.map((type) => problemOf(type, acmeProblem(type, type === 'serverInternal' ? 500 : 403))),
  problemOf('rateLimited', acmeProblem('rateLimited', 429, 1_000)),
  problemOf('an unreadable Secret', new SecretUnreadableError('told')),
  problemOf("another's Secret", new ForeignSecretError('told')),
];

test.each(problems)('%s is tried again as the docs say', (_title, { reason, cure }) => {
  const pace = { retry: /\bbackoff\b/i, change: /\bevery minute\b/i, final: /\bnew order\b/i }[cure];
  expect(entries.get(reason)?.again).toMatch(pace);
});

test('a name that the CA has paused is tried again once a day', () => {
  const [, paused] = problemOf('paused', acmeProblem('rateLimited', 429));
  expect(paused).toMatchObject({ reason: 'CAPaused', retryAt: 86_400_000 });
  expect(entries.get('CAPaused')?.again).toMatch(/once a day/i);
});

test('the times of backoff and of new orders are those of the code', () => {
  expect(text).toContain('after 1 second, then doubling up to 5 minutes');
  expect([1, 2, 3, 20].map((tries) => backoffMs(tries, 1_000, 300_000, 1))).toEqual([1_000, 2_000, 4_000, 300_000]);
  expect(text).toMatch(
    /begins 1, 10 and 100 minutes after the\s+first, second and third failure in a row, then once a day/,
  );
  expect([1, 2, 3, 4, 9].map((count) => nextIssuanceMs(count, 0) / 60_000)).toEqual([1, 10, 100, 1_440, 1_440]);
});

test('the words about the process are those of the log', () => {
  const source = readFileSync(join(root, 'apps/controller/src/cli/output/report-line.ts'), 'utf8');
  const [, union = ''] = /readonly reason:\s+([^;]+);/.exec(source) ?? [];
  const inCode = [...union.matchAll(/'(\w+)'/g)].map(([, word]) => word);
  expect([...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, word]) => word)).toEqual(inCode);
});

function problemOf(title: string, error: Error): readonly [string, Problem] {
  return [title, toProblem(error, 0)];
}

function acmeProblem(type: string, httpStatus: number, retryAfterMs?: number): AcmeProblem {
  return new AcmeProblem({ type, detail: 'told', subproblems: [], disposition: 'retry' }, { httpStatus, retryAfterMs });
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}
