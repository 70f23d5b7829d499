import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { anchors, linkTargets, markdownFiles, root } from './testing/markdown.ts';

const files = markdownFiles();

test.each(files.map(({ path, text }) => [path, text]))(
  'links of %s lead to files and headings that exist',
  (path, text) => {
    const broken = linkTargets(text)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !leadsSomewhere(path, target));
    expect(broken).toEqual([]);
  },
);

test('every document is reached from README.md', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const target of linkTargets(files.find((file) => file.path === path)?.text ?? '')) {
      const file = posix.join(posix.dirname(path), target.split('#')[0] as string);
      if (!/^https?:/.test(target) && target !== '' && file.endsWith('.md')) reached.add(file);
    }
  expect(files.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

function leadsSomewhere(path: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const place = file === '' ? path : posix.join(posix.dirname(path), file);
  if (!existsSync(`${root}${place}`)) return false;
  if (anchor === undefined) return true;
  const found = files.find((one) => one.path === place);
  return found !== undefined && anchors(found.text).has(anchor);
}
