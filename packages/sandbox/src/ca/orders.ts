import { isWithin, toDnsName } from '@zoneproof/dns';
import { authorizationStatus, authorize } from './authorizations.ts';
import { readCsr } from './csr.ts';
import { faultProblem } from './faults.ts';
import { isObject } from './jws.ts';
import { Problem, type Subproblem } from './problem.ts';
import type { Account, Answer, Ca, Order } from './state.ts';

/** newOrder (RFC 8555 7.4). */
export function newOrder(ca: Ca, account: Account, payload: unknown): Answer {
  if (!isObject(payload)) throw new Problem('malformed', 'newOrder takes a JSON object');
  if (payload.notBefore !== undefined || payload.notAfter !== undefined)
    throw new Problem('malformed', 'this CA takes no notBefore or notAfter');
  const names = readIdentifiers(payload.identifiers);
  const profile = readProfile(ca, payload.profile);
  const fault = ca.faults.take('newOrder', names);
  if (fault) throw faultProblem(fault);

  const open = ca.settings.authzReuse === 'all' ? findOpenOrder(ca, orderKey(account, names, profile)) : undefined;
  const order = open ?? createOrder(ca, account, names, profile);
  return { ...orderAnswer(ca, order), status: 201, headers: { location: ca.resources.order(order.id) } };
}

/** The order URL, by POST-as-GET only. */
export function readOrder(ca: Ca, order: Order, payload: unknown): Answer {
  if (payload !== undefined)
    throw new Problem('malformed', 'an order is read by POST-as-GET: the payload must be empty');
  return orderAnswer(ca, order);
}

/** finalize (RFC 8555 7.4): checks the CSR and issues. A refused CSR leaves the order `ready`. */
export async function finalizeOrder(ca: Ca, order: Order, payload: unknown): Promise<Answer> {
  if (!isObject(payload) || typeof payload.csr !== 'string')
    throw new Problem('malformed', 'finalize takes {"csr": base64url}');
  const status = orderStatus(order, ca.clock.now());
  if (status !== 'ready') throw new Problem('orderNotReady', `the order is ${status}, not ready`);
  const request = await readCsr(payload.csr, { names: order.names, accountKey: order.account.key });
  const fault = ca.faults.take('issuance', order.names);
  if (fault) {
    order.error = faultProblem(fault);
  } else {
    const issued = await ca.issuer.issue(request, order.names, ca.clock.now(), ca.settings.certificateLifetimeMs);
    // A second finalize may have come while this one signed.
    if (order.certificate === undefined) {
      order.certificate = { ...issued, account: order.account, names: order.names };
      order.availableAt = ca.clock.now() + ca.settings.processingMs;
      ca.certificates.set(issued.serial, order.certificate);
      ca.counts.certificates++;
    }
  }
  const answer = orderAnswer(ca, order);
  return { ...answer, headers: { ...answer.headers, location: ca.resources.order(order.id) } };
}

/** RFC 8555 7.1.6, read off the authorizations and the clock. */
export function orderStatus(order: Order, now: number): 'pending' | 'ready' | 'processing' | 'valid' | 'invalid' {
  if (order.error) return 'invalid';
  if (order.certificate) return now >= (order.availableAt ?? 0) ? 'valid' : 'processing';
  if (now >= order.expiresAt) return 'invalid';
  const statuses = order.authorizations.map((authorization) => authorizationStatus(authorization, now));
  if (statuses.every((status) => status === 'valid')) return 'ready';
  return statuses.every((status) => status === 'valid' || status === 'pending') ? 'pending' : 'invalid';
}

function createOrder(ca: Ca, account: Account, names: readonly string[], profile: string | undefined): Order {
  const order: Order = {
    id: ca.nextId(),
    account,
    names,
    profile,
    authorizations: names.map((name) => authorize(ca, account, name)),
    expiresAt: ca.clock.now() + ca.settings.orderLifetimeMs,
  };
  ca.orders.set(order.id, order);
  ca.latestOrder.set(orderKey(account, names, profile), order);
  ca.counts.orders++;
  return order;
}

