import { onAbort } from '@zoneproof/core';

/** So many at once; the others wait in turn. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with the function that gives the place back. @throws the reason of `signal` */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return () => this.#leave();
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget =
        signal &&
        onAbort(signal, () => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(signal.reason);
        });
      const enter = (): void => {
        forget?.();
        resolve();
      };
      this.#waiting.push(enter);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
