import { stat } from 'node:fs/promises';

/** True for a file that is there and not empty. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.size > 0,
    () => false,
  );
}
