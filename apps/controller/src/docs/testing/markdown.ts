import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository, with a final slash. */
export const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** One Markdown file of the repository. */
export interface MarkdownFile {
  /** Relative to the root: `docs/conditions.md`. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block: what stands behind the fence, its content, and the line of the fence. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** Every document that people read: those at the root, in docs/, and the READMEs of packages and examples. */
export function markdownFiles(): readonly MarkdownFile[] {
  const in_ = (folder: string): string[] =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}${name}`);
  const packages = ['packages', 'apps', 'examples'].flatMap((family) =>
    readdirSync(`${root}${family}`).map((name) => `${family}/${name}/README.md`),
  );
  return [...in_(''), ...in_('docs/'), ...packages.filter((path) => existsSync(`${root}${path}`))].map(readMarkdown);
}

export function readMarkdown(path: string): MarkdownFile {
  return { path, text: readFileSync(`${root}${path}`, 'utf8') };
}

export function codeBlocks(text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map((match) => ({
    language: (match[2] as string).trim(),
    text: (match[3] as string).replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The text without its fenced blocks and inline code. */
export function prose(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '``');
}

/** Headings in order, as GitHub makes anchors of them. */
export function anchors(text: string): ReadonlySet<string> {
  const outside = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  const seen = new Map<string, number>();
  return new Set(
    [...outside.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => {
      const slug = (title as string)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

/** Targets of Markdown links, in order. */
export function linkTargets(text: string): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
}
