import type { CachedObject } from './object-cache.ts';

/** Names of the Secrets that an Issuer or Certificate refers to, all in one namespace; of an Order none. */
export function secretNamesOf(object: CachedObject): readonly string[] {
  if (object.kind === 'Order') return [];
  if (object.kind === 'Certificate') return [(object.spec as { readonly secretName: string }).secretName];
  return [...new Set(referencesIn(object.spec))];
}

/** Every reference has the form of the specification: a field that ends in `SecretRef`, with a `name`. */
function* referencesIn(node: unknown): Iterable<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [field, value] of Object.entries(node)) {
    const name: unknown = (value as { readonly name?: unknown } | null)?.name;
    if (/secretRef$/i.test(field) && typeof name === 'string') yield name;
    else yield* referencesIn(value);
  }
}
