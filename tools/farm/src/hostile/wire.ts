import type { Random } from '../fuzz.ts';

/** An answer to `query` after the pattern of recorded ones, with octets changed; undefined: none. */
export function hostileWire(
  query: Uint8Array,
  recorded: readonly { readonly query: Uint8Array; readonly answer: Uint8Array }[],
  random: Random,
): Uint8Array | undefined {
  // The same question as far as octets tell it: random letter case is five bits away.
  const alike = recorded.filter((one) => isAlike(one.query, query));
  const from = alike.length > 0 && random(10) > 0 ? alike : recorded;
  const found = from[random(from.length || 1)];
  if (found === undefined || random(50) === 0) return undefined;
  const wire = Buffer.from(found.answer);
  wire.set(query.subarray(0, 2), 0);
  const end = questionEnd(query);
  if (alike.includes(found)) wire.set(query.subarray(12, end), 12);
  if (random(3) === 0) return wire;
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(4) === 0 ? random(12) : random(wire.length);
    if (random(8) === 0) return wire.subarray(0, at);
    if (at > 1) wire[at] = random(2) === 0 ? random(256) : (wire[at] as number) ^ (1 << random(8));
  }
  return wire;
}

function isAlike(one: Uint8Array, other: Uint8Array): boolean {
  const end = questionEnd(one);
  if (end !== questionEnd(other) || one[2] !== other[2]) return false;
  for (let at = 12; at < end; at++) if (((one[at] as number) | 0x20) !== ((other[at] as number) | 0x20)) return false;
  return true;
}

/** After the name, type and class of the first question of a query that we made. */
function questionEnd(query: Uint8Array): number {
  let at = 12;
  while (at < query.length && query[at] !== 0) at += 1 + (query[at] as number);
  return at + 5;
}
