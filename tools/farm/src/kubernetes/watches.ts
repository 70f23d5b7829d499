import type { IncomingMessage, ServerResponse } from 'node:http';

/** The watches that run through the proxy: answers of the API server that have no end. */
export class Watches {
  readonly #open = new Map<ServerResponse, IncomingMessage>();
  #stalled = false;

  add(source: IncomingMessage, answer: ServerResponse): void {
    answer.flushHeaders();
    this.#open.set(answer, source);
    answer.on('close', () => this.#open.delete(answer));
    source.on('close', () => this.#stalled || source.complete || answer.destroy());
    if (!this.#stalled) source.pipe(answer);
  }

  cut(): void {
    for (const answer of this.#open.keys()) answer.destroy();
  }

  stall(on: boolean): void {
    this.#stalled = on;
    for (const [answer, source] of this.#open) {
      if (on) source.unpipe(answer).pause();
      else if (source.destroyed && !source.complete) answer.destroy();
      else source.pipe(answer);
    }
  }
}
