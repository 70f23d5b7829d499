export * as manners from './manners.ts';
export {
  type NetworkOptions,
  onLoopback,
  type ScriptedNetwork,
  type ScriptedResolver,
  scriptedNetwork,
} from './network.ts';
export type { Denial } from './resolver.ts';
export type { Manner, Query, Reply, ScriptedServer } from './server.ts';
export { fastTime } from './time.ts';
export { type RecordLine, type ScriptedZone, scriptedZone, toRecord } from './zone.ts';
