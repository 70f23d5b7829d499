import type { Finding } from '@zoneproof/core';
import type { CommandContext } from './context.ts';
import { createScreen } from './terminal/screen.ts';
import { printable } from './terminal/style.ts';
import { count } from './validate.ts';

/** One live line on a terminal: how far the check is, and what stands in the way so far. Silent elsewhere. */
export function createCheckProgress({ err, style }: CommandContext, targets: number) {
  if (err.isTTY !== true)
    return { note: (_finding: Finding): void => undefined, done: (): void => undefined, close: (): void => undefined };
  const screen = createScreen(err);
  let findings = 0;
  let done = 0;
  let last = '';
  const draw = (): void => {
    const told = last === '' ? '' : style.dim(`  ${last}`);
    screen.draw([`... ${done} of ${count(targets, 'target')} checked, ${count(findings, 'finding')}${told}`]);
  };
  draw();
  return {
    note: ({ title, about, result }: Finding): void => {
      findings++;
      last = printable(`${title} of ${about.name}: ${result}`);
      draw();
    },
    done: (): void => {
      done++;
      draw();
    },
    close: (): void => {
      screen.draw([]);
      screen.close();
    },
  };
}
