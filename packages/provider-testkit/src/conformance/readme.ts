import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsSectionOf, docsSections, type ProviderPlugin, providerDocs, withProviderDocs } from '@zoneproof/core';

/** When it is set, the sections are written where they are compared otherwise. */
const writeVariable = 'ZONEPROOF_WRITE_README';

/** Holds the sections of README.md that are made from the plugin against it. @throws AssertionError */
export async function checkReadme(plugin: ProviderPlugin, packageDir: string): Promise<void> {
  const path = join(packageDir, 'README.md');
  const before = await readFile(path, 'utf8');
  const isWriting = (process.env[writeVariable] ?? '') !== '';
  const readme = isWriting ? withProviderDocs(before, plugin) : before;
  if (readme !== before) await writeFile(path, readme);
  const made = providerDocs(plugin);
  for (const section of docsSections) {
    const written = docsSectionOf(readme, section);
    const markers = `<!-- ${section} --> and <!-- /${section} -->`;
    if (written === undefined) {
      assert.ok(section !== 'issuer' && section !== 'fields', `README.md lacks the marker lines ${markers}`);
      continue;
    }
    const text = made.get(section);
    assert.ok(text !== undefined, `README.md has the marker lines ${markers}, and the plugin has no ${section}`);
    const [line] = text.split('\n').filter((one) => !one.startsWith('```') && !written.split('\n').includes(one));
    assert.ok(
      written === text,
      `section ${section} of README.md does not say what the plugin says${line ? `; it lacks: ${line}` : ''}. ` +
        `Run the tests once with ${writeVariable}=1: it is written then`,
    );
  }
}
