import { freePort } from '../ports.ts';
import { type RunningServer, startServer } from '../process.ts';
import { tool } from '../tools.ts';

export interface Etcd extends RunningServer {
  readonly url: string;
  /** Throws away all revisions but the newest. */
  compact(): Promise<void>;
}

/** An etcd of one member that keeps its data only as long as it runs. */
export async function startEtcd(): Promise<Etcd> {
  let url = '';
  const server = await startServer('etcd', async (directory) => {
    url = `http://127.0.0.1:${await freePort()}`;
    const peerUrl = `http://127.0.0.1:${await freePort()}`;
    return {
      command: tool('etcd'),
      args: [
        ...['--data-dir', directory, '--unsafe-no-fsync', '--log-level', 'warn'],
        ...['--listen-client-urls', url, '--advertise-client-urls', url],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
        ...['--initial-cluster', `default=${peerUrl}`],
      ],
      readyWithinMs: 60_000,
      ready: () => call(url, '/v3/maintenance/status', {}),
    };
  });
  return { ...server, url, compact: () => compact(url) };
}

async function compact(url: string): Promise<void> {
  const answer = (await call(url, '/v3/kv/range', { key: 'AA==', limit: '1' })) as {
    readonly header: { readonly revision: string };
  };
  await call(url, '/v3/kv/compaction', { revision: answer.header.revision, physical: true });
}

/** etcd's gateway from HTTP and JSON to gRPC. */
async function call(url: string, path: string, body: object): Promise<unknown> {
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), signal });
  const text = await answer.text();
  // A second compaction at the same revision has nothing to do.
  if (answer.ok || text.includes('has been compacted')) return JSON.parse(text);
  throw new Error(`etcd answered ${answer.status} to ${path}: ${text.slice(0, 500)}`);
}
