import type { CaaData } from './message.ts';

/** Who wants to issue what. */
export interface CaaRequest {
  /** Names by which the CA knows itself in CAA records: `caaIdentities` of its directory (RFC 8555 7.1.1). */
  readonly issuers: readonly string[];
  /** For `*.example.com`; the RRset is that of `example.com` or the closest name above that has one. */
  readonly wildcard: boolean;
  /** Left out while there is no account: a property that names one then denies, with reason `account`. */
  readonly accountUrl?: string;
  /** `dns-01`. */
  readonly method: string;
}

/**
 * What an RRset says about a request, in one sentence without a final stop. `property` is the record that decided:
 * the one that allows, or the one that came closest to it. There is none where nothing speaks about such requests.
 */
export type CaaVerdict =
  | { readonly decision: 'allowed'; readonly property?: CaaData; readonly text: string }
  | { readonly decision: 'denied'; readonly property: CaaData; readonly reason: CaaDenial; readonly text: string };

/**
 *   critical   a property that a CA need not know is marked as critical (RFC 8659 4.1)
 *   nobody     `;`: no CA may issue
 *   malformed  a value that is none counts as `;` (RFC 8659 4.2)
 *   issuer     other CAs are named
 *   account    another account is named (RFC 8657 3)
 *   method     other validation methods are named (RFC 8657 4)
 */
export type CaaDenial = 'critical' | 'nobody' | 'malformed' | 'issuer' | 'account' | 'method';

/**
 * Decides whether a CAA RRset lets a CA issue (RFC 8659 4, RFC 8657). The caller has found the RRset: that of the name
 * without `*.`, or else of its parents up to the top-level domain, the first that is not empty (RFC 8659 3).
 */
export function judgeCaa(rrset: readonly CaaData[], request: CaaRequest): CaaVerdict {
  // Let's Encrypt reads bit 1 as critical too: many have taken "bit 0" for the lowest (boulder, va/caa.go).
  const critical = rrset.find((property) => (property.flags & 0x81) !== 0 && !knownTags.has(tagOf(property)));
  if (critical)
    return denial(critical, 'critical', `${shown(critical)} is critical and CAs need not know what it means`);

  const wild = request.wildcard ? rrset.filter((property) => tagOf(property) === 'issuewild') : [];
  const properties = wild.length > 0 ? wild : rrset.filter((property) => tagOf(property) === 'issue');
  if (properties.length === 0) return { decision: 'allowed', text: 'no CAA property restricts who may issue this' };

  let closest: CaaVerdict | undefined;
  for (const property of properties) {
    const verdict = judgeProperty(property, request);
    if (verdict.decision === 'allowed') return verdict;
    if (closest?.decision !== 'denied' || closeness.indexOf(verdict.reason) > closeness.indexOf(closest.reason))
      closest = verdict;
  }
  return closest as CaaVerdict;
}

/** The value of an `issue` or `issuewild` property. */
export interface CaaIssuer {
  /** As written; compared without regard to case; empty when nobody is named. */
  readonly issuer: string;
  /** In the order written; a tag may stand there more than once. */
  readonly parameters: readonly { readonly tag: string; readonly value: string }[];
}

/** Reads the value of an `issue` or `issuewild` property (RFC 8659 4.2); undefined when it is malformed. */
export function parseCaaIssuer(value: string): CaaIssuer | undefined {
  const [issuer = '', ...rest] = value.split(';').map(trim);
  if (issuer !== '' && !issuerForm.test(issuer)) return undefined;
  // One semicolon with nothing behind it is allowed, an empty parameter among others is not.
  const parts = rest.length === 1 && rest[0] === '' ? [] : rest;
  const parameters: { readonly tag: string; readonly value: string }[] = [];
  for (const part of parts) {
    const equals = part.indexOf('=');
    const parameter = { tag: trim(part.slice(0, Math.max(0, equals))), value: trim(part.slice(equals + 1)) };
    if (equals === -1 || !tagForm.test(parameter.tag) || !valueForm.test(parameter.value)) return undefined;
    parameters.push(parameter);
  }
  return { issuer, parameters };
}

const knownTags: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef']);
/** From a property that has nothing to do with us to one that would do but for its last parameter. */
const closeness: readonly CaaDenial[] = ['nobody', 'issuer', 'malformed', 'account', 'method'];

const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const issuerForm = new RegExp(`^${label}(?:\\.${label})*$`, 'i');
const tagForm = new RegExp(`^${label}$`, 'i');
const valueForm = /^[\x21-\x3a\x3c-\x7e]*$/;
const methodsForm = /^[a-z0-9-]+(?:,[a-z0-9-]+)*$/i;

function judgeProperty(property: CaaData, request: CaaRequest): CaaVerdict {
  const parsed = parseCaaIssuer(property.value);
  if (parsed === undefined)
    return denial(property, 'malformed', `${shown(property)} is malformed, which counts as "nobody may issue"`);
  if (parsed.issuer === '') return denial(property, 'nobody', `${shown(property)} lets nobody issue`);
  const issuer = parsed.issuer.toLowerCase();
  if (!request.issuers.some((own) => own.toLowerCase() === issuer)) {
    const us = request.issuers.join(' or ') || 'a CA that has not told its name';
    return denial(property, 'issuer', `${shown(property)} does not let ${us} issue`);
  }
  // Names are compared exactly: what is written `AccountURI` is a parameter that nobody knows.
  const valuesOf = (tag: string) => parsed.parameters.flatMap((one) => (one.tag === tag ? [one.value] : []));
  const accounts = valuesOf('accounturi');
  if (accounts.length > 0 && (accounts.length > 1 || accounts[0] !== request.accountUrl)) {
    const why =
      accounts.length > 1
        ? 'names more than one account, which none can satisfy'
        : `is for another account than ${request.accountUrl ?? 'the one still to be registered'}`;
    return denial(property, 'account', `${shown(property)} ${why}`);
  }
  const methods = valuesOf('validationmethods');
  const listed = methods.length === 1 && methodsForm.test(methods[0] as string) ? methods[0]?.split(',') : [];
  if (methods.length > 0 && !listed?.includes(request.method))
    return denial(property, 'method', `${shown(property)} does not allow the method ${request.method}`);
  // Boulder compares exactly (va/caa.go), others without regard to case.
  const advice = parsed.issuer === issuer ? '' : ", but some CAs, as Let's Encrypt, want its name in lower case";
  return { decision: 'allowed', property, text: `${shown(property)} allows it${advice}` };
}

function denial(property: CaaData, reason: CaaDenial, text: string): CaaVerdict {
  return { decision: 'denied', property, reason, text };
}

/** As in a zone file, printable and of bounded length. */
function shown({ flags, tag, value }: CaaData): string {
  const text = `${flags} ${tag} "${value}"`.replace(/[^ -~]/g, '?');
  return `CAA ${text.length > 200 ? `${text.slice(0, 200)}...` : text}`;
}

function tagOf({ tag }: CaaData): string {
  return tag.toLowerCase();
}

/** Spaces and tabs only, in linear time whatever the value. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
