/** Resolves when `isTrue` is; what the API server's other controllers do takes its time. @throws after `ms` */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  for (const end = Date.now() + ms; !(await isTrue()); ) {
    if (Date.now() > end) throw new Error(`${what} did not come true in ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
