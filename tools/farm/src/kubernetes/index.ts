export type { AuditEntry } from './audit.ts';
export { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
export type { Faults, ProxiedRequest, RequestMatch } from './faults.ts';
export type { ClusterUser } from './users.ts';
