import type { BadDay, Fault } from '@zoneproof/provider-testkit';
import type { ExampleDns } from './service.ts';
import { targetOf } from './target.ts';

/** Every bad day that ExampleDNS can have, and how a write has to end on it. */
export function badDaysOf(service: ExampleDns): readonly BadDay[] {
  const { zones, tokens, lockedNames, rrsets } = service;
  tokens.set('token-of-yesterday', ['expired']).set('token-to-look', ['zones:read']);

  const token = (text: string) => () => ({ secrets: { exampledns: { token: text } } });
  const fault = (one: Fault) => () => ({
    undo: service.fail({ on: 'write', times: Number.POSITIVE_INFINITY, ...one }),
  });
  const until = (begin: () => void, undo: () => void) => () => {
    begin();
    return { undo };
  };

  /** Before the write arrives, another program adds a value at its names, which it takes back in the end. */
  function writerInBetween() {
    const other = 'written-in-between';
    const change = (name: string, next: (values: readonly string[]) => readonly string[]): void => {
      const { ttl = 60, values = [] } = rrsets.get(name) ?? {};
      rrsets.set(name, { ttl, values: next(values) });
    };
    const stop = service.fail({
      kind: 'before',
      on: 'write',
      run({ body }) {
        const { changes } = JSON.parse(body.toString()) as { readonly changes: readonly { readonly name: string }[] };
        for (const { name } of changes) change(name, (values) => [...values, other]);
      },
    });
    return {
      undo() {
        stop();
        for (const name of rrsets.keys()) change(name, (values) => values.filter((value) => value !== other));
      },
    };
  }

  return [
    { name: 'wrong-key', arrange: token('token-of-nobody'), ends: 'auth', says: /bad_token/ },
    { name: 'expired-credentials', arrange: token('token-of-yesterday'), ends: 'auth', says: /expired_token/ },
    { name: 'missing-permission', arrange: token('token-to-look'), ends: 'permission', says: /txt:write/ },
    { name: 'zone-absent', arrange: () => ({ target: targetOf('www.elsewhere.test') }), ends: 'zone-not-found' },
    {
      name: 'zone-twice-public',
      arrange: until(
        () => zones.set('z9', 'example.test'),
        () => zones.delete('z9'),
      ),
      ends: 'zone-not-found',
    },
    { name: 'zone-only-as-parent', arrange: () => ({ target: targetOf('a.b.c.example.test') }), ends: 'done' },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'quota-reached',
      arrange: until(
        () => Object.assign(service, { maxValues: 0 }),
        () => Object.assign(service, { maxValues: 10_000 }),
      ),
      ends: 'quota',
    },
    {
      name: 'half-of-batch-refused',
      arrange: () => {
        const target = targetOf('locked.example.test');
        lockedNames.add(target.name);
        return { target, undo: () => void lockedNames.delete(target.name) };
      },
      ends: 'permission',
      says: /locked/,
    },
    { name: 'answer-lost', arrange: fault({ kind: 'lose-answer' }), ends: 'unavailable' },
    { name: 'throttled', arrange: fault({ kind: 'throttled', retryAfterSeconds: 7 }), ends: 'rate-limited' },
    { name: 'server-error', arrange: fault({ kind: 'server-error' }), ends: 'unavailable' },
    { name: 'html-page', arrange: fault({ kind: 'html', status: 502 }), ends: 'unavailable' },
    {
      name: 'answer-lacks-fields',
      arrange: fault({ kind: 'change-answer', change: ({ status }) => ({ status, body: {} }) }),
      ends: 'unavailable',
    },
    {
      name: 'answer-has-more-fields',
      arrange: fault({
        kind: 'change-answer',
        change: ({ status, body }) => ({ status, body: { ...(body as object), server: 'a7', took: { ms: 3 } } }),
      }),
      ends: 'done',
    },
    { name: 'foreign-writer-in-between', arrange: writerInBetween, ends: 'done' },
  ];
}
