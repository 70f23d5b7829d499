import type { KubeApi } from '../api.ts';
import { type LeaseObject, newLease, readLease } from './lease-object.ts';

/** What is needed of a connection to the API server. */
export type LeaseApi = Pick<KubeApi, 'request'>;

/** One Lease at the API server. Every request is sent once: who repeats it has to look at the time first. */
export interface LeaseRequests {
  read(signal: AbortSignal): Promise<LeaseObject | 'absent'>;
  create(change: (lease: LeaseObject) => LeaseObject, signal: AbortSignal): Promise<LeaseObject>;
  /** Only if it is still the one that was read (resourceVersion). */
  update(lease: LeaseObject, signal: AbortSignal, beforeSend?: () => void): Promise<LeaseObject>;
}

export function leaseRequests(api: LeaseApi, namespace: string, name: string, timeoutMs: number): LeaseRequests {
  const all = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const one = `${all}/${encodeURIComponent(name)}`;
  return {
    async read(signal) {
      try {
        return readLease(await api.request({ method: 'GET', path: one, signal, timeoutMs, retry: false }));
      } catch (error) {
        if (statusOf(error) === 404) return 'absent';
        throw error;
      }
    },
    async create(change, signal) {
      const body = change(newLease(namespace, name));
      return readLease(await api.request({ method: 'POST', path: all, body, signal, timeoutMs, retry: false }));
    },
    async update(body, signal, beforeSend = () => undefined) {
      const request = { method: 'PUT', path: one, body, signal, timeoutMs, retry: false, beforeSend } as const;
      return readLease(await api.request(request));
    },
  };
}

/** The HTTP status that the API server answered with; undefined when no answer came. */
export function statusOf(error: unknown): number | undefined {
  const { status } = error as { readonly status?: unknown };
  return typeof status === 'number' ? status : undefined;
}
