export type { EdgeGridClient } from './edgegrid.ts';
export { type AkamaiEdgeDnsEmulator, type AkamaiEdgeDnsOptions, startAkamaiEdgeDns } from './server.ts';
export type { ActivationState, RecordSet, StagedEdit } from './zone.ts';
