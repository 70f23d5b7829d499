/** One page of a list. */
export interface PageOf<T> {
  readonly result: readonly T[];
  readonly result_info: object;
}

const pagesAtOnce = 4; // one after the other, 5,000 zones would take the 30 s of a call

/**
 * The SDK's own iterator asks for one page more, an empty one, and for each after the other.
 *
 * Undefined when the pages make no whole: what comes or goes meanwhile moves others from page to page, so that one is
 * given twice and another not at all.
 */
export async function everyPage<T extends { readonly id?: unknown }>(
  perPage: number,
  read: (page: { readonly page: number; readonly per_page: number }) => Promise<PageOf<T>>,
): Promise<readonly T[] | undefined> {
  const rows: T[] = [];
  const totals = new Set<unknown>();
  for (let next = 1, last = 1; next <= last; ) {
    const numbers = Array.from({ length: Math.min(pagesAtOnce, last - next + 1) }, (_, at) => next + at);
    const pages = await Promise.all(numbers.map((page) => read({ page, per_page: perPage })));
    for (const { result, result_info } of pages) {
      rows.push(...result);
      totals.add((result_info as { readonly total_count?: unknown }).total_count);
    }
    next += pages.length;
    last = lastPage(pages.at(-1) as PageOf<T>, next, perPage);
  }
  const ids = rows.flatMap((row) => row?.id ?? []);
  return totals.size === 1 && new Set(ids).size === ids.length ? rows : undefined;
}

/** The number of the last page; without `total_pages` a full page is followed by another. An empty one ends all. */
function lastPage({ result, result_info }: PageOf<unknown>, next: number, perPage: number): number {
  const { total_pages: pages } = result_info as { readonly total_pages?: unknown };
  if (result.length === 0) return 0;
  if (typeof pages === 'number') return pages;
  return result.length >= perPage ? next : 0;
}
