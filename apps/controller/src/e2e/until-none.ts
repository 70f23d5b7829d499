/**
 * Looks until nothing is wrong any more.
 *
 * @param look what is wrong, as sentences
 * @throws Error with what is wrong still
 */
export async function untilNone(what: string, look: () => Promise<readonly string[]>, ms = 45_000): Promise<void> {
  for (const end = performance.now() + ms; ; ) {
    const wrong = await look();
    if (wrong.length === 0) return;
    if (performance.now() > end) throw new Error(`${what}: still so after ${ms} ms:\n${wrong.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
