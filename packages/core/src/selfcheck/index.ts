export {
  type LookupHost,
  type NameserverEntry,
  NameserverListError,
  parseNameserverList,
  resolveNameservers,
} from './nameserver-list.ts';
export { parseResolvConf, type ResolvConf, readResolvConf } from './resolv-conf.ts';
export { nextLookAt } from './schedule.ts';
export { createSelfCheck, type SelfCheckOptions } from './self-check.ts';
export { type SelfCheckRequest, type SelfCheckResult, selfCheck } from './self-check-once.ts';
export { listedServers, type StartingServers, systemServers } from './starting-servers.ts';
export type * from './types.ts';
export { LocateError, SilentZoneError, selfCheckModes } from './types.ts';
