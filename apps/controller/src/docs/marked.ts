/**
 * The Markdown with what stands between two markers made anew.
 *
 * @throws Error when a marker is missing
 */
export function withSection(markdown: string, begin: string, end: string, content: string): string {
  const from = markdown.indexOf(begin) + begin.length;
  const to = markdown.indexOf(end, from);
  if (from < begin.length || to < 0) throw new Error(`the lines ${begin} and ${end} are missing`);
  return `${markdown.slice(0, from)}\n${content}\n${markdown.slice(to)}`;
}

/** A file as a fenced block. */
export function codeBlock(path: string, text: string): string {
  const language = path.slice(path.lastIndexOf('.') + 1);
  return `\`\`\`${language}\n${text}\`\`\``;
}
