import { Agent, request } from 'node:https';
import type { Cluster } from '@zoneproof/farm';
import { parseAllDocuments } from 'yaml';
import { resourcePath } from '../api-form.ts';
import { pluralOf } from '../kinds.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata?: { readonly namespace?: string };
}

/**
 * What the API server says of each object of ours in a YAML text, as to `kubectl apply --dry-run=server`: nothing of
 * those that it takes.
 */
export async function refusals(cluster: Cluster, text: string): Promise<readonly string[]> {
  const objects = parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Manifest);
  const told: string[] = [];
  for (const object of objects) {
    const kind = Object.keys(pluralOf).find((one) => one === object.kind) as keyof typeof pluralOf | undefined;
    if (kind === undefined) continue;
    // Only the namespace default is there, and it makes no difference to what is looked at.
    const { namespace: _any, ...metadata } = object.metadata ?? {};
    const path = `${resourcePath(kind, 'default')}?dryRun=All&fieldValidation=Strict`;
    const { code, body } = await send(cluster, 'POST', path, { ...object, metadata });
    if (code >= 400) told.push(body.message ?? `HTTP ${code}`);
  }
  return told;
}

// Idle connections keep no process.
const agent = new Agent({ keepAlive: true });

interface Answer {
  readonly code: number;
  readonly body: { readonly message?: string };
}

/** One request as the admin, with a JSON body. */
export function send(cluster: Cluster, method: 'POST' | 'PATCH', path: string, body: object): Promise<Answer> {
  const { url, rootPem, adminToken } = cluster;
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const options = { method, ca: rootPem, timeout: 10_000, agent } as const;
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': type };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { ...options, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('timeout', () => sent.destroy(new Error('the API server does not answer')));
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}
