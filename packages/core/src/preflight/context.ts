import type { DnsName, DnsTransport } from '@zoneproof/dns';
import { rootTrustAnchors } from '@zoneproof/dns';
import type { Clock, RandomBytes } from '../contract/index.ts';
import { linkedController, untilAborted } from '../selfcheck/abort.ts';
import { createAsk } from '../selfcheck/ask.ts';
import { createGate } from '../selfcheck/gate.ts';
import { listResolvers } from '../selfcheck/resolvers.ts';
import { createSelfCheck } from '../selfcheck/self-check.ts';
import type { StartingServers } from '../selfcheck/starting-servers.ts';
import type { SelfCheck } from '../selfcheck/types.ts';
import { systemTimers, type Timers } from '../time/timers.ts';
import { type AskServer, createAskServer } from './ask-server.ts';
import { type CheckId, type Finding, finding, type Subject, type Verdict } from './finding.ts';
import type { TrustAnchor } from './observe-trust.ts';
import { createZoneCuts, type ZoneCuts } from './zone-cuts.ts';

export interface PreflightOptions {
  /** As for the self check; a resolver that validates is also asked what it thinks of the zone's DNSSEC. */
  readonly resolvers: StartingServers;
  readonly transport: DnsTransport;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timers?: Timers;
  /** One to share zones with; default: one of its own. */
  readonly selfCheck?: SelfCheck;
  /** Default: the keys of the root zone. */
  readonly trustAnchors?: readonly TrustAnchor[];
  /** One try of one question, default 2000. */
  readonly tryTimeoutMs?: number;
  /** Each check, default 30 000; a probe has its own patience. */
  readonly checkTimeoutMs?: number;
  /** Called with each finding as it is made. */
  readonly onFinding?: (finding: Finding) => void;
}

/** What all checks of a preflight work with. */
export interface CheckContext {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timers: Timers;
  readonly transport: DnsTransport;
  readonly resolvers: StartingServers;
  readonly trustAnchors: readonly TrustAnchor[];
  readonly tryTimeoutMs: number;
  readonly checkTimeoutMs: number;
  readonly selfCheck: SelfCheck;
  readonly ask: AskServer;
  readonly cuts: ZoneCuts;
  /** Makes a finding and reports it. */
  tell(id: CheckId, about: Subject, verdict: Verdict): Finding;
  /** Runs one check for a bounded time, `checkTimeoutMs` unless said. What comes too late or breaks is told to `otherwise`, and the others go on. */
  within<T>(
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    otherwise: (problem: string, error: unknown) => T,
    timeoutMs?: number,
  ): Promise<T>;
}

export function createCheckContext(options: PreflightOptions): CheckContext {
  const { transport, clock, random, timers = systemTimers, tryTimeoutMs = 2000, checkTimeoutMs = 30_000 } = options;
  const resolverAsk = createAsk({ transport, random, tryTimeoutMs });
  const resolverGate = createGate(resolverQuestionsAtOnce);
  return {
    clock,
    random,
    timers,
    transport,
    resolvers: options.resolvers,
    trustAnchors: options.trustAnchors ?? [{ zone: '' as DnsName, ds: rootTrustAnchors }],
    tryTimeoutMs,
    checkTimeoutMs,
    selfCheck: options.selfCheck ?? createSelfCheck(options),
    ask: createAskServer({ transport, random, tryTimeoutMs }),
    cuts: createZoneCuts(() => listResolvers(options.resolvers, resolverAsk, resolverGate, hedgeMs), clock),
    tell(id, about, verdict) {
      const found = finding(id, about, verdict);
      options.onFinding?.(found);
      return found;
    },
    async within(signal, work, otherwise, timeoutMs = checkTimeoutMs) {
      const { controller, unlink } = linkedController(signal);
      const late = new Error(`this took longer than ${timeoutMs / 1000} s and was left`);
      const timer = timers.setTimeout(() => controller.abort(late), timeoutMs);
      try {
        // Also where the work does not listen to its signal.
        return await untilAborted(work(controller.signal), controller.signal);
      } catch (error) {
        signal.throwIfAborted();
        const reason = controller.signal.aborted ? late : error;
        return otherwise(reason instanceof Error ? reason.message : 'it broke off', reason);
      } finally {
        timers.clearTimeout(timer);
        unlink();
      }
    },
  };
}

const resolverQuestionsAtOnce = 16;
const hedgeMs = 400;
