import { setTimeout as delay } from 'node:timers/promises';
import type { AccountKey } from './account-key.ts';
import { Connection } from './connection.ts';
import type { Directory } from './directory.ts';
import { AcmeProtocolError } from './errors.ts';
import { type HttpAnswer, type HttpClient, headerValue, headerValues } from './http.ts';
import { bindExternalAccount, type ExternalAccount } from './jws.ts';
import { absolute, isUrl, linkTargets } from './link.ts';
import { pemCertificates } from './pem.ts';
import { AcmeProblem } from './problem.ts';
import {
  type Account,
  type AcmeOrder,
  type Authorization,
  type CertificateChain,
  type OrderState,
  parseAccountStatus,
  parseAuthorization,
  parseOrder,
} from './resources.ts';
import { parseRetryAfter } from './retry-after.ts';

export interface AcmeClientOptions {
  readonly directoryUrl: string;
  readonly http: HttpClient;
  readonly key: AccountKey;
  /** As stored from an earlier {@link AcmeClient.ensureAccount}. */
  readonly accountUrl?: string;
  readonly clock?: { now(): number };
  /** RFC 8555 6.1 wants the program and its HTTP library named. */
  readonly userAgent?: string;
  /** Rejects with the signal's reason when that fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface NewAccount {
  /** `mailto:` URLs; many CAs neither need nor keep them. */
  readonly contact?: readonly string[];
  readonly termsOfServiceAgreed: boolean;
  readonly eab?: ExternalAccount;
  /** Find the account of this key, make none: `accountDoesNotExist` when there is none. */
  readonly onlyReturnExisting?: boolean;
}

export interface NewOrder {
  /** A-labels, `*.` allowed in front. */
  readonly names: readonly string[];
  /** One of the directory's `meta.profiles`. */
  readonly profile?: string;
  /** Certificate identifier of RFC 9773 of the certificate that this order renews. */
  readonly replaces?: string;
  /** Epoch milliseconds. Let's Encrypt refuses orders that have it. */
  readonly notBefore?: number;
  /** Epoch milliseconds. Let's Encrypt refuses orders that have it. */
  readonly notAfter?: number;
}

/**
 * One account at one CA (RFC 8555). Reads and sends, and remembers directory, nonces and the account URL only: what an
 * order needs next, and when, is the caller's to decide. Safe to use concurrently.
 *
 * Every method throws {@link AcmeProblem} (refused), {@link AcmeProtocolError} (not ACME), AcmeUnavailableError (no
 * answer) or the signal's reason.
 */
export interface AcmeClient {
  /** Read at most once a day, and again after a 404 or 405. */
  directory(signal: AbortSignal): Promise<Directory>;
  /**
   * The account of the key: found or made (RFC 8555 7.3, 7.3.1). Later calls of this client use its URL.
   * @throws AccountKeyError when `eab` has an empty HMAC key
   */
  ensureAccount(o: NewAccount, signal: AbortSignal): Promise<Account>;
  /** Reads the account at its known URL. */
  account(signal: AbortSignal): Promise<Account>;
  newOrder(o: NewOrder, signal: AbortSignal): Promise<AcmeOrder>;
  order(url: string, signal: AbortSignal): Promise<AcmeOrder>;
  authorization(url: string, signal: AbortSignal): Promise<Authorization>;
  /**
   * Asks the CA to validate. Once, and only when the record can be seen: a failed challenge is final (RFC 8555 8.2).
   * Then read the authorization, not the challenge.
   */
  respond(challengeUrl: string, signal: AbortSignal): Promise<void>;
  /** Gives up an authorization (RFC 8555 7.5.2). Never one that another running order of the account shares. */
  deactivateAuthorization(url: string, signal: AbortSignal): Promise<void>;
  /** `badCSR` leaves the order ready; on `orderNotReady` read the order again (RFC 8555 7.4). */
  finalize(finalizeUrl: string, csrDer: Uint8Array, signal: AbortSignal): Promise<OrderState>;
  certificate(url: string, signal: AbortSignal): Promise<CertificateChain>;
}

/** @throws TypeError when `directoryUrl` is no http or https URL */
export function createAcmeClient(options: AcmeClientOptions): AcmeClient {
  const { directoryUrl } = options;
  if (!/^https?:\/\//i.test(directoryUrl) || !URL.canParse(directoryUrl)) {
    throw new TypeError(`"${directoryUrl}" is no URL of an ACME directory; it has to start with https://.`);
  }
  return new Rfc8555Client(options);
}

class Rfc8555Client implements AcmeClient {
  readonly #key: AccountKey;
  readonly #clock: { now(): number };
  readonly #connection: Connection;
  #accountUrl: string | undefined;

