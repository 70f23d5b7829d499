export type { Limits } from './changes.ts';
export type { AuthorizedUser, ServiceAccountKey } from './identities.ts';
export { type GoogleCloudDns, type GoogleCloudDnsOptions, startGoogleCloudDns } from './server.ts';
export type { ManagedZoneSpec, ResourceRecordSet } from './zones.ts';
