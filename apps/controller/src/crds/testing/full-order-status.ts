import type { Condition, OrderStatus } from '../../resources/index.ts';

const at = Date.UTC(2026, 10, 21, 18, 6);
const sentence = 'x'.repeat(5_000);

export const condition: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'SelfCheckWaiting',
  message: sentence,
  observedGeneration: 1,
  lastTransitionAt: at,
};

/** The status of an Order for `names` names, each with evidence of 26 addresses, values and a CA bundle. */
export function fullOrderStatus(names: number): OrderStatus {
  const domains = Array.from({ length: names }, (_, i) => `host-${i}.shop.example.com`);
  const servers = Array.from({ length: 26 }, (_, i) => ({
    server: `ns${i}.example.com`,
    address: `2001:db8::${i}`,
    finding: 'lacks',
    transport: 'udp',
    rttMs: 1.5,
    rcode: 'NOERROR',
    aa: true,
    values: ['abcdefghijkl'],
  }));
  const config = { nameserver: '192.0.2.53', caBundle: 'x'.repeat(20_000), since: 'a field of its own' };
  return {
    conditions: [condition],
    acme: {
      orderURL: 'https://ca.example/o/1',
      finalizeURL: 'https://ca.example/f/1',
      status: 'pending',
      expiresAt: at,
    },
    accountURL: 'https://ca.example/a/1',
    challenges: domains.map((domain) => ({
      authorizationURL: `https://ca.example/z/${domain}`,
      domain,
      wildcard: false,
      authorization: 'pending',
      step: 'presented',
      value: 'v'.repeat(43),
      presentedAt: at,
      evidence: {
        verdict: 'missing',
        at,
        zone: 'example.com',
        target: domain,
        servers,
        summary: 'one server lacks it',
      },
    })),
    ledger: domains.map((domain) => ({
      id: `lab/${domain}`,
      owner: 'shop/www-1',
      provider: { issuer: 'Issuer/shop/lab', name: 'dns', key: 'rfc2136', config },
      account: 'rfc2136:192.0.2.53',
      zone: { id: 'example.com', name: 'example.com' },
      name: `_acme-challenge.${domain}`,
      value: 'v'.repeat(43),
      ttl: 60,
      since: at,
    })),
    waiting: { reason: 'SelfCheckWaiting', message: sentence, until: at },
  } as unknown as OrderStatus;
}
