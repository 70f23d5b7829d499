import type { EndedRequest } from '../kubernetes/api.ts';
import type { Kind } from '../resources/types.ts';
import type { OnWrite } from '../store/index.ts';
import type { Instruments } from './instruments.ts';

const kinds: Readonly<Record<string, Kind>> = {
  issuers: 'Issuer',
  clusterissuers: 'ClusterIssuer',
  certificates: 'Certificate',
  orders: 'Order',
  secrets: 'Secret',
};

/** Counts requests to an API server; those that write one of our objects or a Secret are writes of the store. */
export function createRequestCounter(instruments: Instruments, onWrite: OnWrite): (request: EndedRequest) => void {
  let made: ReturnType<typeof make> | undefined;
  const make = () => ({
    requests: instruments.counter('zoneproof_kubernetes_requests_total'),
    duration: instruments.histogram('zoneproof_kubernetes_request_duration_seconds'),
  });
  return ({ method, path, status, durationMs }) => {
    // A standalone process has none of these.
    made ??= make();
    const resource = resourceOf(path);
    made.requests.inc({ method, resource, code: status === 0 ? 'none' : String(status) });
    made.duration.observe({ method }, durationMs / 1_000);
    const kind = kinds[resource];
    if (kind !== undefined && method !== 'GET') onWrite({ kind, outcome: outcomeOf(method, status), durationMs });
  };
}

/** `/apis/GROUP/VERSION[/namespaces/NAMESPACE]/RESOURCE[/NAME[/status]]`; group "" is `/api/VERSION`. */
function resourceOf(path: string): string {
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const [first = '', , third] = parts;
  return first === 'namespaces' && third !== undefined ? third : first;
}

/** What is deleted already is as wanted. */
function outcomeOf(method: string, status: number): Parameters<OnWrite>[0]['outcome'] {
  if (status === 409) return 'conflict';
  return (status >= 200 && status < 300) || (status === 404 && method === 'DELETE') ? 'written' : 'failed';
}
