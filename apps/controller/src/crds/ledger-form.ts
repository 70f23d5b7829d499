type Json = Readonly<Record<string, unknown>>;

interface Entry {
  readonly provider: object;
}

interface FoldedEntry {
  readonly block: number;
}

/**
 * The ledger with each provider block once: an Order of 100 names would else carry 100 copies of it, CA bundle
 * included, with each write of its status.
 */
export function withFoldedLedger(status: Json): Json {
  const ledger = status.ledger as readonly Entry[] | undefined;
  if (ledger === undefined) return status;
  const blocks = new Map<string, object>();
  const folded = ledger.map(({ provider, ...entry }) => {
    const text = JSON.stringify(provider);
    if (!blocks.has(text)) blocks.set(text, provider);
    return { ...entry, block: [...blocks.keys()].indexOf(text) };
  });
  return { ...status, ledger: folded, ledgerBlocks: [...blocks.values()] };
}

/** The inverse of {@link withFoldedLedger}. */
export function withUnfoldedLedger({ ledgerBlocks, ...status }: Json): Json {
  const ledger = status.ledger as readonly FoldedEntry[] | undefined;
  if (ledger === undefined) return status;
  const blocks = (ledgerBlocks ?? []) as readonly object[];
  return { ...status, ledger: ledger.map(({ block, ...entry }) => ({ ...entry, provider: blocks[block] })) };
}
