/**
 * @typedef {{from: string, to: string, name: string, version: string, own: boolean}} Placed `from` and `to` are folders:
 *   in the workspace, and below the tree that is made; `own`: a package of this workspace
 */

/**
 * The packages that `roots` need to run, placed so that Node finds for each of them what the lock file says: a package of
 * the workspace lies in node_modules like any other, and what npm nested below it stays nested.
 *
 * Optional peers are not followed: who wants one names it among the roots. An optional dependency that is not installed
 * (another platform's) is left out.
 *
 * @param {Record<string, any>} locked `packages` of package-lock.json, version 3
 * @param {readonly string[]} roots package names
 * @param {(folder: string) => boolean} isInstalled
 * @returns {Placed[]} sorted by `to`
 * @throws Error when a package is not in the lock file, or not installed
 */
export function closure(locked, roots, isInstalled) {
  const placed = new Map();
  const waiting = roots.map((name) => ({ name, path: find(locked, '', name), by: 'the tree', optional: false }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, path, by, optional } = next;
    if (path === undefined || !isInstalled(path)) {
      if (optional) continue;
      throw new Error(`${name}, which ${by} needs, is not ${path ? 'installed' : 'in package-lock.json'}; run npm ci`);
    }
    const folder = locked[path].link ? locked[path].resolved : path;
    if (placed.has(folder)) continue;
    const entry = locked[folder];
    const to = placeOf(locked, folder);
    placed.set(folder, { from: folder, to, name, version: entry.version, own: locked[path].link === true });
    for (const wanted of needsOf(entry))
      waiting.push({ ...wanted, path: find(locked, folder, wanted.name), by: `${name}@${entry.version}` });
  }
  return [...placed.values()].sort((a, b) => (a.to < b.to ? -1 : 1));
}

/** Typings are for compilers; some packages declare them as if they were run. */
function needsOf(entry) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...new Set([...Object.keys(dependencies), ...peers, ...Object.keys(optionalDependencies)])]
    .filter((name) => !name.startsWith('@types/'))
    .map((name) => ({ name, optional: name in optionalDependencies }));
}

/** As Node looks for it: in the node_modules of the folder, then of each one above. */
function find(locked, folder, name) {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (locked[path] !== undefined) return path;
    if (at === '') return undefined;
  }
}

/** `packages/dns/node_modules/x` -> `node_modules/@zoneproof/dns/node_modules/x`. */
function placeOf(locked, folder) {
  const link = Object.entries(locked).find(
    ([, { link, resolved }]) => link && (folder === resolved || folder.startsWith(`${resolved}/`)),
  );
  return link === undefined ? folder : `${link[0]}${folder.slice(link[1].resolved.length)}`;
}
