export type { AcmednsConfig } from './config.ts';
export { acmedns as default, acmedns } from './plugin.ts';
