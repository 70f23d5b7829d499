/** Columns as wide as their widest cell, two blanks apart; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] as number) - width(cell))))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** At most `columns` wide, with `...` where something was cut; colours take no room. */
export function fit(line: string, columns: number): string {
  if (width(line) <= columns) return line;
  let shown = 0;
  let cut = '';
  for (const part of line.split(colourOrText)) {
    if (part.startsWith('\u001b')) cut += part;
    else {
      const room = Math.max(0, columns - 3 - shown);
      cut += part.slice(0, room) + (part.length > room && shown <= columns - 3 ? '...' : '');
      shown += part.length > room ? columns : part.length;
    }
  }
  return cut;
}

function width(cell: string): number {
  return cell.replace(colours, '').length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours
const colours = /\u001b\[\d+m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, kept by split
const colourOrText = /(\u001b\[\d+m)/;
