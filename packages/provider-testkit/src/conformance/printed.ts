import { inspect } from 'node:util';

/** Everything that printing a value in any usual way could show: stack, cause, hidden properties. */
export function printed(value: unknown): string {
  const texts = [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null, maxArrayLength: null }),
  ];
  try {
    texts.push(JSON.stringify(value) ?? '');
  } catch {
    // A circular value is shown by inspect alone.
  }
  texts.push(String(value));
  return texts.join('\n');
}

/** The forms in which a secret could slip out: itself, encoded, and as the octets of a buffer. */
export function secretForms(secret: string): readonly string[] {
  const octets = [Buffer.from(secret)];
  if (/^[A-Za-z0-9+/]{16,}={0,2}$/.test(secret)) octets.push(Buffer.from(secret, 'base64'));
  const forms = octets.flatMap((bytes) => [
    bytes.toString('latin1'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    (bytes.toString('hex').match(/../g) ?? []).join(' '),
    [...bytes].join(', '),
  ]);
  return [...new Set([...forms, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}
