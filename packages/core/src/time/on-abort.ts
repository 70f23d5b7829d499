import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when `signal` fires; the function returned takes it back. One signal may stop hundreds of
 * things (a shutdown), which Node would otherwise report as a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