  constructor(o: AcmeClientOptions) {
    this.#key = o.key;
    this.#clock = o.clock ?? Date;
    this.#accountUrl = o.accountUrl;
    this.#connection = new Connection({
      directoryUrl: o.directoryUrl,
      http: o.http,
      key: o.key,
      clock: this.#clock,
      userAgent: o.userAgent ?? 'zoneproof-acme undici',
      wait: o.wait ?? pause,
    });
  }

  directory(signal: AbortSignal): Promise<Directory> {
    return this.#connection.directory(signal);
  }

  async ensureAccount(o: NewAccount, signal: AbortSignal): Promise<Account> {
    if (o.onlyReturnExisting) return this.#newAccount({ onlyReturnExisting: true }, undefined, signal);
    if (o.eab) {
      // An external account binding may work only once or expire: it is not spent on an account that is there.
      try {
        return await this.#newAccount({ onlyReturnExisting: true }, undefined, signal);
      } catch (error) {
        if (!isAccountMissing(error)) throw error;
      }
    }
    const { contact = [], termsOfServiceAgreed, eab } = o;
    return this.#newAccount({ ...(contact.length > 0 && { contact }), termsOfServiceAgreed }, eab, signal);
  }

  async #newAccount(members: object, eab: ExternalAccount | undefined, signal: AbortSignal): Promise<Account> {
    let asked = '';
    const { answer, body } = await this.#connection.postTo(
      'newAccount',
      async (url) => {
        asked = url;
        const externalAccountBinding = eab && (await bindExternalAccount(this.#key, eab, url));
        return { url, payload: JSON.stringify({ ...members, ...(eab && { externalAccountBinding }) }) };
      },
      signal,
    );
    const url = location(answer, asked, 'the account');
    this.#accountUrl = url;
    return this.#toAccount(answer, body, url, answer.status === 201, signal);
  }

  async account(signal: AbortSignal): Promise<Account> {
    const url = this.#kid();
    const { answer, body } = await this.#read(url, signal);
    return this.#toAccount(answer, body, url, false, signal);
  }

  async #toAccount(
    answer: HttpAnswer,
    body: unknown,
    url: string,
    created: boolean,
    signal: AbortSignal,
  ): Promise<Account> {
    const { meta } = await this.directory(signal);
    const termsOfService = linkTargets(headerValues(answer, 'link'), 'terms-of-service', url)[0] ?? meta.termsOfService;
    return {
      url,
      status: parseAccountStatus(body, url),
      created,
      ...(termsOfService !== undefined && { termsOfService }),
    };
  }

  async newOrder(o: NewOrder, signal: AbortSignal): Promise<AcmeOrder> {
    const payload = JSON.stringify({
      identifiers: o.names.map((value) => ({ type: 'dns', value })),
      ...(o.profile !== undefined && { profile: o.profile }),
      ...(o.replaces !== undefined && { replaces: o.replaces }),
      ...(o.notBefore !== undefined && { notBefore: new Date(o.notBefore).toISOString() }),
      ...(o.notAfter !== undefined && { notAfter: new Date(o.notAfter).toISOString() }),
    });
    let asked = '';
    const { answer, body } = await this.#connection.postTo(
      'newOrder',
      (url) => {
        asked = url;
        return { url, payload, kid: this.#kid() };
      },
      signal,
    );
    const url = location(answer, asked, 'the order');
    return { url, ...parseOrder(body, url, this.#retryAfterMs(answer)) };
  }

  async order(url: string, signal: AbortSignal): Promise<AcmeOrder> {
    const { answer, body } = await this.#read(url, signal);
    return { url, ...parseOrder(body, url, this.#retryAfterMs(answer)) };
  }

  async authorization(url: string, signal: AbortSignal): Promise<Authorization> {
    const { answer, body } = await this.#read(url, signal);
    return parseAuthorization(body, url, this.#retryAfterMs(answer));
  }

  async respond(challengeUrl: string, signal: AbortSignal): Promise<void> {
    await this.#post(challengeUrl, {}, signal);
  }

  async deactivateAuthorization(url: string, signal: AbortSignal): Promise<void> {
    await this.#post(url, { status: 'deactivated' }, signal);
  }

  async finalize(finalizeUrl: string, csrDer: Uint8Array, signal: AbortSignal): Promise<OrderState> {
    const csr = Buffer.from(csrDer).toString('base64url');
    const { answer, body } = await this.#post(finalizeUrl, { csr }, signal);
    return parseOrder(body, finalizeUrl, this.#retryAfterMs(answer));
  }

  async certificate(url: string, signal: AbortSignal): Promise<CertificateChain> {
    const { answer } = await this.#read(url, signal, 'application/pem-certificate-chain');
    const blocks = pemCertificates(Buffer.from(answer.body).toString('latin1'));
    if (!blocks?.length) {
      throw new AcmeProtocolError(url, `${url} answered with something else than a chain of PEM certificates.`);
    }
    return { pemChain: blocks.join(''), alternates: linkTargets(headerValues(answer, 'link'), 'alternate', url) };
  }

  #read(url: string, signal: AbortSignal, accept?: string) {
    return this.#connection.post({ url, payload: '', kid: this.#kid(), ...(accept && { accept }) }, signal);
  }

  #post(url: string, payload: object, signal: AbortSignal) {
    return this.#connection.post({ url, payload: JSON.stringify(payload), kid: this.#kid() }, signal);
  }

  #kid(): string {
    if (this.#accountUrl === undefined) throw new Error('The client has no account yet: call ensureAccount first.');
    return this.#accountUrl;
  }

  #retryAfterMs(answer: HttpAnswer): number | undefined {
    return parseRetryAfter(headerValue(answer, 'retry-after'), this.#clock.now());
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

function location(answer: HttpAnswer, url: string, what: string): string {
  const value = headerValue(answer, 'location');
  if (value !== undefined && isUrl(value, url)) return absolute(value, url);
  throw new AcmeProtocolError(url, `${url} answered without the Location of ${what}.`, { httpStatus: answer.status });
}

function isAccountMissing(error: unknown): boolean {
  return (
    error instanceof AcmeProblem && (error.type === 'accountDoesNotExist' || error.type === 'externalAccountRequired')
  );
}
