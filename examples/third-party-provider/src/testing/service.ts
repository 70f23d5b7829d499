import {
  type ApiAnswer,
  type ApiRequest,
  type EmulatedApi,
  type EmulatorServer,
  startEmulatorServer,
} from '@zoneproof/provider-testkit';

/** ExampleDNS as a test sees it: over HTTPS, with what its documentation promises. */
export interface ExampleDns extends EmulatorServer {
  /** id -> name */
  readonly zones: Map<string, string>;
  /** Tokens and what each may do; https://dns.example/docs/tokens */
  readonly tokens: Map<string, readonly string[]>;
  /** TXT RRsets by name. */
  readonly rrsets: Map<string, Rrset>;
  /** Names that the service keeps for itself; https://dns.example/docs/names */
  readonly lockedNames: Set<string>;
  /** Most values of a zone; https://dns.example/docs/limits */
  maxValues: number;
  /** Called after each change of a name. */
  onChange: (name: string) => void;
}

export interface Rrset {
  readonly ttl: number;
  readonly values: readonly string[];
}

interface Change extends Rrset {
  readonly state: 'present' | 'absent';
  readonly name: string;
  readonly value: string;
}

const pageSize = 50; // https://dns.example/docs/zones

export async function startExampleDns(): Promise<ExampleDns> {
  const zones = new Map<string, string>();
  const tokens = new Map<string, readonly string[]>();
  const rrsets = new Map<string, Rrset>();
  const lockedNames = new Set<string>();
  const state = { maxValues: 10_000, onChange: (_name: string): void => undefined };

  const api: EmulatedApi = {
    actionOf: ({ method }) => (method === 'GET' ? 'zones:read' : 'txt:write'),
    isWrite: (action) => action === 'txt:write',
    throttled: (seconds) => ({
      ...refuse(429, 'too_many_requests', 'Slow down.'),
      headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
    }),
    unavailable: () => refuse(503, 'maintenance', 'Back soon.'),
    answer(request, { pretend }) {
      const rights = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
      if (rights === undefined) return refuse(401, 'bad_token', 'Who are you?');
      if (rights.includes('expired')) return refuse(401, 'expired_token', 'This token had its time.');
      if (!rights.includes(api.actionOf(request))) return refuse(403, 'not_allowed', 'The token lacks a right.');
      return request.method === 'GET' ? list(request) : change(request, pretend);
    },
  };

  function list({ query }: ApiRequest): ApiAnswer {
    const page = Number(query.get('page') ?? 1);
    const all = [...zones].map(([id, name]) => ({ id, name }));
    const more = all.length > page * pageSize ? { next: page + 1 } : {};
    return { status: 200, body: { zones: all.slice((page - 1) * pageSize, page * pageSize), ...more } };
  }

  function change({ path, body }: ApiRequest, pretend: boolean): ApiAnswer {
    const [, zone] = /^\/zones\/([^/]+)\/changes$/.exec(path) ?? [];
    if (zone === undefined || !zones.has(zone)) return refuse(404, 'no_such_zone', 'There is no such zone.');
    const { changes } = JSON.parse(body.toString()) as { readonly changes: readonly Change[] };
    if (changes.some(({ value }) => value.length > 255)) return refuse(422, 'bad_value', 'A value is too long.');
    if (changes.some(({ name }) => lockedNames.has(name))) return refuse(403, 'not_allowed', 'A name is locked.');
    const adds = changes.filter(({ state }) => state === 'present').length;
    const held = [...rrsets.values()].reduce((sum, { values }) => sum + values.length, 0);
    if (held + adds > state.maxValues) return refuse(422, 'zone_full', 'The zone holds no more values.');
    return { status: 200, body: { results: changes.map((one) => apply(one, pretend)) } };
  }

  function apply({ state: wanted, name, value, ttl }: Change, pretend: boolean): object {
    const { values, ttl: kept } = rrsets.get(name) ?? { values: [], ttl };
    const others = values.filter((other) => other !== value);
    const next = wanted === 'present' ? [...others, value] : others;
    const changed = next.length !== values.length;
    if (pretend) return { changed, values };
    if (next.length === 0) rrsets.delete(name);
    else rrsets.set(name, { ttl: kept, values: next });
    if (changed) state.onChange(name);
    return { changed, values: next };
  }

  return Object.assign(state, await startEmulatorServer(api), { zones, tokens, rrsets, lockedNames });
}

function refuse(status: number, code: string, message: string): ApiAnswer {
  return { status, body: { code, message } };
}
