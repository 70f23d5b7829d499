export type { SyncRule } from './changes.ts';
export { type Route53Emulator, type Route53Options, startRoute53 } from './emulator.ts';
export type { NewHostedZone } from './hosted-zones.ts';
export type { Role } from './identities.ts';
export { type AccessPolicy, readingPolicy, writingPolicy } from './policy.ts';
export type { RecordSet } from './record-set.ts';
export { documentedChangeBatchRefusal } from './refusal.ts';
export type { ArrangedRefusal } from './service.ts';
