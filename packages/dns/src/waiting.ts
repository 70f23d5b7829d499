import { setMaxListeners } from 'node:events';
import { DnsExchangeError, type DnsExchangeErrorKind, type DnsTransportName } from './exchange-error.ts';
import type { AnyDnsServer, TransportCall } from './transport.ts';

/** One query that waits for its answer. What comes after it has settled is ignored. */
export interface Waiting {
  /** Whether the query may have left. */
  readonly sent: boolean;
  /** To be asked right before the query is written. False: it must not leave any more, and that was told. */
  leave(): boolean;
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
    let sent = false;
    const waiting: Waiting = {
      get sent() {
        return sent;
      },
      leave: () => {
        try {
          call.beforeSend?.();
        } catch (error) {
          waiting.refuse('denied', error instanceof Error ? error.message : String(error));
        }
        if (settled) return false;
        sent = true;
        return true;
      },
      done: (answer) => {
        if (settle()) resolve(answer);
      },
      fail: (error) => {
        if (settle()) reject(error);
      },
      refuse: (kind, problem) => {
        if (settle()) reject(new DnsExchangeError(kind, server, transport, problem, { sent }));
      },
    };
    const onAbort = () => waiting.refuse('aborted', 'given up, the caller no longer waits');
    const onTimeout = () =>
      waiting.refuse('timeout', `no ${sent ? 'answer' : 'connection'} within ${call.timeoutMs} ms`);
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
