import { setMaxListeners } from 'node:events';
import type { DnsTransport } from '@zoneproof/dns';
import type { Clock, RandomBytes } from '../contract/index.ts';
import { systemTimers, type Timers } from '../time/index.ts';
import { createAsk } from './ask.ts';
import { createZoneAsker } from './ask-zone.ts';
import { createDelegations, type Delegations } from './delegations.ts';
import { createGate } from './gate.ts';
import { createListedView } from './listed-view.ts';
import { createLocator, type Locator } from './locate.ts';
import { lookAtServers } from './look.ts';
import { listResolvers } from './resolvers.ts';
import type { StartingServers } from './starting-servers.ts';
import type { SelfCheck, SelfCheckMode } from './types.ts';
import { createWatches } from './watch/watches.ts';

export interface SelfCheckOptions {
  /**
   * Where to start: the servers of resolv.conf or those of `--dns01-self-check-nameservers`. Called at each `locate`,
   * so that changes are picked up; what it throws becomes a LocateError `no-resolver`.
   */
  readonly resolvers: StartingServers;
  /** Default `auto`. */
  readonly mode?: SelfCheckMode;
  /** Resolvers that `watch` asks last, once the authoritative servers agree. Default none. */
  readonly finalResolvers?: StartingServers;
  /**
   * Authoritative servers are asked at port 53; a mapTransport may lead that elsewhere. For encrypted servers: the `dns` of
   * an egress.
   */
  readonly transport: DnsTransport;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** For `watch`, default the system's. */
  readonly timers?: Timers;
  /** Ends what `watch` began; default never. */
  readonly signal?: AbortSignal;
  /** One try of one question, default 2000: at most two over UDP and one over TCP. */
  readonly tryTimeoutMs?: number;
  /** How long a server may be silent before another is asked beside it when one answer is enough, default 400. */
  readonly hedgeMs?: number;
  /** How long after the last server showed the values all are asked once more, default 1000; twice that in doubt. */
  readonly confirmAfterMs?: number;
  /** Called with each question that was asked and not stopped, for metrics. */
  readonly onQuestion?: (outcome: 'answered' | 'unanswered') => void;
}

export function createSelfCheck(options: SelfCheckOptions): SelfCheck {
  const { transport, clock, random, mode = 'auto', tryTimeoutMs = 2000, hedgeMs = 400 } = options;
  const { onQuestion } = options;
  const ask = createAsk({ transport, random, tryTimeoutMs, ...(onQuestion === undefined ? {} : { onQuestion }) });
  // A socket each: far below the usual limit of 1,024 open files, and a burst that one server's receive buffer holds
  // (about 270 datagrams on Linux; a lost one costs a try of 2 s).
  const gate = createGate(128);
  const zoneAsker = createZoneAsker(ask, gate, hedgeMs);
  let view: { readonly key: string; readonly delegations: Delegations; readonly locator: Locator } | undefined;

  async function currentView() {
    const resolvers = await listResolvers(options.resolvers, ask, gate, hedgeMs);
    // What other servers said may not hold in the view of these.
    if (view?.key !== resolvers.key) {
      const delegations = createDelegations(resolvers, zoneAsker, clock);
      const listed = createListedView(resolvers, { ask, gate, clock });
      const locator = createLocator(delegations, zoneAsker, listed, { clock, random, mode });
      view = { key: resolvers.key, delegations, locator };
    }
    return view;
  }

  const { signal = new AbortController().signal, timers = systemTimers, confirmAfterMs = 1000 } = options;
  // Hundreds of questions wait for one signal, which Node would report as a leak.
  setMaxListeners(0, signal);
  const watches = createWatches({
    ask,
    gate,
    clock,
    timers,
    signal,
    confirmAfterMs,
    ...(options.finalResolvers === undefined ? {} : { finalResolvers: options.finalResolvers }),
    forget: (name) => view?.locator.forget(name),
  });
  if (signal.aborted) watches.close();
  else signal.addEventListener('abort', () => watches.close(), { once: true });

  return {
    async locate(name, callSignal, how) {
      callSignal.throwIfAborted();
      return (await currentView()).locator.locate(name, callSignal, how);
    },
    async look(location, values, callSignal) {
      const evidence = await lookAtServers(location, values, { ask, gate, clock }, callSignal);
      if (evidence.servers.some(({ finding }) => finding === 'lame')) view?.delegations.drop(location.zone);
      return evidence;
    },
    watch: (wanted) => watches.watch(wanted),
    unwatch: (key) => watches.unwatch(key),
    forget(name) {
      view?.locator.forget(name);
    },
  };
}
