/** Colours of a terminal, or none at all (https://no-color.org). */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

export function createStyle(
  output: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const coloured = !env.NO_COLOR && env.TERM !== 'dumb' && (output.isTTY === true || (env.FORCE_COLOR ?? '0') !== '0');
  const paint = (code: number, end: number) => (text: string) =>
    coloured && text !== '' ? `\u001b[${code}m${text}\u001b[${end}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}

/**
 * Text from outside (DNS answers, CA messages) without control characters, which could move the cursor or recolour
 * what a person reads.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ');
}
