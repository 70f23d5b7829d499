import type { Clock, Timers } from '@zoneproof/core';
import { createLeadership, type Leadership } from '../lease.ts';
import type { LeaseApi } from '../lease-requests.ts';

const durationMs = 15_000;
const random = (length: number) => Buffer.alloc(length);

export interface Candidate {
  readonly leadership: Leadership;
  readonly news: string[];
}

export function candidate(
  server: { readonly api: LeaseApi },
  identity: string,
  time: { readonly clock: Clock; readonly monotonic: Clock; readonly timers: Timers },
): Candidate {
  const news: string[] = [];
  const leadership = createLeadership({
    api: server.api,
    namespace: 'zoneproof',
    name: 'zoneproof',
    identity,
    durationMs,
    random,
    ...time,
    report: (told) => news.push('holder' in told ? `holder ${told.holder}` : told.problem),
  });
  return { leadership, news };
}
