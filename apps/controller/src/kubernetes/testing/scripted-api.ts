import type { KubeApi, KubeRequest, KubeWatch } from '../api.ts';
import { KubeApiError } from '../api-error.ts';

type Json = Readonly<Record<string, unknown>>;

/** An API that says what a test tells it to: lists in turn, and watches whose events the test sends. */
export class ScriptedApi implements KubeApi {
  readonly server = new URL('https://api.test');
  readonly namespace = undefined;
  /** Answers to requests, in turn; an error is thrown. */
  readonly answers: (Json | KubeApiError)[] = [];
  readonly requests: KubeRequest[] = [];
  readonly watches: ScriptedWatch[] = [];

  async request(request: KubeRequest): Promise<unknown> {
    this.requests.push(request);
    request.beforeSend?.();
    const answer = this.answers.shift();
    if (answer === undefined) throw noAnswer();
    if (answer instanceof KubeApiError) throw answer;
    return structuredClone(answer);
  }

  watch(watch: KubeWatch): AsyncIterable<unknown> {
    const scripted = new ScriptedWatch(watch);
    this.watches.push(scripted);
    return scripted.events();
  }

  close(): void {}
}

export class ScriptedWatch {
  readonly asked: KubeWatch;
  readonly #queue: (Json | KubeApiError | 'end')[] = [];
  #wake: (() => void) | undefined;

  constructor(asked: KubeWatch) {
    this.asked = asked;
    asked.signal.addEventListener('abort', () => this.send('end'));
  }

  send(...events: readonly (Json | KubeApiError | 'end')[]): void {
    this.#queue.push(...events);
    this.#wake?.();
  }

  async *events(): AsyncGenerator<unknown> {
    for (;;) {
      const event = this.#queue.shift();
      if (event === 'end') return;
      if (event instanceof KubeApiError) throw event;
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else yield structuredClone(event);
    }
  }
}

export function noAnswer(): KubeApiError {
  return new KubeApiError({ status: 0, reason: 'NoAnswer', message: 'no answer' });
}

export function tooOld(): KubeApiError {
  return new KubeApiError({ status: 410, reason: 'Expired', message: 'too old resource version' });
}
