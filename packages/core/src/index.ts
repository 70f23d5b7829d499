export * from './contract/index.ts';
export * from './egress/index.ts';
export * from './preflight/index.ts';
export * from './registry/index.ts';
export * from './requests/index.ts';
export * from './selfcheck/index.ts';
export * from './sync/index.ts';
export {
  onAbort,
  pause,
  randomShare,
  systemClock,
  systemRandom,
  systemTimers,
  type TimerHandle,
  type Timers,
} from './time/index.ts';
export * from './writer/index.ts';
export * from './zones/index.ts';
