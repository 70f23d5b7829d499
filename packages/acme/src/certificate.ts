import { type KeyObject, X509Certificate } from 'node:crypto';
import { pemCertificates } from './pem.ts';
import { readPrivateKey } from './private-key.ts';
import { oneLine } from './problem.ts';

/** What a certificate says about itself. Instants are epoch milliseconds. */
export interface CertificateFacts {
  readonly notBefore: number;
  readonly notAfter: number;
  /** Upper-case hexadecimal, without separators. */
  readonly serial: string;
  /** Common name of the issuer, or its whole distinguished name in one line. */
  readonly issuer: string;
  /** DNS names of the subjectAltName in lower case. */
  readonly names: readonly string[];
  /** Certificates in the PEM text, the leaf included. */
  readonly chainLength: number;
  /** SHA-256 of the leaf's DER, upper-case hexadecimal with colons. */
  readonly fingerprint: string;
}

/** A certificate is not the one that was ordered. Storing it would break the service or renew in a circle. */
export class CertificateMismatchError extends Error {
  readonly reason: 'unreadable' | 'key' | 'names' | 'chain' | 'dates';

  constructor(reason: CertificateMismatchError['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CertificateMismatchError';
    this.reason = reason;
  }
}

/**
 * Checks a downloaded chain before it is stored: the leaf is of our key, has exactly the names ordered, is valid now,
 * and each certificate is signed by the next.
 * @param o.now epoch milliseconds
 * @throws CertificateMismatchError
 */
export function verifyCertificate(o: {
  readonly pemChain: string;
  readonly names: readonly string[];
  readonly keyPem: string;
  readonly now: number;
}): CertificateFacts {
  const chain = readChain(o.pemChain);
  const facts = factsOf(chain);
  if (!chain[0].checkPrivateKey(readKey(o.keyPem))) {
    throw new CertificateMismatchError(
      'key',
      'The CA sent a certificate for another key than the one it was asked for.',
    );
  }
  checkNames(facts.names, o.names);
  checkOrder(chain);
  checkDates(facts, o.now);
  return facts;
}

/**
 * What the first certificate of a PEM text says.
 * @throws CertificateMismatchError with reason `unreadable`
 */
export function certificateFacts(pem: string): CertificateFacts {
  return factsOf(readChain(pem));
}

/** CAs date certificates back by up to an hour; a clock that is off by more than that is worth an error. */
const clockToleranceMs = 3600_000;

type Chain = readonly [X509Certificate, ...X509Certificate[]];

/** Of the text that tells who signed; RFC 5280 allows 64 characters for a common name. */
const maxIssuer = 256;
/** Of a whole chain; those of public CAs have some 5,000 characters. */
const maxChain = 262_144;

function readChain(pem: string): Chain {
  if (pem.length > maxChain)
    throw new CertificateMismatchError('unreadable', `The chain has more than ${maxChain} characters.`);
  const blocks = pemCertificates(pem);
  if (!blocks?.length) throw new CertificateMismatchError('unreadable', 'The text holds no PEM certificate.');
  try {
    return blocks.map(parsed) as unknown as Chain;
  } catch (cause) {
    throw new CertificateMismatchError('unreadable', 'A certificate of the chain cannot be read.', cause);
  }
}

const recent = new Map<string, X509Certificate>();
const maxRecent = 64;

/** Intermediates come with every certificate, and a leaf is looked at when it is downloaded and when it is stored. */
function parsed(pem: string): X509Certificate {
  const known = recent.get(pem) ?? new X509Certificate(pem);
  recent.delete(pem);
  recent.set(pem, known);
  if (recent.size > maxRecent) recent.delete(recent.keys().next().value as string);
  return known;
}

function readKey(pem: string): KeyObject {
  try {
    return readPrivateKey(pem);
  } catch (cause) {
    throw new CertificateMismatchError('key', "The certificate's private key cannot be read.", cause);
  }
}

function factsOf(chain: Chain): CertificateFacts {
  const leaf = chain[0];
  return {
    notBefore: Date.parse(leaf.validFrom),
    notAfter: Date.parse(leaf.validTo),
    serial: leaf.serialNumber,
    issuer: oneLine(/^CN=(.*)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer.split('\n').join(', '), maxIssuer),
    names: dnsNames(leaf),
    chainLength: chain.length,
    fingerprint: leaf.fingerprint256,
  };
}

/** Node quotes a value that holds anything odd, so that one is never mistaken for a name of the order. */
function dnsNames(leaf: X509Certificate): string[] {
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .filter(Boolean)
    .map((entry) => (entry.startsWith('DNS:') ? entry.slice(4).toLowerCase() : entry));
}

function checkNames(issued: readonly string[], ordered: readonly string[]): void {
  const wanted = new Set(ordered.map((name) => name.toLowerCase()));
  const missing = [...wanted].filter((name) => !issued.includes(name));
  const extra = issued.filter((name) => !wanted.has(name));
  if (missing.length === 0 && extra.length === 0) return;
  throw new CertificateMismatchError(
    'names',
    `The certificate's names are not the ones ordered:${list(' missing', missing)}${list(' not ordered', extra)}.`,
  );
}

function list(title: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  return `${title} ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''};`;
}

function checkOrder(chain: Chain): void {
  chain.slice(1).forEach((issuer, index) => {
    const issued = chain[index]!;
    if (issued.checkIssued(issuer) && issued.verify(issuer.publicKey)) return;
    throw new CertificateMismatchError(
      'chain',
      `Certificate ${index + 1} of the chain is not signed by certificate ${index + 2}; the CA sent a wrong chain.`,
    );
  });
}

function checkDates({ notBefore, notAfter }: CertificateFacts, now: number): void {
  if (!(notBefore < notAfter) || now > notAfter || now < notBefore - clockToleranceMs) {
    throw new CertificateMismatchError(
      'dates',
      `The new certificate is valid from ${instant(notBefore)} to ${instant(notAfter)}, but here it is ${instant(now)}. ` +
        'Check the clock of this machine.',
    );
  }
}

function instant(at: number): string {
  return Number.isNaN(at) ? 'an unreadable time' : new Date(at).toISOString();
}
