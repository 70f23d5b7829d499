/**
 * The command lines of zoneproof in a shell text, as the words behind the program's name. `npx` and a path before it,
 * a prompt, and what comes after a pipe or a comment do not count.
 */
export function commandLines(text: string): readonly (readonly string[])[] {
  return text.split('\n').flatMap((line) => {
    const [, words] = /^(?:\$ )?(?:npx )?(?:\S*\/)?zoneproof((?: [^|#>&]*)?)/.exec(line.trim()) ?? [];
    if (words === undefined) return [];
    const argv = [...words.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? (c as string));
    return [argv];
  });
}
