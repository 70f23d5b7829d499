import { checkTitles } from '@zoneproof/core';
import { readMarkdown } from './testing/markdown.ts';

test('docs/preflight.md lists each check with its title, in their order', () => {
  const rows = [...readMarkdown('docs/preflight.md').text.matchAll(/^\| `([\w-]+)` \| ([^|]+) \|/gm)];
  expect(Object.fromEntries(rows.map(([, id, title]) => [id, title]))).toEqual(checkTitles);
  expect(rows.map(([, id]) => id)).toEqual(Object.keys(checkTitles));
});
