import type { HttpAnswer } from '@zoneproof/core';
import type { Random } from '../fuzz.ts';
import { hostileJson, hostileText } from './text.ts';

/** An answer of an API with its status, its headers or its body changed. */
export function hostileAnswer(right: HttpAnswer, random: Random): HttpAnswer {
  const answer = { ...right, headers: { ...right.headers }, body: hostileBody(right, random) };
  if (random(4) === 0) answer.status = statuses[random(statuses.length)] as number;
  const name = headerNames[random(3 * headerNames.length)];
  if (name === undefined) return answer;
  const value = [right.headers[name] ?? 'Tue, 01 Dec 2026 00:01:00 GMT'].flat()[0] as string;
  if (random(4) === 0) delete answer.headers[name];
  else answer.headers[name] = random(6) === 0 ? [value, 'x'] : hostileText(value, random).replace(/[^\t -~]/g, '?');
  return answer;
}

function hostileBody({ body }: HttpAnswer, random: Random): Uint8Array {
  switch (random(12)) {
    case 0:
      return new Uint8Array();
    case 1:
      return Buffer.from('<html><body><h1>502 Bad Gateway</h1></body></html>');
    case 2:
      return Buffer.from(['[', '{"a":', '<a>', '&lt;'][random(4)]?.repeat(random(5000)) ?? '');
    case 3:
    case 4:
    case 5:
      return Buffer.from(hostileText(Buffer.from(body).toString('latin1'), random), 'latin1');
    default:
      return hostileDocument(Buffer.from(body), random);
  }
}

function hostileDocument(body: Buffer, random: Random): Uint8Array {
  const text = body.toString('utf8');
  if (text.startsWith('<')) return Buffer.from(hostileXml(text, random));
  try {
    return Buffer.from(JSON.stringify(hostileJson(JSON.parse(text), random)) ?? '');
  } catch {
    return body;
  }
}

/** Elements left out, doubled, emptied, nested, or with entities in them. */
function hostileXml(text: string, random: Random): string {
  let changed = text;
  for (let changes = random(4); changes > 0; changes--) {
    const elements = [...changed.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
    const element = elements[random(elements.length || 1)];
    if (element === undefined) break;
    const [whole, name = ''] = element;
    const content = oddContents[random(oddContents.length)] as string;
    const instead = ['', whole + whole, `<${name}/>`, `<${name}>${content}</${name}>`, `<${name}>${whole}</${name}>`];
    changed = changed.slice(0, element.index) + instead[random(5)] + changed.slice(element.index + whole.length);
  }
  if (random(20) === 0) changed = changed.replace(/^(<\?[^>]*>)?/, `$1${bomb}`);
  return changed;
}

const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
const oddContents = [
  '',
  '-1',
  '1e400',
  'true',
  '&b;',
  '&#0;',
  '&#x110000;',
  '&unknown;',
  '\\000',
  '\\',
  '"',
  'x'.repeat(5000),
];
const statuses = [200, 201, 202, 204, 302, 400, 401, 403, 404, 405, 409, 412, 422, 429, 500, 503, 599];
const headerNames = ['content-type', 'retry-after', 'date', 'location', 'content-length', 'x-amzn-requestid'];
