import { importsOf, packageOf } from './workspace.mjs';

/**
 * Each package declares exactly what it imports: `dependencies` and `peerDependencies` for what users run,
 * `devDependencies` for tests. What the root declares (jest, fast-check) is there for every test.
 *
 * @param {import('./workspace.mjs').Package[]} packages
 * @param {Record<string, any>} rootManifest
 * @returns {string[]} problems
 */
export function dependencyProblems(packages, rootManifest) {
  const forTests = new Set([...Object.keys(rootManifest.devDependencies ?? {}), '@jest/globals']);
  return packages.flatMap((found) => {
    // An example has nothing but what it declares, the tools of its build included.
    const isExample = found.folder.startsWith('examples/');
    const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = found.manifest;
    const run = importedBy(found, (file) => !file.test);
    const tests = importedBy(found, (file) => file.test);
    const where = `${found.folder}/package.json`;
    const problems = [];
    for (const [name, path] of run)
      if (!(name in dependencies) && !(name in peerDependencies))
        problems.push(`${where}: ${name} is missing in dependencies (imported by ${path})`);
    for (const [name, path] of tests)
      if (!(name in { ...dependencies, ...peerDependencies, ...devDependencies }) && (isExample || !forTests.has(name)))
        problems.push(`${where}: ${name} is missing in devDependencies (imported by ${path})`);
    for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
      if (!run.has(name)) problems.push(`${where}: ${name} is a dependency that no source imports`);
    for (const name of Object.keys(devDependencies)) {
      const isTool = name.startsWith('@types/') || (isExample && forTests.has(name));
      const wanted = tests.has(name) || name in peerDependencies || isTool || isPlugin(name);
      if (!wanted) problems.push(`${where}: ${name} is a devDependency that no test imports`);
    }
    return problems;
  });
}

function importedBy(found, choose) {
  const paths = new Map();
  for (const file of found.files.filter(choose))
    for (const specifier of importsOf(file.text)) {
      const name = packageOf(specifier);
      if (name !== undefined && name !== found.name && !paths.has(name)) paths.set(name, file.path);
    }
  return paths;
}

/** Providers are found at run time, in node_modules: a test that runs the program imports none of them. */
function isPlugin(name) {
  return name.startsWith('@zoneproof/provider-');
}
