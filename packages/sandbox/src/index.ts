export type { AcmeDnsAccount } from './acmedns/accounts.ts';
export type { AcmeDnsFault } from './acmedns/api.ts';
export { type AcmeDnsOptions, type SandboxAcmeDns, startAcmeDns } from './acmedns/server.ts';
export type { Fault, FaultPoint, Faults } from './ca/faults.ts';
export type { ProblemType } from './ca/problem.ts';
export { type CaOptions, type SandboxCa, startAcmeCa } from './ca/server.ts';
export type { CaCounts, CaSettings, IssuedCertificate } from './ca/state.ts';
export type { ValidationDns } from './ca/validate.ts';
export { type ResolverOptions, type SandboxResolver, startResolver } from './dns/resolver.ts';
export {
  type DnsEndpoint,
  type DnsServerOptions,
  type QueryEntry,
  type SandboxDns,
  startDnsServer,
  type UpdateEntry,
  type ZoneOptions,
} from './dns/server.ts';
export type { PlainRecord } from './dns/zone-data.ts';
export type { Clock, RandomBytes } from './inputs.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
