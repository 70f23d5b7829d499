import { setMaxListeners } from 'node:events';
import { DnsExchangeError, type DnsExchangeErrorKind, type DnsTransportName } from './exchange-error.ts';
import type { AnyDnsServer, TransportCall } from './transport.ts';

/** One query that waits for its answer. What comes after it has settled is ignored. */
export interface Waiting {
  /** Set once the query may have left. */
  sent: boolean;
  done(answer: Uint8Array): void;
  fail(error: DnsExchangeError): void;
  /** The same for a failure of this server and transport. */
  refuse(kind: DnsExchangeErrorKind, problem: string): void;
}

/** Settles once: by what `start` does with it, by the time-out or by the signal. `start` returns what lets go of its socket. */
export function waitForAnswer(
  server: AnyDnsServer,
  transport: DnsTransportName,
  call: TransportCall,
  start: (waiting: Waiting) => () => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let release: (() => void) | undefined;
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      call.signal.removeEventListener('abort', onAbort);
      release?.();
      return true;
    };
    const waiting: Waiting = {
      sent: false,
      done: (answer) => {
        if (settle()) resolve(answer);
      },
      fail: (error) => {
        if (settle()) reject(error);
      },
      refuse: (kind, problem) => {
        if (settle()) reject(new DnsExchangeError(kind, server, transport, problem, { sent: waiting.sent }));
      },
    };
    const onAbort = () => waiting.refuse('aborted', 'given up, the caller no longer waits');
    const onTimeout = () =>
      waiting.refuse('timeout', `no ${waiting.sent ? 'answer' : 'connection'} within ${call.timeoutMs} ms`);
    const timer = setTimeout(onTimeout, call.timeoutMs);
    // One signal may serve many exchanges; Node takes more than ten listeners for a leak and says so on stderr.
    setMaxListeners(Number.POSITIVE_INFINITY, call.signal);
    call.signal.addEventListener('abort', onAbort);

    if (call.signal.aborted) onAbort();
    else {
      release = start(waiting);
      if (settled) release();
    }
  });
}
