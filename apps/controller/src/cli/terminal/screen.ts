import type { Output } from '../context.ts';
import { fit } from './table.ts';

/** A block of lines that is drawn again in place; plain text above it scrolls away. */
export interface Screen {
  /** Replaces the block. On something that is no terminal the lines are written once more instead. */
  draw(lines: readonly string[]): void;
  /** Writes lines above the block. */
  above(text: string): void;
  /** Leaves the last block standing. */
  close(): void;
}

export function createScreen(out: Output): Screen {
  const live = out.isTTY === true;
  let height = 0;
  let lines: readonly string[] = [];
  // Up to the block's first line and clear to the end of the screen.
  const erase = (): string => (height === 0 ? '' : `\u001b[${height}A\u001b[0J`);
  const block = (): string => {
    const room = Math.max(1, (out.rows ?? 24) - 1);
    const shown =
      lines.length > room ? [...lines.slice(0, room - 1), `... and ${lines.length - room + 1} more`] : lines;
    height = shown.length;
    return shown.map((line) => `${fit(line, (out.columns ?? 80) - 1)}\n`).join('');
  };
  return {
    draw(next) {
      if (live && next.length === lines.length && next.every((line, i) => line === lines[i])) return;
      lines = next;
      if (live) out.write(erase() + block());
      else out.write(next.map((line) => `${line}\n`).join(''));
    },
    above(text) {
      if (live) out.write(erase() + text + block());
      else out.write(text);
    },
    close() {
      height = 0;
      lines = [];
    },
  };
}
