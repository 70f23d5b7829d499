import { Agent, request } from 'node:https';
import type { Cluster } from '@zoneproof/farm';

/** Requests of an administrator, JSON both ways. */
export interface AdminApi {
  send<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T>;
  close(): void;
}

/** PATCH is server-side apply. */
export function adminApi({ url, rootPem, adminToken }: Cluster): AdminApi {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca: rootPem });
  return {
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${adminToken}`,
          'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
        };
        const query = method === 'PATCH' ? '?fieldManager=person&force=true' : '';
        const sent = request(`${url}${path}${query}`, { method, agent, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            if ((answer.statusCode ?? 0) < 300) resolve(JSON.parse(text));
            else reject(new Error(`${method} ${path} was answered ${answer.statusCode}: ${text.slice(0, 500)}`));
          });
        });
        sent.on('error', reject);
        sent.end(body && JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}

/** Runs `work` for 0 ... count-1, `atOnce` at a time. */
export async function forEachIndex(count: number, atOnce: number, work: (index: number) => Promise<unknown>) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}
