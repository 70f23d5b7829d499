/** Filters of Cloudflare's list of records; both of them where both are given. */
export interface NameFilter {
  readonly exact?: string;
  readonly startswith?: string;
  readonly endswith?: string;
}

/**
 * The narrowest filter that lets all the names pass: there is none for a list of names. Pure.
 *
 *   _acme-challenge.a.example.com, _acme-challenge.b.example.com
 *   -> {startswith: '_acme-challenge.', endswith: '.example.com'}
 */
export function nameFilter(names: readonly string[]): NameFilter {
  const [first = '', ...others] = new Set(names);
  if (others.length === 0) return { exact: first };
  const startswith = others.reduce(sharedStart, first);
  const endswith = reversed(others.map(reversed).reduce(sharedStart, reversed(first)));
  return { ...(startswith !== '' && { startswith }), ...(endswith !== '' && { endswith }) };
}

function sharedStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
