import { domainToASCII } from 'node:url';

declare const brand: unique symbol;

/** A domain name as the program keeps it: lower-case A-labels joined by dots, no final dot; the root is `''`. */
export type DnsName = string & { readonly [brand]: 'DnsName' };

/** A text that is no domain name. The message says which rule it breaks. */
export class DnsNameError extends Error {
  readonly input: string;
  readonly rule: string;

  constructor(input: string, rule: string) {
    super(`"${input}" is not a domain name: ${rule}`);
    this.name = 'DnsNameError';
    this.input = input;
    this.rule = rule;
  }
}

/**
 * Reads a name as people write it: any case, final dot allowed, U-labels turned into A-labels (UTS 46), a leading
 * `*` label and labels with `_` allowed.
 *
 * @throws DnsNameError for empty labels, labels over 63 or names over 253 octets (RFC 1035 3.1), other characters
 */
export function toDnsName(text: string): DnsName {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (bare === '') return '' as DnsName;
  const labels = (isAscii(bare) ? bare.toLowerCase() : fromUnicode(text, bare)).split('.');
  for (const label of labels) {
    if (label === '') throw new DnsNameError(text, 'it has an empty label');
    if (label.length > 63) throw new DnsNameError(text, `the label "${label.slice(0, 20)}..." has more than 63 octets`);
    if (!/^(?:\*|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)$/.test(label))
      throw new DnsNameError(text, `the label "${label}" holds something other than letters, digits, "-" and "_"`);
  }
  if (labels.indexOf('*', 1) > 0) throw new DnsNameError(text, '"*" stands for the first label only');
  const name = labels.join('.');
  if (name.length > 253) throw new DnsNameError(text, 'it has more than 253 octets');
  return name as DnsName;
}

/** True when `name` is `zone` or lies below it, on a label boundary. */
export function isWithin(name: DnsName, zone: DnsName): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`);
}

/** `www.example.com` -> `example.com` -> `com` -> `''`; the root has no parent. */
export function parentOf(name: DnsName): DnsName | undefined {
  if (name === '') return undefined;
  const dot = name.indexOf('.');
  return (dot === -1 ? '' : name.slice(dot + 1)) as DnsName;
}

/** The labels from left to right; the root has none. */
export function labelsOf(name: DnsName): readonly string[] {
  return name === '' ? [] : name.split('.');
}

/** `child('_acme-challenge', 'example.com')`. @throws DnsNameError when the result is too long */
export function child(label: string, parent: DnsName): DnsName {
  return toDnsName(parent === '' ? label : `${label}.${parent}`);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

function fromUnicode(input: string, bare: string): string {
  // domainToASCII reads a URL host: the wildcard label has to stay outside.
  const wildcard = bare.startsWith('*.');
  const ascii = domainToASCII(wildcard ? bare.slice(2) : bare);
  if (ascii === '') throw new DnsNameError(input, 'it cannot be written in A-labels (IDNA)');
  return wildcard ? `*.${ascii}` : ascii;
}
