import type { Random } from '../fuzz.ts';

/** A copy of some JSON with some of its values replaced, left out, repeated or wrapped. */
export function hostileJson(value: unknown, random: Random): unknown {
  if (random(40) === 0) return oddValue(random);
  const copy = structuredClone(value);
  for (let changes = random(4); changes > 0; changes--) changeOne(copy, random);
  return copy;
}

function changeOne(root: unknown, random: Random): void {
  let at = root;
  for (;;) {
    if (typeof at !== 'object' || at === null) return;
    const holder = at as Record<string, unknown>;
    const keys = Object.keys(holder);
    const key = keys[random(keys.length + 1)];
    if (key === undefined) {
      if (Array.isArray(at)) at.push(oddValue(random));
      else holder[['__proto__', 'status', 'x', ''][random(4)] as string] = oddValue(random);
      return;
    }
    const inner = holder[key];
    if (typeof inner === 'object' && inner !== null && random(3) > 0) {
      at = inner;
      continue;
    }
    if (random(4) === 0) delete holder[key];
    else holder[key] = typeof inner === 'string' && random(2) === 0 ? hostileText(inner, random) : oddValue(random);
    return;
  }
}

function oddValue(random: Random): unknown {
  const odd = [
    null,
    true,
    0,
    -1,
    1e308,
    '',
    'valid',
    [],
    {},
    [null],
    [[]],
    ['x', 1],
    { a: { b: {} } },
    '\u001b[2J\r\n',
  ];
  const at = random(odd.length + 2);
  if (at === odd.length) return 'x'.repeat(random(5000));
  if (at === odd.length + 1) return Array.from({ length: random(500) }, () => ({ type: 'dns', value: 'x' }));
  return odd[at];
}

/** A text with some of its characters changed, or a part cut out, doubled or repeated very often. */
export function hostileText(text: string, random: Random): string {
  let changed = text;
  for (let changes = random(4); changes > 0; changes--) {
    const at = random(changed.length + 1);
    const to = at + random(changed.length - at + 1);
    switch (random(5)) {
      case 0:
        changed = changed.slice(0, at) + changed.slice(to);
        break;
      case 1:
        changed = changed.slice(0, to) + changed.slice(at);
        break;
      case 2:
        changed = changed.slice(0, at) + signs[random(signs.length)] + changed.slice(at);
        break;
      case 3:
        changed =
          changed.slice(0, at) + String.fromCharCode(random(random(2) === 0 ? 128 : 65_536)) + changed.slice(at + 1);
        break;
      default:
        if (random(50) === 0) changed = changed.slice(at, at + 3).repeat(random(5000));
    }
  }
  return changed;
}

const signs = ['<', '>', ';', ',', '"', '\\', '=', 'rel=', '\r\n', '\u0000', '%', '-----BEGIN ', '://', 'http:', ' '];
