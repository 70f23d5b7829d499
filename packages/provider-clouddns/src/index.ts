export type { ClouddnsConfig } from './config.ts';
export { clouddns as default, clouddns } from './plugin.ts';
