import {
  type CallContext,
  type ChangeOutcome,
  createApiRequests,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type TxtChange,
  type Zone,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { Config } from './config.ts';
import { refusal, unreadable } from './errors.ts';

export function createProvider(config: Config, host: ProviderHost): DnsProvider {
  const { endpoint = 'https://api.dns.example', caBundle } = config;
  const token = host.secret(config.tokenSecretRef);
  const requests = createApiRequests(host, caBundle === undefined ? host.egress : host.egress.withCaBundle(caBundle));

  /** One permit, one request. Everything thrown is a ProviderError, also when `read` misses something in the answer. */
  async function ask<T>({ method, path, what, body }: Question, call: CallContext, read: (answer: Answer) => T) {
    const headers = { authorization: `Bearer ${(await token.get()).text()}`, 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await requests.send({ method, url: `${endpoint}${path}`, headers, ...content }, what, call);
    if (answer.status !== 200) throw refusal(answer, what, host);
    try {
      return read(JSON.parse(Buffer.from(answer.body).toString()) as Answer);
    } catch {
      throw unreadable(what, host);
    }
  }

  /** https://dns.example/docs/zones */
  function zonesOf(page: number, call: CallContext) {
    const question: Question = { method: 'GET', path: `/zones?page=${page}`, what: 'the list of zones' };
    return ask(question, call, ({ zones, next }) => ({
      zones: zones.map(({ id, name }): Zone => ({ id, name: toDnsName(name) })),
      next,
    }));
  }

  return {
    async listZones(call) {
      const all: Zone[] = [];
      let page: number | undefined = 1;
      while (page !== undefined) {
        const { zones, next }: Awaited<ReturnType<typeof zonesOf>> = await zonesOf(page, call);
        all.push(...zones);
        page = next;
      }
      return all;
    },

    // What is thrown here counts for every change: as unknown where `details.sent` is true, else as failed.
    apply({ id, name }, changes, call) {
      const question: Question = {
        method: 'POST',
        path: `/zones/${id}/changes`,
        what: `the change of ${changes.length} values in ${name}`,
        body: { changes: changes.map(({ state, name, value, ttl }) => ({ state, name, value, ttl })) },
      };
      return ask(question, call, ({ results }) => changes.map((change, i) => outcomeOf(change, results[i] as Result)));
    },

    async check(call) {
      try {
        const { zones } = await zonesOf(1, call);
        if (zones.length > 0) return [{ what: 'zones', result: 'ok', detail: `${host.providerName} shows its zones.` }];
        return [{ what: 'zones', result: 'warning', detail: `${host.providerName} shows no zone. Add one.` }];
      } catch (error) {
        if (!isProviderError(error)) throw error;
        const what = error.kind === 'auth' || error.kind === 'permission' ? 'credentials' : 'reachable';
        return [{ what, result: 'failed', detail: error.message }];
      }
    },
  };

  /** The service answers with the values that are there now, which proves what it says. */
  function outcomeOf({ state, name, value }: TxtChange, { changed, values }: Result): ChangeOutcome {
    if (values.includes(value) === (state === 'present')) return { status: changed ? 'changed' : 'unchanged' };
    const message = `${host.providerName}: ${name} is not as the service says. It is written again.`;
    return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message }) };
  }
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly what: string;
  readonly body?: object;
}

/** What is used of the answers. */
interface Answer {
  readonly zones: readonly { readonly id: string; readonly name: string }[];
  /** The next page, where there is one. */
  readonly next?: number;
  readonly results: readonly Result[];
}

interface Result {
  readonly changed: boolean;
  readonly values: readonly string[];
}
