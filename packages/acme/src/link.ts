/** One link of a Link header (RFC 8288): its target as written and its relation types in lower case. */
export interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/** Links of all Link headers of an answer. What is malformed is left out; takes time linear in the input. */
export function parseLinks(headers: readonly string[]): readonly Link[] {
  return headers.flatMap(parseHeader);
}

/** Targets of one relation, resolved against the URL that was asked, without those that are no URL. */
export function linkTargets(headers: readonly string[], relation: string, base: string): readonly string[] {
  return parseLinks(headers)
    .filter((link) => link.relations.includes(relation))
    .flatMap(({ target }) => (isUrl(target, base) ? [absolute(target, base)] : []));
}

/** Of a URL that a CA may name: it is kept in the state of orders, and printed. */
export const maxUrlLength = 2048;

/**
 * What `URL` would take with a control character in it (it drops or escapes them) is none: it is printed and signed.
 * Nor is what is too long to be kept.
 */
export function isUrl(text: string, base?: string): boolean {
  return text.length <= maxUrlLength && /^[!-~]+$/.test(text) && URL.canParse(text, base);
}

/** The URL as the server wrote it where it is absolute: ACME signs the exact text (RFC 8555 6.4). */
export function absolute(url: string, base: string): string {
  return URL.canParse(url) ? url : new URL(url, base).href;
}

function parseHeader(header: string): Link[] {
  const links: Link[] = [];
  let at = 0;
  while (at < header.length) {
    const open = header.indexOf('<', at);
    if (open < 0) break;
    const close = header.indexOf('>', open);
    if (close < 0) break;
    const end = endOfLink(header, close + 1);
    const relations = relationsOf(header.slice(close + 1, end));
    if (relations.length > 0) links.push({ target: header.slice(open + 1, close).trim(), relations });
    at = end + 1;
  }
  return links;
}

/** Where the next comma outside quotes is, or the end. */
function endOfLink(header: string, from: number): number {
  let quoted = false;
  for (let at = from; at < header.length; at++) {
    const char = header[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) return at;
  }
  return header.length;
}

const relParameter = /;[ \t]*rel[ \t]*=[ \t]*(?:"([^"\\]*)"|([^\s";,]+))/i;

/** RFC 8288 3.3: only the first `rel` counts. */
function relationsOf(parameters: string): string[] {
  const match = relParameter.exec(parameters);
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
}