function orderAnswer(ca: Ca, order: Order): Answer {
  const status = orderStatus(order, ca.clock.now());
  const underWay = status === 'pending' || status === 'processing';
  const failed = order.authorizations.flatMap((a) => a.challenges).find((challenge) => challenge.error)?.error;
  const error = order.error ?? (status === 'invalid' ? failed : undefined);
  // RFC 8555 has no promised order of `authorizations`; turned round, so that nobody matches them by index.
  const authorizations = order.authorizations
    .map((authorization) => ca.resources.authorization(authorization.id))
    .reverse();
  return {
    status: 200,
    headers: underWay && ca.settings.retryAfter !== undefined ? { 'retry-after': String(ca.settings.retryAfter) } : {},
    body: {
      status,
      expires: new Date(order.expiresAt).toISOString(),
      identifiers: order.names.map((value) => ({ type: 'dns', value })),
      ...(order.profile !== undefined && { profile: order.profile }),
      authorizations,
      finalize: ca.resources.finalize(order.id),
      ...(status === 'valid' &&
        order.certificate && { certificate: ca.resources.certificate(order.certificate.serial) }),
      ...(error && { error: error.document }),
    },
  };
}

function readIdentifiers(identifiers: unknown): readonly string[] {
  if (!Array.isArray(identifiers) || identifiers.length === 0)
    throw new Problem('malformed', 'the order has no identifiers');
  if (identifiers.length > 100)
    throw new Problem('malformed', `the order has ${identifiers.length} identifiers; 100 are allowed`);
  const names = new Set<string>();
  const problems: Subproblem[] = [];
  for (const identifier of identifiers) {
    if (!isObject(identifier) || typeof identifier.value !== 'string')
      throw new Problem('malformed', 'an identifier has no value');
    if (identifier.type !== 'dns')
      throw new Problem('unsupportedIdentifier', `identifiers of type ${String(identifier.type)} are not issued for`);
    const problem = nameProblem(identifier.value);
    if (problem) problems.push({ ...problem, name: identifier.value });
    names.add(identifier.value);
  }
  const first = problems[0];
  if (first) {
    const detail =
      problems.length === 1
        ? `${first.name}: ${first.detail}`
        : `${problems.length} of ${names.size} names are refused`;
    throw new Problem(first.type, detail, { subproblems: problems });
  }
  return [...names];
}

function nameProblem(value: string): Omit<Subproblem, 'name'> | undefined {
  try {
    const name = toDnsName(value);
    if (name !== value)
      return { type: 'malformed', detail: `names are written in lower-case A-labels without a final dot: ${name}` };
    if (name.split('.').length < (name.startsWith('*.') ? 3 : 2))
      return { type: 'rejectedIdentifier', detail: 'the name needs two labels' };
    if (isWithin(name, toDnsName('invalid')))
      return { type: 'rejectedIdentifier', detail: 'names under "invalid" are not issued for' };
    return undefined;
  } catch (error) {
    return { type: 'malformed', detail: error instanceof Error ? error.message : 'not a domain name' };
  }
}

function readProfile(ca: Ca, profile: unknown): string | undefined {
  if (profile === undefined) return undefined;
  if (typeof profile !== 'string' || !ca.profiles || !Object.hasOwn(ca.profiles, profile))
    throw new Problem('invalidProfile', `this CA has no profile ${JSON.stringify(profile)}`);
  return profile;
}

function orderKey(account: Account, names: readonly string[], profile = ''): string {
  return [account.id, profile, ...[...names].sort()].join(' ');
}

function findOpenOrder(ca: Ca, key: string): Order | undefined {
  const order = ca.latestOrder.get(key);
  const status = order && orderStatus(order, ca.clock.now());
  return status === 'pending' || status === 'ready' ? order : undefined;
}
