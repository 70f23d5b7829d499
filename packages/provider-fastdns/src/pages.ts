/** One page of a list, from page 1 on. */
export interface Page<T> {
  /** What of it can be used. */
  readonly items: readonly T[];
  /** How many there are on it. */
  readonly length: number;
  /** On all pages, where the API tells it. */
  readonly total: number | undefined;
}

/**
 * All pages, or those up to the one that `isEnough`. Undefined when they make no whole: what comes or goes meanwhile
 * moves others from page to page, so that one is given twice and another not at all.
 */
export async function everyPage<T>(
  read: (page: number) => Promise<Page<T>>,
  keyOf: (item: T) => string,
  isEnough: (found: ReadonlyMap<string, T>) => boolean = () => false,
): Promise<readonly T[] | undefined> {
  const found = new Map<string, T>();
  const totals = new Set<number | undefined>();
  for (let page = 1, seen = 0; ; page++) {
    const { items, length, total } = await read(page);
    const before = found.size;
    for (const item of items) found.set(keyOf(item), item);
    totals.add(total);
    if (found.size - before < items.length || totals.size > 1) return undefined;
    seen += length;
    if (length === 0 || seen >= (total ?? Number.POSITIVE_INFINITY) || isEnough(found)) return [...found.values()];
  }
}
