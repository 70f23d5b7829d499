import { type CallContext, type EgressError, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { Account } from './accounts.ts';
import { type AcmednsConfig, endpoint } from './config.ts';
import { answerError, egressError } from './errors.ts';

/** The two requests of the acme-dns API that are used; https://github.com/acme-dns/acme-dns#api */
export interface Client {
  /** POST /update: puts `value` into the older of the account's two slots. @throws UpdateFailure */
  update(account: Account, value: string, call: CallContext): Promise<void>;
  /** GET /health; false when this server has none. @throws ProviderError */
  health(call: CallContext): Promise<boolean>;
}

/** An update that was not confirmed. When `sent` is false, it certainly had no effect. */
export class UpdateFailure extends Error {
  readonly error: ProviderError;
  readonly sent: boolean;

  constructor(error: ProviderError, sent: boolean) {
    super(error.message, { cause: error });
    this.error = error;
    this.sent = sent;
  }
}

const timeoutMs = 30_000; // a bcrypt comparison on a busy small machine takes seconds
const maxBytes = 65_536;

export function createClient(config: AcmednsConfig, host: ProviderHost): Client {
  const at = `${host.providerName}: ${new URL(config.host).host}`;

  async function permitted(call: CallContext, what: string): Promise<void> {
    try {
      if (call.signal.aborted) throw call.signal.reason;
      await call.permit();
    } catch (error) {
      if (isProviderError(error)) throw error;
      throw new ProviderError({ kind: 'aborted', message: `${at}: stopped before ${what}`, cause: error });
    }
  }

  return {
    async update(account, value, call) {
      const what = `the update of ${account.fulldomain}`;
      let sent = false;
      try {
        await permitted(call, what);
        sent = true;
        const { status, headers, body } = await host.egress.http({
          method: 'POST',
          url: endpoint(config.host, 'update'),
          headers: {
            'content-type': 'application/json',
            'x-api-user': account.username,
            'x-api-key': account.password.text(),
          },
          body: JSON.stringify({ subdomain: account.subdomain, txt: value }),
          signal: call.signal,
          timeoutMs,
          maxBytes,
        });
        if (status >= 200 && status <= 299) return;
        sent = false; // it was refused, so it had no effect
        const answer = { status, code: errorCode(body), location: text(headers.location) };
        throw answerError(answer, what, at, retryAfterMs(text(headers['retry-after']), host.clock.now()));
      } catch (error) {
        if (isProviderError(error)) throw new UpdateFailure(error, sent);
        if (isEgressError(error)) throw new UpdateFailure(egressError(error, what, at), error.sent);
        throw error;
      }
    },

    async health(call) {
      const what = 'the question for its health';
      await permitted(call, what);
      try {
        const url = endpoint(config.host, 'health');
        const { status, headers, body } = await host.egress.http({
          method: 'GET',
          url,
          signal: call.signal,
          timeoutMs,
          maxBytes,
        });
        if (status === 404) return false;
        if (status >= 200 && status <= 299) return true;
        throw answerError({ status, code: errorCode(body), location: text(headers.location) }, what, at, undefined);
      } catch (error) {
        if (isEgressError(error)) throw egressError(error, what, at);
        throw error;
      }
    },
  };
}

/** By name, since another copy of core may have made it. */
function isEgressError(error: unknown): error is EgressError {
  return error instanceof Error && error.name === 'EgressError' && 'sent' in error;
}

/** `{"error": "forbidden"}` -> `forbidden`. Only words that acme-dns itself uses: a body may be a whole page. */
function errorCode(body: Uint8Array): string {
  const [, code = ''] = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(Buffer.from(body).toString('latin1')) ?? [];
  return code;
}

/** RFC 9110 10.2.3: seconds or a date. */
function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function text(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
