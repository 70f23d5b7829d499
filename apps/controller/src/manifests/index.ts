export { listManifestFiles } from './files.ts';
export { checkManifests, type LoadOptions, loadManifests, type ManifestObject, type ManifestText } from './load.ts';
export { type ManifestProblem, showProblem } from './problem.ts';
export { SecretContent } from './secret.ts';
