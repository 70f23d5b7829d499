const defaultPageSize = 25;

/** https://techdocs.akamai.com/edge-dns/reference/use-pagination */
export function page<T>(
  all: readonly T[],
  query: URLSearchParams,
): { readonly metadata: Readonly<Record<string, number | boolean>>; readonly items: readonly T[] } {
  const totalElements = all.length;
  if (query.get('showAll') === 'true') return { metadata: { showAll: true, totalElements }, items: all };
  const number = Math.max(1, Number(query.get('page') ?? 1));
  const pageSize = Math.max(1, Number(query.get('pageSize') ?? defaultPageSize));
  const items = all.slice((number - 1) * pageSize, number * pageSize);
  return { metadata: { page: number, pageSize, showAll: false, totalElements }, items };
}

/** `types=PRIMARY,alias`: one or more, in any case. */
export function isOfTypes(type: string, query: URLSearchParams): boolean {
  const types = query.get('types');
  return types === null || types.toUpperCase().split(',').includes(type);
}
