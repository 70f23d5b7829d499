import type { IncomingMessage, RequestListener } from 'node:http';
import { newAccount, requireValid, updateAccount } from './accounts.ts';
import { readAuthorization, respondToChallenge } from './authorizations.ts';
import { directoryDocument } from './directory.ts';
import { type FaultPoint, faultProblem } from './faults.ts';
import { problemAnswer, readBody, sendAnswer, unavailable } from './http.ts';
import { type VerifiedRequest, verifyRequest } from './jws.ts';
import type { Nonces } from './nonces.ts';
import { finalizeOrder, newOrder, readOrder } from './orders.ts';
import { Problem } from './problem.ts';
import type { Account, Answer, Ca } from './state.ts';

/** Finds the resource of each request, verifies its JWS, applies faults, and has the answer sent. */
export function createRequestListener(ca: Ca, nonces: Nonces, origin: string): RequestListener {
  return (request, response) => {
    void answerRequest(ca, nonces, origin, request).then((answer) => {
      if (answer === 'dropped') request.socket.destroy();
      else sendAnswer(request, response, answer, { directory: ca.resources.directory, nonce: nonces.issue });
    });
  };
}

interface Route {
  readonly path: RegExp;
  readonly point: FaultPoint;
  run(ca: Ca, account: Account, payload: unknown, id: string): Answer | Promise<Answer>;
}

const routes: readonly Route[] = [
  post('newOrder', /^\/new-order$/, (ca, account, payload) => newOrder(ca, account, payload)),
  post('account', /^\/account\/(\d+)$/, (ca, account, payload, id) =>
    updateAccount(
      ca,
      own(account, ca.accounts.get(Number(id)), 'account', (it) => it),
      payload,
    ),
  ),
  post('order', /^\/order\/(\d+)$/, (ca, account, payload, id) =>
    readOrder(
      ca,
      own(account, ca.orders.get(Number(id)), 'order', (it) => it.account),
      payload,
    ),
  ),
  post('finalize', /^\/order\/(\d+)\/finalize$/, (ca, account, payload, id) =>
    finalizeOrder(
      ca,
      own(account, ca.orders.get(Number(id)), 'order', (it) => it.account),
      payload,
    ),
  ),
  post('authorization', /^\/authorization\/(\d+)$/, (ca, account, payload, id) =>
    readAuthorization(
      ca,
      own(account, ca.authorizations.get(Number(id)), 'authorization', (it) => it.account),
      payload,
    ),
  ),
  post('challenge', /^\/challenge\/(\d+)$/, (ca, account, payload, id) => {
    const found = own(account, ca.challenges.get(Number(id)), 'challenge', (it) => it.authorization.account);
    return respondToChallenge(ca, found.authorization, found.challenge, payload);
  }),
  post('certificate', /^\/certificate\/([0-9A-F]+)$/, (ca, account, payload, serial) => {
    if (payload !== undefined)
      throw new Problem('malformed', 'a certificate is read by POST-as-GET: the payload must be empty');
    const certificate = own(account, ca.certificates.get(serial), 'certificate', (it) => it.account);
    return {
      status: 200,
      headers: { 'content-type': 'application/pem-certificate-chain' },
      body: certificate.pemChain,
    };
  }),
];

async function answerRequest(
  ca: Ca,
  nonces: Nonces,
  origin: string,
  request: IncomingMessage,
): Promise<Answer | 'dropped'> {
  ca.counts.requests++;
  try {
    const body = await readBody(request);
    const path = request.url ?? '/';
    if (path === '/directory' || path === '/new-nonce') return answerOpenResource(ca, request, path);
    const route = path === '/new-account' ? undefined : routes.find((one) => one.path.test(path));
    if (!route && path !== '/new-account')
      throw new Problem('malformed', `there is nothing at ${path}`, { status: 404 });
    requirePost(request);
    const point = route?.point ?? 'newAccount';
    const fault = ca.faults.take(point);
    if (fault?.problem === 'unavailable') return unavailable(faultProblem(fault));
    if (fault && fault.problem !== 'dropped') throw faultProblem(fault);
    const verified = await verifyRequest(body, {
      url: `${origin}${path}`,
      nonces,
      keyKind: route ? 'kid' : 'jwk',
      findKey: (url) => findAccount(ca, url).key,
    });
    const answer = await (route
      ? route.run(ca, accountOf(ca, verified), verified.payload, route.path.exec(path)?.[1] ?? '')
      : newAccount(ca, verified));
    return fault ? 'dropped' : answer;
  } catch (error) {
    const problem =
      error instanceof Problem ? error : new Problem('serverInternal', 'the sandbox CA failed on this request');
    if (problem.type === 'badNonce') ca.counts.badNonces++;
    return problemAnswer(problem);
  }
}

/** The two resources without a JWS (RFC 8555 7.1.1, 7.2). */
function answerOpenResource(ca: Ca, request: IncomingMessage, path: '/directory' | '/new-nonce'): Answer | 'dropped' {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request, 'GET, HEAD');
  const fault = ca.faults.take(path === '/directory' ? 'directory' : 'newNonce');
  if (fault?.problem === 'dropped') return 'dropped';
  if (fault?.problem === 'unavailable') return unavailable(faultProblem(fault));
  if (fault) throw faultProblem(fault);
  if (path === '/new-nonce')
    return { status: request.method === 'HEAD' ? 200 : 204, headers: { 'cache-control': 'no-store' } };
  const meta = {
    externalAccountRequired: ca.eab !== undefined,
    ...(ca.termsOfService !== undefined && { termsOfService: ca.termsOfService }),
    ...(ca.profiles && { profiles: ca.profiles }),
  };
  return { status: 200, body: directoryDocument(ca.resources, meta) };
}

function requirePost(request: IncomingMessage): void {
  // RFC 8555 6.3: a plain GET of a resource is refused with 405.
  if (request.method !== 'POST') throw methodNotAllowed(request, 'POST');
  if (request.headers['content-type'] !== 'application/jose+json')
    throw new Problem('malformed', 'the content type must be application/jose+json (RFC 8555 6.2)', { status: 415 });
}

function findAccount(ca: Ca, url: string): Account {
  const id = /\/account\/(\d+)$/.exec(url)?.[1];
  const account = id === undefined ? undefined : ca.accounts.get(Number(id));
  if (!account || ca.resources.account(account.id) !== url)
    throw new Problem('accountDoesNotExist', `there is no account ${JSON.stringify(url)}`);
  return account;
}

function accountOf(ca: Ca, verified: VerifiedRequest): Account {
  const account = findAccount(ca, verified.accountUrl ?? '');
  requireValid(account);
  return account;
}

function own<T>(account: Account, found: T | undefined, what: string, ownerOf: (found: T) => Account): T {
  if (found === undefined) throw new Problem('malformed', `there is no such ${what}`, { status: 404 });
  if (ownerOf(found) !== account) throw new Problem('unauthorized', `the ${what} belongs to another account`);
  return found;
}

function post(point: FaultPoint, path: RegExp, run: Route['run']): Route {
  return { point, path, run };
}

function methodNotAllowed(request: IncomingMessage, allow: string): Problem {
  return new Problem('malformed', `${request.method} is not allowed here`, { status: 405, headers: { allow } });
}
