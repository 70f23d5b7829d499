import type { DnsName } from '@zoneproof/dns';
import { randomText } from '../inputs.ts';
import { faultProblem } from './faults.ts';
import { isObject } from './jws.ts';
import { Problem } from './problem.ts';
import type { Account, Answer, Authorization, Ca, Challenge } from './state.ts';

/** The status a client sees: time runs out by itself (RFC 8555 7.1.6). */
export function authorizationStatus(authorization: Authorization, now: number): string {
  if (now < authorization.expiresAt) return authorization.status;
  if (authorization.status === 'valid') return 'expired';
  return authorization.status === 'pending' ? 'invalid' : authorization.status;
}

/** A new authorization, or one the account already has (setting `authzReuse`). */
export function authorize(ca: Ca, account: Account, identifier: string): Authorization {
  const wildcard = identifier.startsWith('*.');
  const name = (wildcard ? identifier.slice(2) : identifier) as DnsName;
  const key = `${account.id} ${identifier}`;
  const latest = ca.latestAuthorization.get(key);
  if (latest && reusable(ca, latest)) return latest;
  const challenge = (type: Challenge['type']): Challenge => ({
    id: ca.nextId(),
    type,
    token: randomText(ca.random, 32),
    status: 'pending',
  });
  const authorization: Authorization = {
    id: ca.nextId(),
    account,
    name,
    wildcard,
    challenges: wildcard ? [challenge('dns-01')] : [challenge('http-01'), challenge('dns-01')],
    status: 'pending',
    expiresAt: ca.clock.now() + ca.settings.orderLifetimeMs,
  };
  ca.authorizations.set(authorization.id, authorization);
  ca.latestAuthorization.set(key, authorization);
  for (const one of authorization.challenges) ca.challenges.set(one.id, { authorization, challenge: one });
  return authorization;
}

/** The authorization URL: read, or `{"status": "deactivated"}` (RFC 8555 7.5, 7.5.2). */
export function readAuthorization(ca: Ca, authorization: Authorization, payload: unknown): Answer {
  if (payload !== undefined) {
    if (!isObject(payload) || payload.status !== 'deactivated')
      throw new Problem('malformed', 'an authorization is read by POST-as-GET or takes {"status": "deactivated"}');
    const status = authorizationStatus(authorization, ca.clock.now());
    if (status !== 'pending' && status !== 'valid')
      throw new Problem('malformed', `the authorization is ${status} and cannot be deactivated`);
    authorization.status = 'deactivated';
  }
  const underWay = authorization.challenges.some((challenge) => challenge.status === 'processing');
  return {
    status: 200,
    headers: underWay && ca.settings.retryAfter !== undefined ? { 'retry-after': String(ca.settings.retryAfter) } : {},
    body: {
      status: authorizationStatus(authorization, ca.clock.now()),
      expires: new Date(authorization.expiresAt).toISOString(),
      identifier: { type: 'dns', value: authorization.name },
      ...(authorization.wildcard && { wildcard: true }),
      challenges: authorization.challenges.map((challenge) => challengeDocument(ca, challenge)),
    },
  };
}

/** The challenge URL: read, or `{}` to start the validation (RFC 8555 7.5.1). */
export function respondToChallenge(
  ca: Ca,
  authorization: Authorization,
  challenge: Challenge,
  payload: unknown,
): Answer {
  if (payload !== undefined) {
    if (!isObject(payload)) throw new Problem('malformed', 'a response to a challenge is a JSON object');
    const status = authorizationStatus(authorization, ca.clock.now());
    if (status !== 'pending' && status !== 'valid')
      throw new Problem('malformed', `the authorization is ${status}: its challenges take no response any more`);
    const answered = authorization.challenges.some((other) => other.status !== 'pending');
    if (!answered) void validateChallenge(ca, authorization, challenge);
  }
  return {
    status: 200,
    headers: { link: `<${ca.resources.authorization(authorization.id)}>;rel="up"` },
    body: challengeDocument(ca, challenge),
  };
}

async function validateChallenge(ca: Ca, authorization: Authorization, challenge: Challenge): Promise<void> {
  challenge.status = 'processing';
  ca.counts.validations++;
  const name = authorization.wildcard ? `*.${authorization.name}` : authorization.name;
  const fault = ca.faults.take('validation', [name]);
  const keyAuthorization = `${challenge.token}.${authorization.account.key.thumbprint}`;
  const problem = await (fault
    ? faultProblem(fault)
    : ca.validate(challenge.type, authorization.name, keyAuthorization));
  // Deactivated while the validation ran: the verdict comes too late.
  if (authorization.status !== 'pending') return;
  if (problem) {
    ca.counts.failedValidations++;
    challenge.error = problem;
    challenge.status = authorization.status = 'invalid';
    return;
  }
  challenge.validatedAt = ca.clock.now();
  challenge.status = authorization.status = 'valid';
  authorization.expiresAt = ca.clock.now() + ca.settings.authorizationLifetimeMs;
}

function challengeDocument(ca: Ca, challenge: Challenge): Readonly<Record<string, unknown>> {
  return {
    type: challenge.type,
    url: ca.resources.challenge(challenge.id),
    status: challenge.status,
    token: challenge.token,
    ...(challenge.validatedAt !== undefined && { validated: new Date(challenge.validatedAt).toISOString() }),
    ...(challenge.error && { error: challenge.error.document }),
  };
}

function reusable(ca: Ca, authorization: Authorization): boolean {
  if (ca.settings.authzReuse === 'none') return false;
  const status = authorizationStatus(authorization, ca.clock.now());
  return status === 'valid' || (status === 'pending' && ca.settings.authzReuse === 'all');
}
