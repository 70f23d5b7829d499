/**
 * `fresh` with every part that equals the part of `known` at the same place replaced by that one; `known` itself when
 * all is equal. So thousands of objects that are much alike hold their common parts once, and a change shows by
 * identity. Changes `fresh` in place.
 */
export function sharing<T>(fresh: T, known: unknown): T {
  if (fresh === known) return known as T;
  if (!isNode(fresh) || !isNode(known) || Array.isArray(fresh) !== Array.isArray(known)) return fresh;
  const keys = Object.keys(fresh);
  let isSame = keys.length === Object.keys(known).length;
  for (const key of keys) {
    const part = sharing(fresh[key], known[key]);
    (fresh as Record<string, unknown>)[key] = part;
    if (part !== known[key] || !(key in known)) isSame = false;
  }
  return isSame ? (known as T) : fresh;
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
