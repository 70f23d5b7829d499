export { listManifestFiles } from './files.ts';
export { type LoadOptions, loadManifests, type ManifestObject } from './load.ts';
export { type ManifestProblem, showProblem } from './problem.ts';
export { SecretContent } from './secret.ts';
