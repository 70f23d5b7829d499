export { type Bind, type BindZone, type NameServer, type NameServerOptions, startBind } from './bind.ts';
export { createRandom, type FuzzOptions, fuzz, fuzzSeconds, heapUsed, type Random } from './fuzz.ts';
export { fuzzProvider, hostileJson, hostileText } from './hostile/index.ts';
export { startKnot } from './knot.ts';
export * from './kubernetes/index.ts';
export { type Moto, startMoto } from './moto.ts';
export { type Pebble, type PebbleOptions, startPebble } from './pebble.ts';
export { freePort } from './ports.ts';
export { startPowerdns } from './powerdns.ts';
export { type RunningServer, type ServerPlan, startServer } from './process.ts';
export {
  type SignedZone,
  type SigningAlgorithm,
  type SignOptions,
  signingAlgorithms,
  signZone,
} from './signed-zone.ts';
export { createLocalhostTls, type LocalhostTls } from './tls.ts';
export {
  describeReal,
  findTool,
  helmVersion,
  kubernetesVersion,
  motoVersion,
  pebbleVersion,
  type RealServer,
  requireReal,
  tool,
} from './tools.ts';
export { algorithmWord, type FarmZone, newTsigKey, secretBase64, zoneFile } from './zone-file.ts';
