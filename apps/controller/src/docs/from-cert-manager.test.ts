import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory, runMain } from '../cli/testing/run-main.ts';
import { commandLines } from './testing/command-lines.ts';
import { codeBlocks, readMarkdown } from './testing/markdown.ts';

const [, example = ''] = readMarkdown('docs/from-cert-manager.md').text.split(/^## /m);

/** Blocks of cert-manager's own manifests are `yml`; `yaml` is ours. */
const block = (language: string): string => codeBlocks(example).find((one) => one.language === language)?.text ?? '';

test('the example in docs/from-cert-manager.md prints and writes what is shown there', () =>
  inDirectory(async (directory) => {
    await writeFile(join(directory, 'cert-manager.yaml'), block('yml'));
    const [argv = []] = commandLines(block('sh'));
    const at = (word: string): string => (word.endsWith('.yaml') ? join(directory, word) : word);
    const { code, out, err } = await runMain(argv.map(at));
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out.replaceAll(`${directory}/`, '')).toBe(block('text'));
    expect(`# zoneproof.yaml\n${await readFile(join(directory, 'zoneproof.yaml'), 'utf8')}`).toBe(block('yaml'));
  }));
