export { type BoundProvider, bindProvider, namespaceOf, providerTitle } from './bound-provider.ts';
export type { Ledger, LedgerEntry, ProviderBlock } from './ledger.ts';
export { createLimiter, type Limiter } from './limiter.ts';
export { MemoryLedger } from './memory-ledger.ts';
export {
  type AccountLimits,
  type CallLimits,
  createProviderCalls,
  type EndedCall,
  type ProviderCalls,
  type ProviderOperation,
} from './provider-calls.ts';
export { createRecordWriter, type RecordWriterOptions } from './record-writer.ts';
export type { RecordWriter, WriteOutcome, WriteRequest, WriterEvent } from './writer.ts';
