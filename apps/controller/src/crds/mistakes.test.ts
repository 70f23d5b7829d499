import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory, plugins } from '../cli/testing/run-main.ts';
import { loadManifests } from '../manifests/index.ts';
import { mistakes } from './testing/mistakes.ts';
import { registryOf } from './testing/world.ts';

const registry = registryOf(plugins);
/** Names of objects have limits there, and commands no place to run. */
const inClustersOnly = ['an account Secret', 'a command', 'a long name'];

test('what the rules of a CRD refuse, zoneproof validate calls an error, too', () =>
  inDirectory(async (directory) => {
    const taken: string[] = [];
    for (const [title, text] of mistakes) {
      const file = join(directory, 'mistake.yaml');
      await writeFile(file, text);
      const { problems } = await loadManifests([file], { registry });
      // Secrets and Issuers that the manifest refers to are not beside it.
      const own = problems.filter(
        ({ message, severity }) => severity === 'error' && !/there is no (Secret|Issuer) /.test(message),
      );
      if (own.length === 0) taken.push(title);
    }
    expect(taken).toEqual(inClustersOnly);
  }));
