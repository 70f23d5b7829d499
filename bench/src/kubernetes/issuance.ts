import type { AuditEntry } from '@zoneproof/farm';
import { type ClusterWorld, kubectl } from './cluster-world.ts';
import { pause, startControllerProcess } from './controller-process.ts';
import { certificateObject, certificatesPath } from './objects.ts';

/** What a number of certificates costs on an API server, from `kubectl apply` until all are Ready. */
export interface IssuanceFigures {
  readonly certificates: number;
  readonly wallMs: number;
  readonly cpuMsPerCertificate: number;
  readonly rssMiB: number;
  /** Writes of each kind per certificate, the apply and deletions by the garbage collector among them. */
  readonly writes: readonly { readonly what: string; readonly perCertificate: number }[];
}

const timeoutMs = 600_000;

/** The controller runs and has its account before the clock starts. */
export async function measureIssuance(world: ClusterWorld, certificates: number): Promise<IssuanceFigures> {
  const { cluster, servers, kubeconfig, admin } = world;
  const prefix = `c${certificates}`;
  const controller = await startControllerProcess(kubeconfig, servers);
  try {
    await kubectl(cluster, ['wait', '--for', 'condition=Ready', 'clusterissuer/bench', '--timeout', '60s']);
    const items = Array.from({ length: certificates }, (_, i) =>
      certificateObject(`${prefix}-${i}`, [`${prefix}-${i}.${servers.zone}`]),
    );
    const before = { cpuMs: await controller.cpuMs(), entries: (await cluster.audit()).length };
    const startedAt = performance.now();
    await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    while ((await readyOf(admin, prefix)) < certificates) {
      if (performance.now() - startedAt > timeoutMs)
        throw new Error(`${await readyOf(admin, prefix)} of ${certificates} certificates after ${timeoutMs / 1000} s`);
      controller.assertRunning();
      await pause(100);
    }
    const wallMs = performance.now() - startedAt;
    const rssMiB = await controller.rssMiB();
    const entries = await settled(cluster, before.entries);
    const cpuMs = (await controller.cpuMs()) - before.cpuMs;
    return {
      certificates,
      wallMs,
      cpuMsPerCertificate: cpuMs / certificates,
      rssMiB,
      writes: writesOf(entries, certificates),
    };
  } finally {
    await controller.stop();
  }
}

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

export async function readyOf(admin: ClusterWorld['admin'], prefix: string): Promise<number> {
  const { items } = await admin.send<Listed>('GET', certificatesPath);
  const isReady = ({ status }: Listed['items'][number]) =>
    status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  return items.filter((item) => item.metadata.name.startsWith(`${prefix}-`) && isReady(item)).length;
}

/** All that was written, cleaning up included. News of an Order may be held for 10 s before they are written. */
async function settled({ audit }: ClusterWorld['cluster'], from: number): Promise<readonly AuditEntry[]> {
  for (let before = -1; ; ) {
    const entries = (await audit()).slice(from).filter(isWrite);
    if (entries.length === before) return entries;
    before = entries.length;
    await pause(12_000);
  }
}

function isWrite({ verb, resource }: AuditEntry): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
}

function writesOf(entries: readonly AuditEntry[], certificates: number): IssuanceFigures['writes'] {
  const counts = new Map<string, number>();
  for (const { verb, resource, subresource, user, userAgent, status } of entries) {
    const by = userAgent.startsWith('zoneproof/') ? '' : ` (${user.split(':').at(-1)})`;
    const what = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${by}${status < 400 ? '' : `, answered ${status}`}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts]
    .map(([what, count]) => ({ what, perCertificate: count / certificates }))
    .sort((a, b) => b.perCertificate - a.perCertificate || a.what.localeCompare(b.what));
}
