export type { EdgednsConfig } from './config.ts';
export { edgedns as default, edgedns } from './plugin.ts';
