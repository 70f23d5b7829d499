import type { Command } from 'commander';
import { createContext } from '../cli/context.ts';
import { createProgram } from '../cli/program.ts';
import { commandLines } from './testing/command-lines.ts';
import { codeBlocks, markdownFiles } from './testing/markdown.ts';

const shown = markdownFiles()
  .filter(({ path }) => path !== 'docs/commands.md')
  .flatMap(({ path, text }) => {
    const inBlocks = codeBlocks(text).filter(({ language }) => language !== 'yaml' && language !== 'ini');
    const inline = [...text.matchAll(/`((?:npx )?zoneproof [^`]+)`/g)].map(([, line]) =>
      (line as string).replaceAll('\n', ' '),
    );
    const services = [...text.matchAll(/^ExecStart=(.+)$/gm)].map(([, line]) => line as string);
    const lines = [...inBlocks.map((block) => block.text), ...inline, ...services].flatMap(commandLines);
    return lines.map((argv): [string, readonly string[]] => [`${path}: zoneproof ${argv.join(' ')}`, argv]);
  });

test('commands are found', () => expect(shown.length).toBeGreaterThan(20));

test.each(shown)('%s is a command with options that exist', (_title, argv) => {
  expect(problemsOf(argv)).toEqual([]);
});

/** Commands, options and the number of arguments that the program does not know. */
function problemsOf(argv: readonly string[]): readonly string[] {
  let command: Command = createProgram(createContext({ env: {} }), () => undefined);
  const problems: string[] = [];
  const words = [...argv];
  while (words.length > 0 && command.commands.length > 0) {
    const word = words.shift() as string;
    if (word.startsWith('-')) return command.options.some(({ long }) => long === word) ? [] : [`option ${word}`];
    const sub = command.commands.find((one) => one.name() === word);
    if (sub === undefined) return [`command ${word}`];
    command = sub;
  }
  const given: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-')) given.push(word);
    else {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      if (option === undefined) problems.push(`option ${word}`);
      else if (option.required && words.shift() === undefined && words.length === 0) problems.push(`value of ${word}`);
    }
  }
  const isVariadic = command.registeredArguments.some(({ variadic }) => variadic);
  if (given.length > command.registeredArguments.length && !isVariadic) problems.push(`argument ${given.at(-1)}`);
  return problems;
}
