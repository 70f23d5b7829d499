import type { RecordTarget } from '@zoneproof/core';
import type { BadDay, Secrets } from '@zoneproof/provider-testkit';
import type { SandboxAcmeDns } from '@zoneproof/sandbox';

type Fault = Omit<Parameters<SandboxAcmeDns['failNext']>[0], 'at'>;

/** Bad days of the sandbox's acme-dns, and of a proxy before it. */
export function badDays(server: SandboxAcmeDns, wrongSecrets: () => Secrets, nobody: RecordTarget): readonly BadDay[] {
  const faulty = (fault: Fault): BadDay['arrange'] => {
    return () => {
      server.failNext({ at: 'update', ...fault });
      return {};
    };
  };
  return [
    {
      name: 'wrong-key',
      arrange: () => ({ secrets: wrongSecrets() }),
      ends: 'auth',
      says: /401 \(forbidden\).*a wrong password/,
    },
    {
      name: 'missing-permission',
      arrange: faulty({ status: 403 }),
      ends: 'permission',
      says: /answered 403.*access rules/,
    },
    { name: 'zone-absent', arrange: () => ({ target: nobody }), ends: 'zone-not-found', says: /no zone holds/ },
    {
      name: 'throttled',
      arrange: faulty({ status: 429, headers: { 'retry-after': '7' } }),
      ends: 'rate-limited',
      says: /answered 429/,
    },
    {
      name: 'server-error',
      arrange: faulty({ status: 500, body: '{"error": "db_error"}' }),
      ends: 'unavailable',
      says: /500 \(db_error\)/,
    },
    {
      name: 'html-page',
      arrange: faulty({ status: 502, body: '<html><h1>Bad gateway</h1></html>' }),
      ends: 'unavailable',
      says: /answered 502/,
    },
    { name: 'answer-lacks-fields', arrange: faulty({ status: 200, body: '{}', applied: true }), ends: 'done' },
    {
      name: 'answer-has-more-fields',
      arrange: faulty({ status: 200, body: '{"txt": "", "version": "9", "hints": []}', applied: true }),
      ends: 'done',
    },
  ];
}

/** For `setAside`. */
export const cannotHave: Readonly<Record<string, string>> = {
  'E8 expired-credentials': 'an account does not expire',
  'E8 clock-off': 'no clock takes part',
  'E8 zone-twice-public': 'an account is a zone of its own',
  'E8 zone-public-and-private': 'an account is a zone of its own',
  'E8 zone-only-as-parent': 'an account is a zone of its own',
  'E8 thousand-changes': 'a zone holds two values',
  'E8 quota-reached': 'it is no answer of the service; slots.test.ts has it',
  'E8 half-of-batch-refused': 'a request holds one value; provider.test.ts has the rest of a batch',
  'E8 answer-lost': 'A2 arranges it',
};
