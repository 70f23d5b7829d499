import { type CallContext, createApiRequests, type HttpAnswer, type ProviderHost, retryAfterMs } from '@zoneproof/core';
import type { Account } from './accounts.ts';
import { type AcmednsConfig, endpoint } from './config.ts';
import { answerError } from './errors.ts';

/** The two requests of the acme-dns API that are used; https://github.com/acme-dns/acme-dns#api */
export interface Client {
  /** POST /update: puts `value` into the older of the account's two slots. @throws ProviderError */
  update(account: Account, value: string, call: CallContext): Promise<void>;
  /** GET /health; false when this server has none. @throws ProviderError */
  health(call: CallContext): Promise<boolean>;
}

const limits = {
  timeoutMs: 30_000, // a bcrypt comparison on a busy small machine takes seconds
  maxBytes: 65_536,
};

export function createClient(config: AcmednsConfig, host: ProviderHost): Client {
  const { caBundle } = config;
  const requests = createApiRequests(host, caBundle === undefined ? host.egress : host.egress.withCaBundle(caBundle));
  const at = `${host.providerName}: ${new URL(config.host).host}`;

  function refusal({ status, headers, body }: HttpAnswer, what: string): Error {
    const answer = { status, code: errorCode(body), location: [headers.location].flat()[0] };
    return answerError(answer, what, at, retryAfterMs(headers['retry-after'], host.clock.now()));
  }

  return {
    async update(account, value, call) {
      const what = `the update of ${account.fulldomain}`;
      const headers = {
        'content-type': 'application/json',
        'x-api-user': account.username,
        'x-api-key': account.password.text(),
      };
      const body = JSON.stringify({ subdomain: account.subdomain, txt: value });
      const url = endpoint(config.host, 'update');
      const answer = await requests.send({ method: 'POST', url, headers, body, ...limits }, what, call);
      if (!isSuccess(answer)) throw refusal(answer, what);
    },

    async health(call) {
      const what = 'the question for its health';
      const url = endpoint(config.host, 'health');
      const answer = await requests.send({ method: 'GET', url, ...limits }, what, call);
      if (answer.status === 404) return false;
      if (!isSuccess(answer)) throw refusal(answer, what);
      return true;
    },
  };
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status <= 299;
}

/** `{"error": "forbidden"}` -> `forbidden`. Only words that acme-dns itself uses: a body may be a whole page. */
function errorCode(body: Uint8Array): string {
  const [, code = ''] = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(Buffer.from(body).toString('latin1')) ?? [];
  return code;
}
