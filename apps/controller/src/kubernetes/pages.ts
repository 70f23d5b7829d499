import type { KubeApi } from './api.ts';

const pageSize = '500';

/** A collection as it was at one moment, page by page. @throws KubeApiError */
export async function* pagesOf(api: KubeApi, path: string, signal: AbortSignal): AsyncGenerator<ListPage> {
  let next = '';
  do {
    const query = { limit: pageSize, ...(next !== '' && { continue: next }) };
    const page = (await api.request({ method: 'GET', path, query, signal })) as ListPage;
    yield page;
    next = page.metadata?.continue ?? '';
  } while (next !== '');
}

export interface ListPage {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly unknown[];
}
