export type { FastdnsConfig } from './config.ts';
export { fastdns as default, fastdns } from './plugin.ts';
