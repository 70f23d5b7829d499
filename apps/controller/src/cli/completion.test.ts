import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory, runMain } from './testing/run-main.ts';

/** What bash offers after this line. */
async function complete(line: string): Promise<readonly string[]> {
  return inDirectory(async (directory) => {
    const { out } = await runMain(['completion', 'bash']);
    await writeFile(join(directory, 'completion.bash'), out);
    await writeFile(join(directory, 'manifest.yaml'), '');
    const words = line.split(' ');
    const script = `source completion.bash; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _zoneproof; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const offered = execFileSync('bash', ['--norc', '-c', script], { cwd: directory, encoding: 'utf8' });
    return offered.split('\n').filter(Boolean);
  });
}

test.each([
  ['zoneproof va', ['validate']],
  ['zoneproof acmedns ', expect.arrayContaining(['register'])],
  ['zoneproof run --on', ['--once']],
  ['zoneproof run man', ['manifest.yaml']],
  ['zoneproof status --output ', ['table', 'json', 'yaml']],
  ['zoneproof status -o j', ['json']],
  ['zoneproof acmedns register --al', ['--allow-from']],
  ['zoneproof completion f', ['fish']],
])('%s', async (line, expected) => expect(await complete(line)).toEqual(expected));

test('zsh uses the same by its bash layer', async () => {
  expect((await runMain(['completion', 'zsh'])).out).toMatch(/^#compdef zoneproof\nautoload -U \+X bashcompinit/);
});

test('fish has a line for each command and option', async () => {
  const { out } = await runMain(['completion', 'fish']);
  expect(out).toContain(`complete -c zoneproof -n '__fish_use_subcommand' -a run -d 'keep the certificates`);
  expect(out).toMatch(/-n '__fish_seen_subcommand_from run' -l once -d /);
  expect(out).toMatch(/__fish_seen_subcommand_from status' -s o -l output -x -a 'table json yaml'/);
});
