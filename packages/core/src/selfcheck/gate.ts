/** Lets at most `max` pieces of work run at once; the others wait in line. */
export interface Gate {
  /** @throws the signal's reason when it fires while waiting */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createGate(max: number): Gate {
  const line = new Set<() => void>();
  let running = 0;

  function enter(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (running < max) {
      running += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.delete(admit);
        reject(signal.reason);
      };
      const admit = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      line.add(admit);
    });
  }

  function exit(): void {
    // The place is handed on, so `running` stays, or a newcomer could slip in before the one who waited.
    const first = line.values().next();
    if (first.done) {
      running -= 1;
      return;
    }
    line.delete(first.value);
    first.value();
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        exit();
      }
    },
  };
}
