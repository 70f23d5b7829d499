export type { Fault, FaultEffect } from './faults.ts';
export type { EmulatedZones, PublishedTxt } from './published.ts';
export type { ApiAnswer, ApiRequest, SeenRequest } from './request.ts';
export { type EmulatedApi, type EmulatorServer, startEmulatorServer } from './server.ts';
