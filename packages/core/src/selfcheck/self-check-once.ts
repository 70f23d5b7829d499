import { DnsNameError, systemTransport, toDnsName } from '@zoneproof/dns';
import { systemClock, systemRandom, systemTimers } from '../time/index.ts';
import { linkedController } from './abort.ts';
import { createSelfCheck, type SelfCheckOptions } from './self-check.ts';
import { systemServers } from './starting-servers.ts';
import type { Evidence, Location, SelfCheck } from './types.ts';

export interface SelfCheckRequest {
  /** Where the values are looked for, `_acme-challenge.www.example.com`; CNAMEs are followed as a CA does. */
  readonly name: string;
  /** The TXT values that have to be there, at least one; others beside them do no harm. */
  readonly values: readonly string[];
  /**
   * How long to wait for them in milliseconds, with a confirmation when all servers have them. Default 0: every server
   * is asked once, and that is the answer. Where nobody but resolvers can be asked, they are asked once they have had the
   * time to forget that there was nothing (a minute at most), and a shorter wait ends without that; with 0 at once, which
   * is right only for values that have been there for as long.
   */
  readonly waitMs?: number;
  /** Called with what is known while it waits, at most every 5 s while the verdict stays. */
  readonly onEvidence?: (evidence: Evidence) => void;
}

export interface SelfCheckResult {
  /** Every reachable authoritative server has every value. */
  readonly visible: boolean;
  readonly location: Location;
  /** What each server said last. `evidence.summary` is one sentence for people. */
  readonly evidence: Evidence;
}

/**
 * One self check from end to end: finds the zone that holds `name` and asks every address of every authoritative
 * server of it. Without options it starts from the servers of /etc/resolv.conf, in real time.
 *
 * @throws RangeError when `values` is empty; DnsNameError for a name that is none; LocateError when no zone can be
 * found; the signal's reason
 */
export async function selfCheck(
  request: SelfCheckRequest,
  options: Partial<SelfCheckOptions> = {},
): Promise<SelfCheckResult> {
  const { name, values, waitMs = 0 } = request;
  if (values.length === 0) throw new RangeError('selfCheck() needs at least one value to look for');
  const wanted = toDnsName(name);
  if (wanted === '') throw new DnsNameError(name, 'it is empty');
  const { controller, unlink } = linkedController(options.signal ?? new AbortController().signal);
  const { signal } = controller;
  const check = createSelfCheck({
    resolvers: systemServers(),
    transport: systemTransport,
    clock: systemClock,
    random: systemRandom,
    ...options,
    signal,
  });
  try {
    const location = await check.locate(wanted, signal);
    const waited =
      waitMs > 0 ? await waitUntilVisible(check, location, { ...request, waitMs }, options, signal) : undefined;
    const evidence = waited ?? notYet(location, request, options) ?? (await check.look(location, values, signal));
    return { visible: evidence.verdict === 'visible', location, evidence };
  } finally {
    unlink();
    controller.abort();
  }
}

/** Resolvers are not asked before their time, since they would remember that there is nothing. */
function notYet(
  { listed, zone, target }: Location,
  { waitMs = 0 }: SelfCheckRequest,
  { clock = systemClock }: Partial<SelfCheckOptions>,
): Evidence | undefined {
  if (listed === undefined || waitMs === 0) return undefined;
  const seconds = Math.ceil(listed.waitMs / 1000);
  const summary =
    `nobody was asked for ${target}: there are only resolvers to ask (${listed.reason}), and that not before ${seconds} s ` +
    'have passed, or they would remember that there is nothing; wait longer';
  return { verdict: 'unreachable', at: clock.now(), zone, target, by: 'resolver', servers: [], summary };
}

/** The last evidence; undefined when the time was over before every server was asked. */
function waitUntilVisible(
  check: SelfCheck,
  location: Location,
  { values, waitMs, onEvidence }: SelfCheckRequest & { readonly waitMs: number },
  { clock = systemClock, timers = systemTimers }: Partial<SelfCheckOptions>,
  signal: AbortSignal,
): Promise<Evidence | undefined> {
  return new Promise((resolve, reject) => {
    const presentedAt = clock.now();
    let last: Evidence | undefined;
    const end = (settle: () => void) => {
      timers.clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal.reason));
    const look = () => {
      const { state, evidence } = check.watch({ key: location.name, location, values, presentedAt, changed: look });
      last = evidence ?? last;
      if (state === 'visible') end(() => resolve(evidence));
      else if (evidence !== undefined) onEvidence?.(evidence);
    };
    const timer = timers.setTimeout(() => end(() => resolve(last)), waitMs);
    signal.addEventListener('abort', abort, { once: true });
    look();
  });
}
