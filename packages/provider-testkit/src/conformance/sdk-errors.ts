import { isEgressError } from '@zoneproof/core';

const codes: Readonly<Record<string, string>> = {
  refused: 'ECONNREFUSED',
  reset: 'ECONNRESET',
  timeout: 'ETIMEDOUT',
  'name-not-found': 'ENOTFOUND',
  unreachable: 'EHOSTUNREACH',
};

/** An error of the egress as an SDK meets it below: Node's own, with its code. */
export function nodeError(error: unknown): Error {
  if (!isEgressError(error)) return error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(error.message), { code: codes[error.kind] ?? 'UND_ERR' });
}
