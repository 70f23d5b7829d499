export type { Ledger, LedgerEntry, ProviderBlock } from './ledger.ts';
