export type { Rfc2136Config } from './config.ts';
export { rfc2136 as default, rfc2136 } from './plugin.ts';
