import { type HttpAnswer, headerValue } from './http.ts';

/** More than a client ever has requests under way; the oldest go first, as the CA forgets those first too. */
const capacity = 512;

/** Nonces of one CA (RFC 8555 6.5): each is used once, the newest first, because CAs drop the oldest. */
export class NoncePool {
  #nonces: string[] = [];

  add(nonce: string | undefined): void {
    if (nonce === undefined) return;
    this.#nonces.push(nonce);
    if (this.#nonces.length > capacity) this.#nonces.shift();
  }

  take(): string | undefined {
    return this.#nonces.pop();
  }

  clear(): void {
    this.#nonces = [];
  }
}

/** The `Replay-Nonce` of an answer; one that is not base64url is ignored (RFC 8555 6.5.1). */
export function nonceOf(answer: HttpAnswer): string | undefined {
  const nonce = headerValue(answer, 'replay-nonce');
  return nonce !== undefined && /^[A-Za-z0-9_-]{1,512}$/.test(nonce) ? nonce : undefined;
}
