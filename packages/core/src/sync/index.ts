export { createSyncSignal, type SyncLook, type SyncSignal, type SyncSignalOptions } from './sync-signal.ts';
