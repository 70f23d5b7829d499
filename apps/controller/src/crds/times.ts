/**
 * Instants of a status: what they are called inside, where they are epoch milliseconds, and in the API, where they are
 * RFC 3339 texts and go by the conventions of Kubernetes.
 */
export const apiNameOf = {
  at: 'time',
  expiresAt: 'expirationTime',
  lastTransitionAt: 'lastTransitionTime',
  notAfter: 'notAfter',
  notBefore: 'notBefore',
  presentedAt: 'presentedTime',
  renewAt: 'renewalTime',
  renewRequestedAt: 'renewalRequestedTime',
  retryAt: 'retryTime',
  since: 'since',
  termsOfServiceAgreedAt: 'termsOfServiceAgreedTime',
  until: 'until',
} as const;

type Json = Readonly<Record<string, unknown>>;

const toApi = new Map<string, string>(Object.entries(apiNameOf));
const fromApi = new Map<string, string>(Object.entries(apiNameOf).map(([inside, api]) => [api, inside]));

// A provider's own fields, which may bear any name.
const opaque = 'config';

/** Epoch milliseconds -> texts, at any depth. */
export function withTexts(status: Json): Json {
  return renamed(status, toApi, (value) => (typeof value === 'number' ? timeText(value) : undefined));
}

/** The inverse of {@link withTexts}. */
export function withInstants(status: Json): Json {
  return renamed(status, fromApi, (value) => (typeof value === 'string' ? Date.parse(value) : undefined));
}

/** `2026-11-21T18:06:00Z`, with milliseconds only where there are some. */
export function timeText(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

function renamed(node: Json, names: ReadonlyMap<string, string>, convert: (value: unknown) => unknown): Json {
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined) return [];
    const name = names.get(key);
    const converted = name === undefined ? undefined : convert(value);
    if (name !== undefined && converted !== undefined) return [[name, converted]];
    if (key === opaque) return [[key, value]];
    return [[key, below(value, (child) => renamed(child, names, convert))]];
  });
  return Object.fromEntries(entries);
}

function below(value: unknown, rename: (child: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => below(element, rename));
  return typeof value === 'object' && value !== null ? rename(value as Json) : value;
}
