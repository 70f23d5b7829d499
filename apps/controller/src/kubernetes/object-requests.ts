import { orderJson, readObject, resourcePath } from '../crds/api-form.ts';
import { apiVersion, type ObjectKey, type OrderSpec } from '../resources/index.ts';
import type { NewMeta, WithStatus } from '../store/store.ts';
import type { KubeApi, KubeRequest } from './api.ts';
import type { CachedObject } from './object-cache.ts';

/** Who we are in `managedFields`. */
export const fieldManager = 'zoneproof';

export interface ObjectRequestsOptions {
  readonly api: KubeApi;
  readonly signal: AbortSignal;
  /** Throws when this process may not write any more. */
  readonly beforeWrite: (() => void) | undefined;
}

/** The requests for objects of our kinds; each is sent once in effect and throws KubeApiError. */
export class ObjectRequests {
  readonly #options: ObjectRequestsOptions;

  constructor(options: ObjectRequestsOptions) {
    this.#options = options;
  }

  async read(key: ObjectKey): Promise<CachedObject> {
    const kind = key.kind as WithStatus;
    const { api, signal } = this.#options;
    return readObject(kind, await api.request({ method: 'GET', path: pathOfObject(key), signal }));
  }

  async createOrder(meta: NewMeta, spec: OrderSpec): Promise<CachedObject> {
    const body = orderJson(meta, spec);
    return readObject(
      'Order',
      await this.#write({ method: 'POST', path: resourcePath('Order', meta.namespace), body }),
    );
  }

  /** Replaces the status of exactly this version. */
  async replaceStatus({ kind, metadata }: CachedObject, status: object): Promise<CachedObject> {
    const { namespace, name, uid, resourceVersion } = metadata;
    const body = {
      apiVersion,
      kind,
      metadata: { ...(namespace === '' ? {} : { namespace }), name, uid, resourceVersion },
      status,
    };
    const path = `${pathOfObject({ kind, namespace, name })}/status`;
    return readObject(kind, await this.#write({ method: 'PUT', path, body }));
  }

  /** Replaces the finalizers of exactly this version. */
  async replaceFinalizers({ kind, metadata }: CachedObject, finalizers: readonly string[]): Promise<CachedObject> {
    const { namespace, name, uid, resourceVersion } = metadata;
    const answer = await this.#write({
      method: 'PATCH',
      path: pathOfObject({ kind, namespace, name }),
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid, resourceVersion, finalizers } },
    });
    return readObject(kind, answer);
  }

  /** @returns the object as it waits for its finalizers; undefined when it is gone */
  async delete({ kind, metadata }: CachedObject): Promise<CachedObject | undefined> {
    const { namespace, name, uid } = metadata;
    const answer = await this.#write(
      {
        method: 'DELETE',
        path: pathOfObject({ kind, namespace, name }),
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid },
          propagationPolicy: 'Background',
        },
      },
      false,
    );
    return (answer as { readonly kind?: string }).kind === kind ? readObject(kind, answer) : undefined;
  }

  #write(request: KubeRequest, isManaged = true): Promise<unknown> {
    const { api, signal, beforeWrite } = this.#options;
    return api.request({
      ...request,
      signal,
      ...(isManaged ? { query: { fieldManager } } : {}),
      ...(beforeWrite === undefined ? {} : { beforeSend: beforeWrite }),
    });
  }
}

function pathOfObject({ kind, namespace, name }: ObjectKey): string {
  return resourcePath(kind as WithStatus, namespace, name);
}
