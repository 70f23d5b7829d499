import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { inDirectory, runMain, violations } from './testing/run-main.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const nameservers = () => sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');

const check = (...argv: string[]) =>
  runMain(['check', '--dns01-self-check-nameservers', nameservers(), ...argv], { transport: sandbox.transport });

async function writeManifests(directory: string, change = (text: string) => text): Promise<string[]> {
  for (const [name, text] of Object.entries(sandbox.manifests())) await writeFile(join(directory, name), change(text));
  return [directory, '--state', join(directory, 'state')];
}

test('manifests of the sandbox: nothing stands in the way', () =>
  inDirectory(async (directory) => {
    const { code, err } = await check(...(await writeManifests(directory)));
    expect(err).toBe('');
    expect(code).toBe(0);
    const json = await check(...(await writeManifests(directory)), '-o', 'json');
    expect(violations('check.schema.json', JSON.parse(json.out))).toEqual([]);
  }));

test('a bare name', async () => {
  const { code, out } = await check('www.example.test');
  expect([code, out]).toEqual([0, expect.stringContaining('Nothing stands in the way of 1 of 1 target')]);
});
