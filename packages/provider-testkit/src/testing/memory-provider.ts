import {
  type CallContext,
  type ChangeOutcome,
  defineProvider,
  EgressError,
  type HttpAnswer,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type ProviderPlugin,
  secretRef,
  type TxtChange,
  Type,
  type Zone,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { StoredRrset } from './memory-service.ts';

/** What a provider may do wrong; each is one line of difference to the right one. */
export type Defect =
  | 'removes-whole-set'
  | 'drops-sibling'
  | 'takes-own-ttl'
  | 'leaks-secret'
  | 'leaks-by-cause'
  | 'throws-plain-error'
  | 'ignores-signal'
  | 'sends-unpermitted'
  | 'claims-without-way-out'
  | 'says-changed-always'
  | 'outcomes-in-reverse'
  | 'never-sees-conflict'
  | 'remembers-own-writes'
  | 'trusts-yes'
  | 'writes-three-times'
  | 'first-zone-by-suffix'
  | 'check-throws'
  | 'account-is-secret'
  | 'other-key';

const schema = Type.Object({ tokenSecretRef: secretRef('the API token') }, { additionalProperties: false });

/** A provider for the service in memory, right unless it is given a defect. */
export function memoryProvider(defect?: Defect): ProviderPlugin<typeof schema> {
  return defineProvider({
    key: defect === 'other-key' ? 'other' : 'memory',
    displayName: 'Memory',
    schema,
    capabilities: {
      model: 'rrset',
      maxValuesPerName: 100,
      batch: { maxChanges: 100, atomic: true },
      writeScope: 'zone',
      compareAndSet: true,
      ttl: { min: 0, max: 86_400, default: 60 },
      sync: false,
      buckets: [],
    },
    example: { tokenSecretRef: { name: 'api', key: 'token' } },
    account: () => (defect === 'account-is-secret' ? 'a-token-that-nobody-may-see' : 'memory'),
    create: (config, host) => createProvider(host, config.tokenSecretRef, defect),
  });
}

function createProvider(
  host: ProviderHost,
  ref: { readonly name: string; readonly key: string },
  defect: Defect | undefined,
): ReturnType<ProviderPlugin['create']> {
  const secret = host.secret(ref);
  const written = new Set<string>();
  let seen: StoredRrset | undefined;

  async function request(
    method: 'GET' | 'PUT',
    path: string,
    call: CallContext,
    body?: object,
    version: number | '*' = 0,
  ): Promise<HttpAnswer> {
    const token = (await secret.get()).text();
    if (defect !== 'sends-unpermitted') await call.permit();
    try {
      const answer = await host.egress.http({
        method,
        url: `https://memory.test${path}`,
        headers: { authorization: `Bearer ${token}`, 'if-match': String(version) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(defect === 'ignores-signal' ? {} : { signal: call.signal }),
      });
      if (answer.status !== 401) return answer;
      const shown = defect === 'leaks-secret' ? `token ${token}` : 'the token';
      const cause = defect === 'leaks-by-cause' ? { sent: { authorization: token } } : undefined;
      throw new ProviderError({
        kind: 'auth',
        message: `${host.providerName}: ${shown} is refused. Replace it.`,
        cause,
      });
    } catch (error) {
      if (!(error instanceof EgressError) || defect === 'throws-plain-error') throw error;
      const kind = error.kind === 'aborted' ? 'aborted' : 'unavailable';
      throw Object.assign(new ProviderError({ kind, message: `${host.providerName}: no answer`, cause: error }), {
        sent: error.sent,
      });
    }
  }

  async function read(name: DnsName, call: CallContext): Promise<StoredRrset> {
    const answer = await request('GET', `/rrsets/${name}`, call);
    if (answer.status === 404) return { ttl: 0, values: [], version: 0 };
    return JSON.parse(Buffer.from(answer.body).toString()) as StoredRrset;
  }

  function nextValues(stored: StoredRrset, changes: readonly TxtChange[]): readonly string[] {
    const present = changes.filter(({ state }) => state === 'present').map(({ value }) => value);
    const absent = new Set(changes.filter(({ state }) => state === 'absent').map(({ value }) => value));
    if (defect === 'removes-whole-set' && absent.size > 0) return present;
    if (defect === 'drops-sibling' && present.length > 0) return present.slice(-1);
    if (defect === 'remembers-own-writes')
      return [...new Set([...stored.values, ...present])].filter((value) => !(absent.has(value) && written.has(value)));
    return [...new Set([...stored.values.filter((value) => !absent.has(value)), ...present])];
  }

  async function writeName(
    name: DnsName,
    changes: readonly TxtChange[],
    call: CallContext,
    tries = 2,
  ): Promise<readonly ChangeOutcome[]> {
    const stored = await read(name, call);
    const values = nextValues(stored, changes);
    if (String(values) === String(stored.values) && defect !== 'says-changed-always')
      return changes.map(() => ({ status: 'unchanged' }));
    const ttl = stored.values.length > 0 && defect !== 'takes-own-ttl' ? stored.ttl : (changes[0] as TxtChange).ttl;
    const any = defect === 'never-sees-conflict' || defect === 'writes-three-times';
    const version = any ? '*' : stored.version;
    for (let extra = defect === 'writes-three-times' ? 2 : 0; extra > 0; extra--)
      await request('PUT', `/rrsets/${name}`, call, { ttl, values }, version);
    const answer = await request('PUT', `/rrsets/${name}`, call, { ttl, values }, version);
    if (answer.status === 412 && tries > 1) return writeName(name, changes, call, tries - 1);
    if (answer.status === 412)
      return changes.map(() => ({
        status: 'failed',
        error: new ProviderError({ kind: 'conflict', message: `${name} changed` }),
      }));
    for (const { value } of changes) written.add(value);
    seen = defect === 'trusts-yes' ? undefined : await read(name, call);
    return changes.map(({ state, value }): ChangeOutcome => {
      const before = stored.values.includes(value) === (state === 'present');
      if (before && defect !== 'says-changed-always') return { status: 'unchanged' };
      if (!seen || seen.values.includes(value) === (state === 'present')) return { status: 'changed' };
      return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message: `${name}: not written` }) };
    });
  }

  return {
    async listZones(call) {
      const answer = await request('GET', '/zones', call);
      const names = JSON.parse(Buffer.from(answer.body).toString()) as DnsName[];
      const zones = names.map((name): Zone => ({ id: name, name }));
      return defect === 'first-zone-by-suffix' ? zones.slice(0, 1) : zones;
    },
    async apply(_zone, changes, call) {
      const name = (changes[0] as TxtChange).name;
      if (defect === 'claims-without-way-out')
        return writeName(name, changes, call).catch(() => changes.map(() => ({ status: 'changed' })));
      try {
        const outcomes = await writeName(name, changes, call);
        return defect === 'outcomes-in-reverse' ? outcomes.toReversed() : outcomes;
      } catch (error) {
        if (!isProviderError(error)) throw error;
        const status = (error as { sent?: boolean }).sent ? 'unknown' : 'failed';
        return changes.map(() => ({ status, error }));
      }
    },
    async check(call) {
      try {
        await request('GET', '/zones', call);
        return [{ what: 'credentials', result: 'ok', detail: 'The token is accepted.' }];
      } catch (error) {
        if (defect === 'check-throws') throw error;
        return [{ what: 'credentials', result: 'failed', detail: (error as Error).message }];
      }
    },
  };
}
