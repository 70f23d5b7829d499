/** Promise.all that settles only when all have: a probe that was stopped is still removing its value. */
export async function allEnded<T>(work: readonly (T | Promise<T>)[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
