/**
 * The object that a JSON text is, and undefined for anything else. Never throws, since the words of JSON.parse repeat
 * the text, which may be a secret or a page of somebody else.
 */
export function jsonObject(text: string | Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
