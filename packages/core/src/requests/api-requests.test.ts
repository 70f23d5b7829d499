import { inspect } from 'node:util';
import { type CallContext, ProviderError, type ProviderHost, SecretValue } from '../contract/index.ts';
import { type Egress, EgressError, type EgressErrorKind, type HttpRequest, refuseAllEgress } from '../egress/index.ts';
import { createApiRequests } from './api-requests.ts';

const request: HttpRequest = {
  method: 'POST',
  url: 'https://api.example:8443/zones?key=in-the-query',
  headers: { authorization: 'Bearer in-the-header' },
  body: 'text',
};

/** What happened, in order, and requests through an egress that answers, or throws what it is given. */
function setUp(thrown?: Error) {
  const events: string[] = [];
  const sent: HttpRequest[] = [];
  const egress: Egress = {
    ...refuseAllEgress(),
    http(one) {
      events.push('request');
      sent.push(one);
      if (thrown) return Promise.reject(thrown);
      return Promise.resolve({ status: 503, headers: {}, body: new Uint8Array() });
    },
  };
  const host: ProviderHost = {
    providerName: 'edgedns "prod" (Cloudflare)',
    egress,
    dns: egress.dns,
    clock: { now: () => 0 },
    random: (length) => new Uint8Array(length),
    secret: () => ({ get: () => Promise.resolve(new SecretValue(new Uint8Array())) }),
    warn: () => undefined,
  };
  const stop = new AbortController();
  const call: CallContext = {
    signal: stop.signal,
    deadlineAt: 30_000,
    permit: (bucket, cost) => {
      events.push(`permit ${bucket} ${cost}`);
      return Promise.resolve();
    },
  };
  return { events, sent, host, stop, call, requests: createApiRequests(host) };
}

async function thrownBy(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

test('one permit, then one request with the signal of the call; any status is an answer', async () => {
  const { events, sent, requests, call } = setUp();
  expect(await requests.send(request, 'the list of zones', call, { bucket: 'reads', cost: 2 })).toMatchObject({
    status: 503,
  });
  expect(events).toEqual(['permit reads 2', 'request']);
  expect(sent).toEqual([{ ...request, signal: call.signal }]);
});

test.each<[EgressErrorKind, sent: boolean, kind: string, RegExp]>([
  ['reset', true, 'unavailable', /did not answer to the list of zones: it broke\. It is asked again later\.$/],
  ['refused', false, 'unavailable', /did not answer to the list of zones/],
  ['tls', false, 'unavailable', /did not answer/],
  ['denied', false, 'permission', /may not be asked for the list of zones: it broke$/],
  ['aborted', true, 'aborted', /stopped during the list of zones$/],
  ['aborted', false, 'aborted', /stopped during/],
])('no answer (%s, sent %s) is %s, after one request', async (kind, sent, expected, message) => {
  const { events, requests, call } = setUp(new EgressError(kind, 'it broke', sent));
  const error = await thrownBy(requests.send(request, 'the list of zones', call));
  expect(error).toMatchObject({ kind: expected, details: { sent } });
  expect(error.message).toMatch(message);
  expect(error.message).toMatch(/^edgedns "prod" \(Cloudflare\): api\.example:8443/);
  expect(inspect(error)).not.toMatch(/in-the-(query|header)/);
  expect(events).toEqual(['permit undefined undefined', 'request']);
});

test.each(['reset', 'aborted'] as const)('a question without an answer (%s) has changed nothing', async (kind) => {
  const { requests, call } = setUp(new EgressError(kind, 'it broke', true));
  const error = await thrownBy(requests.send({ ...request, method: 'GET' }, 'the list of zones', call));
  expect(error.details.sent).toBe(false);
});

test('a call that is over, before or while it waits for its permit, sends nothing', async () => {
  const before = setUp();
  before.stop.abort();
  const early = await thrownBy(before.requests.send(request, 'the write', before.call));
  expect(early).toMatchObject({ kind: 'aborted', details: { sent: false } });
  expect(before.events).toEqual([]);

  const waiting = setUp();
  const over = new Error('over');
  const call = { ...waiting.call, permit: () => Promise.reject(over) };
  const late = await thrownBy(waiting.requests.send(request, 'the write', call));
  expect(late).toMatchObject({ kind: 'aborted', details: { sent: false }, cause: over });
  expect(waiting.events).toEqual([]);
});

test("the limiter's own error goes through, and so does what is no error of the egress", async () => {
  const own = new ProviderError({ kind: 'aborted', message: 'stopped while waiting' });
  const { requests, call } = setUp();
  const refusing = { ...call, permit: () => Promise.reject(own) };
  await expect(requests.send(request, 'the write', refusing)).rejects.toBe(own);
  const defect = new TypeError('a defect');
  const broken = setUp(defect);
  await expect(broken.requests.send(request, 'the write', broken.call)).rejects.toBe(defect);
});

test('through() has the form of the egress, with the permit of the call', async () => {
  const { events, requests, call } = setUp();
  const http = requests.through('the sign-in', call, { bucket: 'token' });
  expect(await http(request)).toMatchObject({ status: 503 });
  expect(events).toEqual(['permit token undefined', 'request']);
});

test('a block with a caBundle has an egress of its own', async () => {
  const { host, call } = setUp();
  const own = setUp();
  await createApiRequests(host, own.host.egress).send(request, 'the write', call);
  expect(own.events).toEqual(['request']);
});
