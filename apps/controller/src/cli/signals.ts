/**
 * Turns SIGINT and SIGTERM into an abort: the first asks for a graceful end, the second ends the process at once.
 * `given` ends the same way. `release` takes the handlers back.
 */
export function untilStopped(given?: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const abort = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (abort.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    abort.abort();
  };
  const onGiven = (): void => abort.abort();
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  given?.addEventListener('abort', onGiven, { once: true });
  if (given?.aborted) abort.abort();
  return {
    signal: abort.signal,
    release: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      given?.removeEventListener('abort', onGiven);
    },
  };
}

/** Resolves when `signal` fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
