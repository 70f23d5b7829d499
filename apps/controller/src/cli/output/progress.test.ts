import type { Evidence } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Certificate, CertificateStatus, ChallengeStatus, Order, OrderStatus } from '../../resources/index.ts';
import { describeProgress } from './progress.ts';

const certificate = (status: CertificateStatus) =>
  ({ metadata: { namespace: 'default', name: 'a', generation: 1 }, status }) as Certificate;
const order = (status: OrderStatus) => ({ metadata: { createdAt: 50 }, status }) as Order;
const ready = (status: 'True' | 'False', reason: string, message: string) => ({
  conditions: [{ type: 'Ready', status, reason, message, observedGeneration: 1, lastTransitionAt: 70 }],
});
const acme = { orderURL: 'https://ca.example/order/1', finalizeURL: '', status: 'pending' } as const;
const challenge = (step: ChallengeStatus['step'], more: Partial<ChallengeStatus> = {}): ChallengeStatus => ({
  authorizationURL: 'a',
  domain: 'example.com',
  wildcard: false,
  authorization: 'pending',
  zone: 'example.com',
  step,
  ...more,
});
const evidence = {
  servers: [
    { server: 'ns1.example.com', address: '192.0.2.1', finding: 'has', transport: 'udp' },
    { server: 'ns2.example.com' as DnsName, address: '192.0.2.2', finding: 'lacks', transport: 'udp' },
  ],
} as unknown as Evidence;

test.each<[string, CertificateStatus, OrderStatus | undefined, ReturnType<typeof describeProgress>]>([
  [
    'a current certificate',
    { ...ready('True', 'Issued', ''), notAfter: Date.UTC(2027, 1, 3), renewAt: Date.UTC(2027, 0, 4) },
    undefined,
    { state: 'ready', text: 'valid until 2027-02-03 00:00Z, renewed from 2027-01-04 00:00Z on' },
  ],
  ['nothing known yet', {}, undefined, { state: 'working', text: 'waiting for its issuer' }],
  [
    'an obstacle',
    ready('False', 'IssuerNotFound', 'There is no Issuer x.'),
    undefined,
    { state: 'waiting', text: 'IssuerNotFound: There is no Issuer x.', since: 70 },
  ],
  [
    'a failure',
    { lastFailure: { at: 1, count: 1, reason: 'CAAForbids', message: 'No.', retryAt: 2, issuedFor: '' } },
    undefined,
    { state: 'failed', text: 'CAAForbids: No.' },
  ],
  ['an order not placed yet', { order: 'a-1' }, {}, { state: 'working', text: 'placing the order', since: 50 }],
  [
    'values being written',
    { order: 'a-1' },
    { acme, challenges: [challenge('new', { provider: 'dns' }), challenge('new', { provider: 'dns' })] },
    { state: 'working', text: 'writing 2 TXT values through dns', since: 50 },
  ],
  [
    'the self check says which server it waits for, and since when',
    { order: 'a-1' },
    { acme, challenges: [challenge('presented', { presentedAt: 60, evidence })] },
    { state: 'working', text: 'self check of example.com: waiting for ns2.example.com 192.0.2.2', since: 60 },
  ],
  [
    'the CA validates',
    { order: 'a-1' },
    { acme, challenges: [challenge('responded', { presentedAt: 60 })] },
    { state: 'working', text: 'ca.example validates 1 name', since: 60 },
  ],
  [
    'what stands in the way comes first',
    { order: 'a-1' },
    { acme, challenges: [challenge('new')], waiting: { reason: 'CredentialsRefused', message: 'BADKEY\u001b[2J' } },
    { state: 'waiting', text: 'CredentialsRefused: BADKEY [2J', since: 50 },
  ],
])('%s', (_title, status, orderStatus, expected) => {
  expect(describeProgress(certificate(status), orderStatus === undefined ? undefined : order(orderStatus))).toEqual(
    expected,
  );
});
