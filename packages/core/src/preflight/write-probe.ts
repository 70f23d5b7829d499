import type { DnsName } from '@zoneproof/dns';
import type { Clock, RandomBytes, Zone } from '../contract/index.ts';
import type { Location, SelfCheck } from '../selfcheck/types.ts';
import { pause, type Timers } from '../time/timers.ts';
import type { BoundProvider, RecordWriter } from '../writer/index.ts';
import { allEnded } from './all-ended.ts';
import type { Verdict } from './finding.ts';

/** Lets a preflight write and remove one value. Its ledger has to outlive the process, so that no value is left behind. */
export interface ProbeWriter {
  readonly writer: RecordWriter;
  /** Who stands in the ledger for the value: `namespace/name`. */
  readonly owner: string;
  /** How long a server may take until it has the value, and again until it has it no more; default 180 000. */
  readonly patienceMs?: number;
}

export interface ProbeInputs {
  readonly selfCheck: Pick<SelfCheck, 'look'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
}

/** Milliseconds until each server had the value, and until it had it no more; undefined: not seen in time. */
export interface ProbeObservation {
  readonly name: DnsName;
  readonly value: string;
  readonly servers: readonly ServerTimes[];
  /** Until the service took the write. */
  readonly writeMs?: number;
  /** Why the value could not be written, or not be removed. */
  readonly writeProblem?: string;
  readonly removeProblem?: string;
  /** The service deletes nothing: a newer value will replace this one. */
  readonly stays: boolean;
  /** The servers were asked whether it is gone. */
  readonly isGoneKnown: boolean;
}

export interface ServerTimes {
  readonly server: string;
  readonly address: string;
  readonly visibleMs?: number;
  readonly goneMs?: number;
  /** It never gave a usable answer. */
  readonly isMute: boolean;
}

/** Writes a value, watches every server until it has it, removes it, and watches until it is gone. */
export async function probe(
  location: Location,
  { provider, zone }: { readonly provider: BoundProvider; readonly zone: Zone },
  { writer, owner, patienceMs = 180_000 }: ProbeWriter,
  inputs: ProbeInputs,
  signal: AbortSignal,
): Promise<ProbeObservation> {
  const { clock, random } = inputs;
  const value = Buffer.from(random(32)).toString('base64url');
  const name = location.target;
  const request = { owner, provider, zone, records: [{ name, value }] };
  const stays = provider.capabilities.model === 'slots';
  const watch = (wanted: boolean, ends: AbortSignal) => watchServers(location, value, wanted, patienceMs, inputs, ends);
  let seen: Pick<ProbeObservation, 'writeMs' | 'writeProblem'> = {};
  let visible: ReadonlyMap<string, ServerTimes> = new Map();
  let gone: ReadonlyMap<string, ServerTimes> = new Map();
  let removeProblem: string | undefined;
  try {
    const startedAt = clock.now();
    const [outcome] = await writer.write({ ...request, state: 'present', signal });
    if (outcome?.status === 'done') {
      seen = { writeMs: clock.now() - startedAt };
      visible = await watch(true, signal);
    } else
      seen = {
        writeProblem: outcome?.status === 'failed' ? outcome.error.message : (outcome?.reason ?? 'it was not written'),
      };
  } finally {
    // Also after Ctrl-C, with a deadline of its own.
    const cleaning = AbortSignal.timeout(removeMs);
    const [outcome] = await writer.write({ ...request, state: 'absent', signal: cleaning });
    if (outcome?.status !== 'done')
      removeProblem = outcome?.status === 'failed' ? outcome.error.message : (outcome?.reason ?? 'it was not removed');
    // A resolver that is asked for what is gone would keep the denial until the next issuance.
    else if (!stays && location.listed === undefined && visible.size > 0 && !signal.aborted)
      gone = await watch(false, signal);
  }
  const servers = [...visible].map(([key, times]): ServerTimes => {
    const goneMs = gone.get(key)?.goneMs;
    return { ...times, ...(goneMs !== undefined && { goneMs }) };
  });
  const isGoneKnown = location.listed === undefined;
  return { name, value, servers, stays, isGoneKnown, ...seen, ...(removeProblem !== undefined && { removeProblem }) };
}

