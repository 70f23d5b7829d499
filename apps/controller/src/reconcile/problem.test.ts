import { AcmeProblem, AcmeUnavailableError, type Problem as ProblemDocument } from '@zoneproof/acme';
import { EgressError, ProviderError } from '@zoneproof/core';
import { DnsExchangeError } from '@zoneproof/dns';
import { KubeApiError } from '../kubernetes/api-error.ts';
import { SecretUnreadableError } from '../store/index.ts';
import { Problem, toProblem } from './problem.ts';

const refused = (type: string, disposition: ProblemDocument['disposition'], httpStatus: number): AcmeProblem =>
  new AcmeProblem({ type, detail: 'no', subproblems: [], disposition }, { httpStatus });

test.each([
  ['a nonce refused to the end', refused('badNonce', 'retry', 400), 'CAUnavailable', 'retry'],
  ['a fault of the CA', refused('serverInternal', 'retry', 500), 'CAUnavailable', 'retry'],
  ['a name that is refused', refused('rejectedIdentifier', 'fix-spec', 400), 'NameRejected', 'final'],
  [
    'a full disk',
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    'StateNotWritable',
    'retry',
  ],
  [
    'a write that the API server refuses',
    new KubeApiError({ status: 403, reason: 'Forbidden', message: 'The API server answered with 403' }),
    'StateNotWritable',
    'retry',
  ],
  ['a Secret that is damaged', new SecretUnreadableError('told'), 'SecretUnreadable', 'change'],
  [
    'a Secret that an API server in trouble does not give',
    new SecretUnreadableError('told', undefined, true),
    'SecretUnreadable',
    'retry',
  ],
  ['anything unforeseen', new TypeError('x is undefined'), 'InternalError', 'retry'],
])('%s', (_title, error, reason, cure) => {
  expect(toProblem(error, 0)).toMatchObject({ reason, cure });
});

const denied = Object.assign(new Error('127.0.0.1 may not be connected to: it is a loopback address'), {
  code: 'ZONEPROOF_ADDRESS_DENIED',
});
const egressError = new EgressError('denied', `GET https://a.test/: ${denied.message}`, false, denied);
const dnsError = new DnsExchangeError('denied', { address: '127.0.0.1', port: 53 }, 'udp', denied.message, {
  sent: false,
  cause: denied,
});

test.each([
  ['of the CA', new AcmeUnavailableError('https://a.test/', `No answer: ${denied.message}`, { cause: egressError })],
  ['of a DNS service', new ProviderError({ kind: 'permission', message: denied.message, cause: egressError })],
  ['of a name server', new ProviderError({ kind: 'permission', message: denied.message, cause: dnsError })],
])('an address that may not be asked is told as such: that %s', (_whose, error) => {
  const problem = toProblem(error, 0);
  expect(problem).toMatchObject({ reason: 'AddressNotAllowed', cure: 'change' });
  expect(problem.message).toContain('it is a loopback address');
});

test('a refusal that has nothing to do with the address is not', () => {
  const refusing = new EgressError('denied', 'GET https://a.test/: this process may not use the network', false);
  const error = new ProviderError({ kind: 'permission', message: 'no', cause: refusing });
  expect(toProblem(error, 0).reason).toBe('PermissionDenied');
});

test('what others say is one line with an end, whoever passes it on', () => {
  const said = `a\u0000b\n\u001b[31mc\u202ed\u2028e ${'x'.repeat(10_000)}`;
  for (const error of [
    new ProviderError({ kind: 'auth', message: said }),
    new Error(said),
    new Problem('Issued', said, 'retry'),
  ]) {
    const { message } = toProblem(error, 0);
    expect(message).toMatch(/a b \[31mc d e x+\.\.\.$/);
    expect(message.length).toBe(2048);
  }
});
