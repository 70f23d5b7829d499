import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { systemClock, systemRandom, systemTimers } from '@zoneproof/core';
import { createLeadership } from '../../kubernetes/lease/index.ts';
import type { World } from './world.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/zoneproof/leases';

/** Leads with the Lease as it is named in the shipped Roles, and gives it back. */
export async function lead({ me, admin }: World, which: 'first' | 'again'): Promise<void> {
  await admin.request({ method: 'DELETE', path: `${leases}/zoneproof` }).catch(() => {});
  if (which === 'again') {
    const metadata = { namespace: 'zoneproof', name: 'zoneproof' };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: {} };
    await admin.request({ method: 'POST', path: leases, body });
  }
  const ended = new AbortController();
  const leadership = createLeadership({
    api: me,
    namespace: 'zoneproof',
    name: 'zoneproof',
    identity: randomUUID(),
    durationMs: 15_000,
    clock: systemClock,
    monotonic: { now: () => performance.now() },
    timers: systemTimers,
    random: systemRandom,
    report: (news) => 'problem' in news && ended.abort(new Error(news.problem)),
  });
  await leadership.acquired(ended.signal);
  await leadership.release();
  ended.signal.throwIfAborted();
}
