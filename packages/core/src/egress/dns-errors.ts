import { DnsExchangeError, type DnsExchangeErrorKind, type EncryptedServer } from '@zoneproof/dns';
import type { EgressError, EgressErrorKind } from './egress.ts';

/** The same failure in the terms of DNS, whose errors name the server themselves. */
export function toDnsError(error: EgressError, server: EncryptedServer): DnsExchangeError {
  const problem = error.message.replace(/^(?:POST )?\w+:\/\/\S+: /, '');
  return new DnsExchangeError(kinds[error.kind], server, server.kind, problem, { sent: error.sent, cause: error });
}

const kinds: Readonly<Record<EgressErrorKind, DnsExchangeErrorKind>> = {
  timeout: 'timeout',
  refused: 'refused',
  unreachable: 'unreachable',
  'name-not-found': 'unreachable',
  tls: 'tls',
  reset: 'reset',
  'too-large': 'malformed',
  denied: 'denied',
  aborted: 'aborted',
};

/** For what a caBundle cannot be given: Node adds these to the roots. */
export const unknownCaRemedy = 'add its CA with NODE_EXTRA_CA_CERTS=FILE';
