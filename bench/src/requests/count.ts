import type { ProviderPlugin, RecordTarget, WriteOutcome } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { FastTime, WritingHost } from '@zoneproof/provider-testkit';
import type { CountedService, Purpose, RunningService } from './services.ts';

/** Requests by what they were for. */
export type Counts = Readonly<Record<Purpose, number>>;

export interface RequestCount {
  /** Until all values stand and are said to be published. */
  readonly create: Counts;
  /** Until none is left; undefined when that was not asked for. */
  readonly remove: Counts | undefined;
}

/** Each challenge has a name of its own; they are spread over the zones. */
export interface Load {
  readonly challenges: number;
  readonly zones: number;
  readonly remove: boolean;
}

/** How much faster than the world the rate limits pass. */
const pace = 10;

/**
 * Writes values for challenges that come at the same time, through zone finder, record writer, provider and sync signal
 * as a controller does, takes them away again, and counts what arrives at the service.
 */
export async function countRequests(
  service: CountedService,
  plugin: ProviderPlugin,
  load: Load,
): Promise<RequestCount> {
  const zones = Array.from({ length: load.zones }, (_, at) => `zone${at}.example.test`);
  const running = await service.start(zones);
  const time = new FastTime(pace);
  const clock = { now: () => Date.now() };
  const host = new WritingHost('bench', { fixture: running, plugin, time, clock }, () => undefined);
  try {
    const targets = Array.from({ length: load.challenges }, (_, at) =>
      targetIn(zones[at % zones.length] as string, at),
    );
    const write = (state: 'present' | 'absent') =>
      Promise.all(targets.map((target, at) => writeOne(host, time, target, state, at)));
    await Promise.all((await write('present')).map((outcome) => published(host, time, outcome)));
    const create = countsSince(service, running, 0);
    if (!load.remove) return { create, remove: undefined };
    const before = running.seen.length;
    await write('absent');
    return { create, remove: countsSince(service, running, before) };
  } finally {
    await host.close();
    await running.close();
  }
}

/** As an order does: a write that was put off is asked for again at its time. */
async function writeOne(
  host: WritingHost,
  time: FastTime,
  target: RecordTarget,
  state: 'present' | 'absent',
  at: number,
): Promise<WriteOutcome> {
  const { writer, bound, signal, zoneOf } = await host.life();
  const zone = await zoneOf(target);
  const value = Buffer.from(`challenge ${at}`.padEnd(32)).toString('base64url');
  const records = [{ name: target.name, value }];
  const request = { owner: `bench/order-${at}`, provider: bound, zone, state, records, signal };
  for (;;) {
    const [outcome] = await writer.write(request);
    if (outcome?.status === 'done') return outcome;
    if (outcome?.status !== 'failed') throw new Error(`${target.name}: ${outcome?.status}`);
    if (outcome.error.kind !== 'rate-limited' || outcome.retryAt === undefined) throw outcome.error;
    await time.wait(outcome.retryAt - time.now());
  }
}

async function published(host: WritingHost, time: FastTime, outcome: WriteOutcome): Promise<void> {
  if (outcome.status !== 'done' || outcome.receipt === undefined) return;
  const { look } = await host.life();
  for (;;) {
    const seen = await look(outcome.receipt);
    if (seen.state !== 'pending') return;
    await time.wait(Math.max(1, seen.nextLookAt - time.now()));
  }
}

function targetIn(zone: string, at: number): RecordTarget {
  const domain = toDnsName(`host${at}.${zone}`);
  const challengeName = toDnsName(`_acme-challenge.${domain}`);
  return { domain, challengeName, name: challengeName };
}

function countsSince({ purposeOf }: CountedService, { seen }: RunningService, from: number): Counts {
  const counts: Record<Purpose, number> = { listing: 0, read: 0, write: 0, sync: 0, token: 0 };
  for (const { action } of seen.slice(from)) counts[purposeOf(action)]++;
  return counts;
}
