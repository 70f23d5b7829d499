import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Agent, request as httpsRequest } from 'node:https';
import {
  type JsonGeneralName,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';
import { calculateJwkThumbprint, exportJWK, FlattenedSign, generateKeyPair, type JWK } from 'jose';
import type { SandboxCa } from './server.ts';

/** A bare ACME client for the tests of the CA: it does what it is told, wrong things included. */
export interface TestClient {
  readonly jwk: JWK;
  readonly thumbprint: string;
  kid: string | undefined;
  nonce(): Promise<string>;
  /** The JWS as a client would send it; `header` overrides members, `undefined` ones are left out. */
  sign(url: string, payload?: unknown, header?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** POST with `payload`, POST-as-GET without. */
  post(url: string, payload?: unknown, header?: Record<string, unknown>): Promise<TestAnswer>;
  send(method: string, url: string, body?: string, contentType?: string): Promise<TestAnswer>;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: Record<string, unknown>;
  /** The last part of the problem's type. */
  readonly problem: string | undefined;
}

export async function createTestClient(ca: SandboxCa): Promise<TestClient> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const agent = new Agent({ ca: ca.rootPem, keepAlive: true });
  const directory = (await send(agent, 'GET', ca.directoryUrl)).json as Record<string, string>;
  const nonce = async (): Promise<string> => {
    const { headers } = await send(agent, 'HEAD', directory.newNonce!);
    return String(headers['replay-nonce']);
  };
  const client: TestClient = {
    jwk,
    thumbprint: await calculateJwkThumbprint(jwk),
    kid: undefined,
    keys: pair as webcrypto.CryptoKeyPair,
    nonce,
    async sign(url, payload, header = {}) {
      const octets = new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload));
      const signer = client.kid === undefined ? { jwk } : { kid: client.kid };
      const members = { alg: 'ES256', url, nonce: await nonce(), ...signer, ...header };
      const defined = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
      return {
        ...(await new FlattenedSign(octets).setProtectedHeader(defined as { alg: string }).sign(pair.privateKey)),
      };
    },
    post: async (url, payload, header) =>
      send(agent, 'POST', url, JSON.stringify(await client.sign(url, payload, header)), 'application/jose+json'),
    send: (method, url, body, contentType) => send(agent, method, url, body, contentType),
  };
  return client;
}

/** A client with an account. */
export async function createTestAccount(ca: SandboxCa, payload: object = {}): Promise<TestClient> {
  const client = await createTestClient(ca);
  const answer = await client.post(ca.directoryUrl.replace('directory', 'new-account'), payload);
  client.kid = String(answer.headers.location);
  return client;
}

/** A CSR in base64url. */
export async function createTestCsr(
  names: readonly string[],
  keys?: webcrypto.CryptoKeyPair,
  subject = '',
): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair = keys ?? (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']));
  const csr = await Pkcs10CertificateRequestGenerator.create(
    {
      name: subject,
      keys: pair,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      extensions: [
        new SubjectAlternativeNameExtension(names.map((value): JsonGeneralName => ({ type: 'dns', value }))),
      ],
    },
    webcrypto,
  );
  return Buffer.from(csr.rawData).toString('base64url');
}

function send(agent: Agent, method: string, url: string, body?: string, contentType?: string): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const request = httpsRequest(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
        const json = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
        const problem = typeof json.type === 'string' ? json.type.split(':').at(-1) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json, problem });
      });
    });
    request.on('error', reject).end(body);
  });
}
