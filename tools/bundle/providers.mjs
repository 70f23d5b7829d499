import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The provider packages of this repository, or those of them whose block keys are listed: `rfc2136,routedns`.
 *
 * @returns {{key: string, name: string}[]} by key
 * @throws Error when a key is not among them
 */
export function providersOf(root, keys) {
  const all = readdirSync(join(root, 'packages'))
    .map((folder) => join(root, 'packages', folder, 'package.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter(({ zoneproof }) => zoneproof?.provider !== undefined)
    .map(({ name, zoneproof }) => ({ key: zoneproof.provider, name }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  if (keys === undefined) return all;
  const wanted = keys.split(',').map((key) => key.trim());
  const strange = wanted.filter((key) => !all.some((one) => one.key === key));
  if (strange.length > 0)
    throw new Error(`no provider is called ${strange.join(', ')}; there are ${all.map(({ key }) => key).join(', ')}`);
  return all.filter(({ key }) => wanted.includes(key));
}
