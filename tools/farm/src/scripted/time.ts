/** Time that runs `speed` times as fast as it does, for waits of minutes. */
export function fastTime(speed: number) {
  const beganAt = Date.now();
  const began = performance.now();
  return {
    now: (): number => Math.floor(beganAt + (performance.now() - began) * speed),
    setTimeout: (run: () => void, ms: number): unknown => setTimeout(run, ms / speed),
    clearTimeout: (handle: unknown): void => clearTimeout(handle as NodeJS.Timeout),
  };
}
