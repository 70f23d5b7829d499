import { setMaxListeners } from 'node:events';
import { shareBudget } from './budget.ts';

/** Settles as `work` does, or rejects with the signal's reason as soon as it fires. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const done = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(done);
  });
}

/** A controller whose signal many sockets may listen to: Node warns from the eleventh on. */
export function sharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** A shared controller that also fires when `signal` does; `unlink` lets go of the signal. */
export function linkedController(signal: AbortSignal): { controller: AbortController; unlink: () => void } {
  // Not AbortSignal.any: on Node 20 its results stay referenced for as long as a long-lived source does.
  const controller = sharedController();
  shareBudget(signal, controller.signal);
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { controller, unlink: () => signal.removeEventListener('abort', abort) };
}
