/**
 * Tells whether resourceVersion `a` is of a later state than `b`, both of objects of one kind. They are decimal numbers
 * that grow (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions); of others only a
 * difference can be told.
 */
export function isNewer(a: string, b: string): boolean {
  if (!isNumber(a) || !isNumber(b)) return a !== b;
  return a.length === b.length ? a > b : a.length > b.length;
}

function isNumber(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
