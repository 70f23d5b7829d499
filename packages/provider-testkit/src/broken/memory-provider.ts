import {
  type CallContext,
  type ChangeOutcome,
  type CheckItem,
  createApiRequests,
  type DnsProvider,
  defineProvider,
  type HttpAnswer,
  type HttpRequest,
  isProviderError,
  ProviderError,
  type ProviderErrorKind,
  type ProviderHost,
  type ProviderPlugin,
  type Receipt,
  retryAfterMs,
  type Static,
  secretRef,
  type TxtChange,
  Type,
  type Zone,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { StoredRrset } from './memory-service.ts';

const schema = Type.Object(
  { tokenSecretRef: secretRef('the API token') },
  { additionalProperties: false, description: 'A service in memory.' },
);

/** The pieces of the provider; one that is broken differs in one of them. */
export interface Pieces extends Required<Pick<DnsProvider, 'apply' | 'check' | 'listZones' | 'syncState'>> {
  /** One permit, one request. */
  send(request: HttpRequest, what: string, call: CallContext): Promise<HttpAnswer>;
  /** What an answer that is no 2xx means. */
  refusal(answer: HttpAnswer, what: string, token: string): ProviderError;
  nextValues(stored: readonly string[], changes: readonly TxtChange[]): readonly string[];
  nextTtl(stored: StoredRrset, changes: readonly TxtChange[]): number;
  ifMatch(stored: StoredRrset): string;
  /** Brings one name into the wanted state; `tries` are the writes left. */
  writeName(name: DnsName, changes: readonly TxtChange[], call: CallContext, tries: number): Promise<ChangeOutcome[]>;
  /** What stands there after a write; undefined is not asked for. */
  readBack(name: DnsName, call: CallContext): Promise<readonly string[] | undefined>;
}

/** Takes the right pieces and gives the wrong ones. */
export type Break = (right: Pieces, host: ProviderHost) => Partial<Pieces>;

type Plugin = ProviderPlugin<typeof schema>;

/** A provider for the service in memory: right unless it is broken. */
export function memoryProvider(broken: Break = () => ({}), more: Partial<Plugin> = {}): ProviderPlugin {
  return defineProvider({
    key: 'memory',
    displayName: 'Memory',
    schema,
    capabilities: {
      model: 'rrset',
      maxValuesPerName: 100,
      batch: { maxChanges: 100, atomic: false },
      writeScope: 'zone',
      compareAndSet: true,
      ttl: { min: 0, max: 86_400, default: 60 },
      sync: true,
      buckets: [],
    },
    example: { tokenSecretRef: { name: 'api', key: 'token' } },
    account: () => 'memory',
    create: (config, host) => createPieces(config, host, broken),
    ...more,
  }) as unknown as ProviderPlugin;
}

function createPieces({ tokenSecretRef }: Static<typeof schema>, host: ProviderHost, broken: Break): Pieces {
  const secret = host.secret(tokenSecretRef);
  const at = host.providerName;

  async function ask(
    request: Pick<HttpRequest, 'method' | 'body'> & { readonly path: string; readonly ifMatch?: string },
    what: string,
    call: CallContext,
  ): Promise<HttpAnswer> {
    const { method, path, body, ifMatch } = request;
    const token = (await secret.get()).text();
    const url = `https://memory.test${path}`;
    const headers = { authorization: `Bearer ${token}`, ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
    const answer = await pieces.send({ method, url, headers, ...(body && { body }) }, what, call);
    if (answer.status < 300 || answer.status === 404 || answer.status === 412) return answer;
    throw pieces.refusal(answer, what, token);
  }

  async function read(name: DnsName, call: CallContext): Promise<StoredRrset> {
    const answer = await ask({ method: 'GET', path: `/txt/${name}` }, `the values at ${name}`, call);
    return { ttl: 0, values: [], version: 0, ...(answer.status === 404 ? {} : parse<StoredRrset>(answer)) };
  }

  const right: Pieces = {
    send: (request, what, call) => createApiRequests(host).send(request, what, call),

    refusal({ status, headers, body }, what) {
      const { error = '', action = '', cut = '' } = errorOf(body);
      const [, kind, advice] = table.find(([code]) => code === error || code === status) ?? ['', 'unavailable', ''];
      const wait = retryAfterMs(headers['retry-after'], host.clock.now());
      return new ProviderError({
        kind,
        message: `${at}: memory.test answered ${status} (${error}) to ${what}. ${advice}${action}${cut}`,
        httpStatus: status,
        ...(wait !== undefined && { retryAfterMs: wait }),
      });
    },

    nextValues(stored, changes) {
      const named = (state: string): string[] =>
        changes.filter((change) => change.state === state).map(({ value }) => value);
      return [...new Set([...stored.filter((value) => !named('absent').includes(value)), ...named('present')])];
    },

    nextTtl: (stored, changes) => (stored.values.length > 0 ? stored.ttl : (changes[0] as TxtChange).ttl),

    ifMatch: ({ version }) => String(version),

    async writeName(name, changes, call, tries) {
      const stored = await read(name, call);
      const values = pieces.nextValues(stored.values, changes);
      if (String(values) === String(stored.values)) return changes.map(() => ({ status: 'unchanged' }));
      const body = JSON.stringify({ ttl: pieces.nextTtl(stored, changes), values });
      const answer = await ask(
        { method: 'PUT', path: `/txt/${name}`, body, ifMatch: pieces.ifMatch(stored) },
        `the write at ${name}`,
        call,
      );
      if (answer.status === 412) {
        if (tries > 1) return pieces.writeName(name, changes, call, tries - 1);
        const message = `${at}: somebody else changed ${name} at the same time. It is written again.`;
        return changes.map(() => ({ status: 'failed', error: new ProviderError({ kind: 'conflict', message }) }));
      }
      const { change } = parse<{ readonly change?: string }>(answer);
      const after = await pieces.readBack(name, call);
      return changes.map(({ state, value }): ChangeOutcome => {
        const isWanted = (seen: readonly string[]): boolean => seen.includes(value) === (state === 'present');
        if (isWanted(stored.values)) return { status: 'unchanged' };
        if (!after || isWanted(after))
          return { status: 'changed', ...(change !== undefined && { receipt: { kind: 'change', token: change } }) };
        const message = `${at}: memory.test took the write at ${name} and did not do it.`;
        return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message }) };
      });
    },

    readBack: async (name, call) => (await read(name, call)).values,

    async apply(_zone, changes, call) {
      const outcomes = new Map<TxtChange, ChangeOutcome>();
      for (const name of new Set(changes.map((change) => change.name))) {
        const part = changes.filter((change) => change.name === name);
        const became = await pieces.writeName(name, part, call, 2).catch((error: unknown) => {
          if (!isProviderError(error)) throw error;
          const status = error.details.sent ? 'unknown' : 'failed';
          return part.map((): ChangeOutcome => ({ status, error }));
        });
        for (const [index, change] of part.entries()) outcomes.set(change, became[index] as ChangeOutcome);
      }
      return changes.map((change) => outcomes.get(change) as ChangeOutcome);
    },

    async listZones(call) {
      const zones: Zone[] = [];
      for (let page: number | undefined = 1; page !== undefined; ) {
        const answer = await ask({ method: 'GET', path: `/zones?page=${page}` }, 'the list of zones', call);
        const { zones: more, next } = parse<{ readonly zones: readonly Zone[]; readonly next?: number }>(answer);
        zones.push(...more);
        page = next;
      }
      return zones;
    },

    async syncState({ token }: Receipt, call) {
      try {
        const answer = await ask({ method: 'GET', path: `/changes/${token}` }, 'the state of a change', call);
        return parse<{ readonly state: 'pending' | 'synced' }>(answer);
      } catch (error) {
        if (!isProviderError(error) || error.kind !== 'permission') throw error;
        return { state: 'unknown', reason: error.message };
      }
    },

    async check(call): Promise<readonly CheckItem[]> {
      try {
        const { length } = await pieces.listZones(call);
        return [{ what: 'credentials', result: 'ok', detail: `${at}: the token is accepted, ${length} zones.` }];
      } catch (error) {
        return [{ what: 'credentials', result: 'failed', detail: (error as Error).message }];
      }
    },
  };
  const pieces: Pieces = { ...right, ...broken(right, host) };
  return pieces;
}

const table: readonly (readonly [code: string | number, kind: ProviderErrorKind, advice: string])[] = [
  ['clock', 'auth', 'Set the clock of this machine.'],
  ['expired', 'auth', 'The token has expired: make a new one.'],
  ['quota', 'quota', 'Raise the quota or remove values.'],
  ['delegated', 'zone-not-found', 'The zone has delegated '],
  ['refused-value', 'invalid', 'It takes no such value.'],
  [401, 'auth', 'The token is refused: replace it.'],
  [403, 'permission', 'Grant the token '],
  [429, 'rate-limited', 'It is asked again later.'],
];

function errorOf(body: Uint8Array): { readonly error?: string; readonly action?: string; readonly cut?: string } {
  try {
    return JSON.parse(Buffer.from(body).toString()) as object;
  } catch {
    return {};
  }
}

function parse<T>({ body }: HttpAnswer): T {
  return JSON.parse(Buffer.from(body).toString()) as T;
}