/** What the probe says about the service and its servers. Pure. */
export function judgeProbe(seen: ProbeObservation, patienceMs = 180_000): Verdict {
  const { name, servers, writeProblem, removeProblem, stays, writeMs } = seen;
  const facts = {
    name,
    writeMs: writeMs ?? null,
    stays,
    servers: servers.map(({ server, address, visibleMs, goneMs }) => ({
      server,
      address,
      visibleMs: visibleMs ?? null,
      goneMs: goneMs ?? null,
    })),
  };
  const left =
    removeProblem === undefined
      ? ''
      : `; its removal is not confirmed (${removeProblem}): ${name} TXT "${seen.value}" may have to be removed by hand`;
  if (writeProblem !== undefined) return { result: 'failed', detail: `${writeProblem}${left}`, facts };
  const late = servers.filter(({ visibleMs, isMute }) => visibleMs === undefined && !isMute);
  if (late.length > 0)
    return {
      result: 'failed',
      detail: `the probe value did not reach ${late.map(({ server, address }) => `${server} ${address}`).join(', ')} within ${patienceMs / 1000} s${left}; see whether that server gets zone transfers, or serves another copy of the zone`,
      facts,
    };
  const times = servers.flatMap(({ visibleMs }) => (visibleMs === undefined ? [] : [visibleMs]));
  if (times.length === 0)
    return {
      result: 'unknown',
      detail: `the probe value was written, and no server could be asked for it${left}`,
      facts,
    };
  const count = `${times.length} ${times.length === 1 ? 'server' : 'servers'}`;
  const took = `the probe value at ${name} was written in ${seconds(writeMs ?? 0)} and was at ${count} after ${seconds(Math.max(...times))}`;
  if (removeProblem !== undefined) return { result: 'warning', detail: `${took}${left}`, facts };
  if (stays) return { result: 'ok', detail: `${took}; it stays until a newer one replaces it`, facts };
  if (!seen.isGoneKnown)
    return { result: 'ok', detail: `${took}; removed again, and resolvers are not asked for what is gone`, facts };
  const lasting = servers.filter(({ goneMs, visibleMs }) => goneMs === undefined && visibleMs !== undefined);
  if (lasting.length > 0)
    return {
      result: 'warning',
      detail: `${took}; ${lasting.map(({ server }) => server).join(', ')} still had it ${patienceMs / 1000} s after its removal`,
      facts,
    };
  const left2 = servers.flatMap(({ goneMs }) => (goneMs === undefined ? [] : [goneMs]));
  return {
    result: 'ok',
    detail: `${took}; removed again, and gone everywhere after ${seconds(Math.max(...left2))}`,
    facts,
  };
}

const removeMs = 60_000;
const everyMs = 1_000;

/** Each server by itself, since one that is silent takes seconds for each question. */
async function watchServers(
  location: Location,
  value: string,
  wanted: boolean,
  patienceMs: number,
  { selfCheck, clock, timers }: ProbeInputs,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServerTimes>> {
  const startedAt = clock.now();
  const times = new Map<string, ServerTimes>();
  const { listed } = location;

  const timeOf = ({ visibleMs, goneMs }: ServerTimes) => (wanted ? visibleMs : goneMs);
  /** Whoever speaks has told what was wanted; nobody waits for the silent ones alone. */
  function isOver(): boolean {
    const speaking = [...times.values()].filter(({ isMute }) => !isMute);
    return speaking.length > 0 && speaking.every((one) => timeOf(one) !== undefined);
  }

  async function follow(part: Location): Promise<void> {
    if (listed !== undefined) await pause(timers, listed.waitMs, signal);
    for (let looks = 1; ; looks++) {
      signal.throwIfAborted();
      const { servers } = await selfCheck.look(part, [value], signal);
      const elapsed = clock.now() - startedAt;
      for (const { server, address, finding } of servers) {
        const key = `${server} ${address}`;
        const before: ServerTimes = times.get(key) ?? { server, address, isMute: true };
        const isMute = before.isMute && (finding === 'lame' || finding === 'unreachable');
        const isThere = finding === 'has' ? wanted : finding === 'lacks' && !wanted;
        const isNew = isThere && timeOf(before) === undefined;
        times.set(key, { ...before, isMute, ...(isNew && (wanted ? { visibleMs: elapsed } : { goneMs: elapsed })) });
      }
      const own = servers.map(({ server, address }) => times.get(`${server} ${address}`));
      if (own.every((one) => one !== undefined && timeOf(one) !== undefined)) return;
      if (own.every((one) => one?.isMute) && isOver()) return;
      if (clock.now() - startedAt >= patienceMs) return;
      // What a resolver did not find it goes on not finding for a while.
      await pause(timers, listed === undefined ? everyMs : Math.min(60_000, 10_000 * looks), signal);
    }
  }

  const parts =
    listed === undefined
      ? location.servers.map((server): Location => ({ ...location, servers: [server], unresolved: [] }))
      : [location];
  await allEnded(parts.map(follow));
  return times;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
