import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  type Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { RandomBytes } from '../inputs.ts';

/** A root, an intermediate under it, and what they sign. Keys live in memory only and are new at each start. */
export interface CertificateIssuer {
  /** PEM of the root that every chain and the CA's own HTTPS certificate end at. */
  readonly rootPem: string;
  /** Key and chain (PEM) for an HTTPS server at these addresses and host names. */
  serverCertificate(names: {
    addresses: readonly string[];
    hosts: readonly string[];
  }): Promise<{ key: string; cert: string }>;
  /** Times in epoch milliseconds, cut to seconds as certificates have them. */
  issue(
    request: Pkcs10CertificateRequest,
    names: readonly string[],
    now: number,
    lifetimeMs: number,
  ): Promise<LeafCertificate>;
}

export interface LeafCertificate {
  readonly serial: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly pemChain: string;
}

interface Authority {
  readonly certificate: X509Certificate;
  readonly key: CryptoKey;
}

type CryptoKey = webcrypto.CryptoKey;

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;

// Fixed and wide, so that the chain holds whatever time a test's clock shows.
const authorityLife = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2099-12-31T23:59:59Z') };

export async function createIssuer(random: RandomBytes): Promise<CertificateIssuer> {
  const root = await createAuthority(random, 'CN=Sandbox Root', undefined);
  const intermediate = await createAuthority(random, 'CN=Sandbox Intermediate', root);
  const rootPem = pem(root.certificate);
  return {
    rootPem,
    async serverCertificate({ addresses, hosts }) {
      const keys = await generateKeys();
      const names: JsonGeneralName[] = [
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ...hosts.map((value) => ({ type: 'dns' as const, value })),
      ];
      const leaf = await signLeaf(random, intermediate, keys.publicKey, names, authorityLife);
      const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
      const key = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
      return { key, cert: pem(leaf) + pem(intermediate.certificate) };
    },
    async issue(request, names, now, lifetimeMs) {
      const notBefore = Math.floor(now / 1000) * 1000;
      const notAfter = notBefore + Math.max(1000, Math.floor(lifetimeMs / 1000) * 1000);
      const leaf = await signLeaf(
        random,
        intermediate,
        request.publicKey,
        names.map((value) => ({ type: 'dns', value })),
        { notBefore: new Date(notBefore), notAfter: new Date(notAfter) },
      );
      const serial = leaf.serialNumber.toUpperCase();
      return { serial, notBefore, notAfter, pemChain: pem(leaf) + pem(intermediate.certificate) };
    },
  };
}

async function createAuthority(random: RandomBytes, name: string, parent: Authority | undefined): Promise<Authority> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(random),
      subject: name,
      issuer: parent?.certificate.subject ?? name,
      ...authorityLife,
      publicKey: keys.publicKey,
      signingKey: parent?.key ?? keys.privateKey,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(true, parent ? 0 : undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        ...(parent
          ? [await AuthorityKeyIdentifierExtension.create(parent.certificate.publicKey, false, webcrypto)]
          : []),
      ],
    },
    webcrypto,
  );
  return { certificate, key: keys.privateKey };
}

async function signLeaf(
  random: RandomBytes,
  authority: Authority,
  publicKey: CryptoKey | Pkcs10CertificateRequest['publicKey'],
  names: JsonGeneralName[],
  life: { notBefore: Date; notAfter: Date },
): Promise<X509Certificate> {
  return X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(random),
      issuer: authority.certificate.subject,
      ...life,
      publicKey,
      signingKey: authority.key,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        // RFC 5280 4.2.1.6: critical, because the subject is empty.
        new SubjectAlternativeNameExtension(names, true),
        await SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

/** 16 octets, positive and without leading zeros (RFC 5280 4.1.2.2). */
function serialNumber(random: RandomBytes): string {
  const octets = Buffer.from(random(16));
  octets[0] = (octets[0]! & 0x3f) | 0x40;
  return octets.toString('hex');
}

const pem = (certificate: X509Certificate): string => `${certificate.toString('pem').trim()}\n`;
