import type { ApiAnswer, ApiRequest } from './request.ts';

/**
 * What an emulator does to a request besides answering it.
 *
 * throttled      refuses it as the vendor does when there are too many; `retryAfterSeconds` where the vendor says so
 * server-error   answers 503 in the vendor's form; nothing is carried out
 * html           answers a page of a proxy in between with this status; nothing is carried out
 * reset          closes the connection; nothing is carried out
 * lose-answer    carries it out and closes the connection
 * slow           waits this long, carries it out and answers
 * pretend        answers as if it had carried it out
 * before         does something else first: another writer comes in between
 * change-answer  carries it out and answers differently: fields missing or added
 */
export type FaultEffect =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds?: number }
  | { readonly kind: 'server-error' | 'reset' | 'lose-answer' | 'pretend' }
  | { readonly kind: 'html'; readonly status: number }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'before'; readonly run: (request: ApiRequest) => void | Promise<void> }
  | { readonly kind: 'change-answer'; readonly change: (answer: ApiAnswer) => ApiAnswer };

export type Fault = FaultEffect & {
  /** Which requests it meets: all, those that write, those that read, or those of one action; default `any`. */
  readonly on?: 'any' | 'write' | 'read' | { readonly action: string };
  /** How many of them; default 1. `Infinity` until it is taken back. */
  readonly times?: number;
};

interface Armed {
  readonly fault: Fault;
  left: number;
}

/** Faults in the order in which they were set; the first that concerns a request meets it. */
export class Faults {
  readonly #armed: Armed[] = [];

  /** Arms a fault; the result takes it back. */
  add(fault: Fault): () => void {
    const armed = { fault, left: fault.times ?? 1 };
    this.#armed.push(armed);
    return () => {
      armed.left = 0;
    };
  }

  /** The fault that meets this request, counted. */
  meet(action: string, isWrite: boolean): Fault | undefined {
    const armed = this.#armed.find(({ fault, left }) => left > 0 && concerns(fault.on ?? 'any', action, isWrite));
    if (armed === undefined) return undefined;
    armed.left--;
    return armed.fault;
  }
}

function concerns(on: NonNullable<Fault['on']>, action: string, isWrite: boolean): boolean {
  if (typeof on === 'object') return on.action === action;
  return on === 'any' || (on === 'write') === isWrite;
}
