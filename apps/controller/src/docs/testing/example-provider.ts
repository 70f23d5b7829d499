import {
  type CallContext,
  type ChangeOutcome,
  type DnsProvider,
  defineProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type Static,
  secretRef,
  type TxtChange,
  Type,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';

const schema = Type.Object(
  {
    endpoint: Type.String({
      minLength: 8,
      maxLength: 2048,
      description: 'Base URL of the API.',
      examples: ['https://api.example.net'],
    }),
    tokenSecretRef: secretRef('the API token'),
  },
  { additionalProperties: false, description: 'Zones at ExampleDNS.' },
);
type Config = Static<typeof schema>;

export const exampledns = defineProvider({
  key: 'exampledns',
  displayName: 'ExampleDNS',
  schema,
  capabilities: {
    model: 'record',
    maxValuesPerName: 50,
    batch: { maxChanges: 20, atomic: false },
    writeScope: 'none',
    compareAndSet: true,
    ttl: { min: 60, max: 86_400, default: 60 },
    sync: false,
    buckets: [{ name: 'api', burst: 10, perSecond: 5, source: 'https://api.example.net/limits' }],
  },
  example: { endpoint: 'https://api.example.net', tokenSecretRef: { name: 'exampledns', key: 'token' } },
  account: ({ endpoint, tokenSecretRef: { name, key } }) => `${new URL(endpoint).host}/${name}/${key}`,
  create: createProvider,
});

function createProvider({ endpoint, tokenSecretRef }: Config, host: ProviderHost): DnsProvider {
  const token = host.secret(tokenSecretRef);

  /** One request; everything thrown is a ProviderError. */
  async function ask(method: 'GET' | 'PUT' | 'DELETE', path: string, call: CallContext, body?: object) {
    const authorization = `Bearer ${(await token.get()).text()}`;
    await call.permit();
    try {
      const answer = await host.egress.http({
        method,
        url: `${endpoint}${path}`,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: call.signal,
      });
      if (answer.status >= 300) throw refusal(answer.status, host.providerName);
      return JSON.parse(Buffer.from(answer.body).toString('utf8')) as unknown;
    } catch (error) {
      throw isProviderError(error) ? error : silence(error, host.providerName);
    }
  }

  async function applyOne(zone: string, change: TxtChange, call: CallContext): Promise<ChangeOutcome> {
    const { name, value, ttl, state } = change;
    const path = `/zones/${zone}/txt/${name}`;
    try {
      const before = (await ask('GET', path, call)) as string[];
      if (before.includes(value) === (state === 'present')) return { status: 'unchanged' };
      await ask(state === 'present' ? 'PUT' : 'DELETE', path, call, { value, ttl });
      const after = (await ask('GET', path, call)) as string[];
      if (after.includes(value) === (state === 'present')) return { status: 'changed' };
      const message = `${host.providerName}: ${name} did not change although the API said so. Ask ExampleDNS.`;
      return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message }) };
    } catch (error) {
      if (!isProviderError(error)) throw error;
      return { status: error.details.vendorCode === sentWithoutAnswer ? 'unknown' : 'failed', error };
    }
  }

  return {
    apply: (zone, changes, call) => Promise.all(changes.map((change) => applyOne(zone.id, change, call))),
    async listZones(call) {
      const zones = (await ask('GET', '/zones', call)) as { id: string; name: string }[];
      return zones.map(({ id, name }) => ({ id, name: toDnsName(name) }));
    },
    async check(call) {
      try {
        await ask('GET', '/zones', call);
        return [{ what: 'credentials', result: 'ok', detail: `${host.providerName}: the API takes the token.` }];
      } catch (error) {
        const detail = isProviderError(error) ? error.message : `${host.providerName}: the check broke off.`;
        return [{ what: 'credentials', result: 'failed', detail }];
      }
    },
  };
}

const sentWithoutAnswer = 'sent-without-answer';

function refusal(status: number, at: string): ProviderError {
  const message = `${at}: the API answered ${status}. Check tokenSecretRef, and what the token may do.`;
  const kind = status === 401 ? 'auth' : status === 429 ? 'rate-limited' : status >= 500 ? 'unavailable' : 'permission';
  return new ProviderError({ kind, message, httpStatus: status });
}

/** No answer: `sent` of an EgressError says whether the request may have had an effect. */
function silence(cause: unknown, at: string): ProviderError {
  const { kind, sent = true } = cause as { readonly kind?: string; readonly sent?: boolean };
  return new ProviderError({
    kind: kind === 'aborted' ? 'aborted' : 'unavailable',
    message: `${at}: the API gave no usable answer. Check endpoint.`,
    ...(sent ? { vendorCode: sentWithoutAnswer } : {}),
    cause,
  });
}
