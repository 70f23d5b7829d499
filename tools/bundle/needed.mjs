/**
 * Whether a file of an installed package is needed to run it, or has to stay beside it (licences).
 *
 * @param {string} path relative to its package
 */
export function isNeeded(path) {
  const [top, ...below] = path.split('/');
  const name = below.at(-1) ?? top;
  if (/^(?:licen[cs]e|notice|copying|patents)/i.test(name)) return true;
  if (below.length > 0 && /^(?:tests?|__tests__|docs?|examples?|bench|benchmarks?|man|coverage|\.\w+)$/i.test(top))
    return false;
  return !notRun.test(name);
}

// Typings, sources that they point to, maps, texts, tests, and modules of the Bare runtime, which Node does not load.
const notRun =
  /^\.|\.(?:[cm]?tsx?|map|flow|md|markdown|html|bare|tsbuildinfo)$|\.(?:test|spec)\.[cm]?js$|^(?:changelog|history|readme|authors|contributors|makefile)(?:\.(?:txt|rst))?$|^tsconfig\b.*\.json$/i;
