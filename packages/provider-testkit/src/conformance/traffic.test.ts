import { request as httpsRequest } from 'node:https';
import { type Egress, type HttpRequest, refuseAllEgress } from '@zoneproof/core';
import { exchange, toDnsName } from '@zoneproof/dns';
import { sentPastEgress } from './sockets.ts';
import { Traffic, type TrafficMode } from './traffic.ts';

/** A service that tells what it got. */
function start(): { readonly traffic: Traffic; readonly got: HttpRequest[] } {
  const got: HttpRequest[] = [];
  const egress: Egress = {
    ...refuseAllEgress(),
    http(request) {
      got.push(request);
      const body = Buffer.from(`${request.method} ${request.body ? Buffer.from(request.body).toString() : ''}`);
      return Promise.resolve({ status: 201, headers: { 'x-seen': ['a', 'b'] }, body });
    },
    withCaBundle: () => egress,
  };
  return { traffic: new Traffic(egress), got };
}

type Way = (egress: Egress, signal?: AbortSignal) => Promise<string>;

const url = 'https://api.example/zones?page=2';
const ways: Readonly<Record<string, Way>> = {
  async http(egress, signal) {
    const answer = await egress.http({ method: 'POST', url, body: 'text', ...(signal && { signal }) });
    return `${answer.status} ${Buffer.from(answer.body)}`;
  },
  async fetch(egress, signal) {
    const answer = await egress.fetch(url, { method: 'POST', body: 'text', ...(signal && { signal }) });
    return `${answer.status} ${await answer.text()}`;
  },
  async "Node's fetch with the dispatcher"(egress, signal) {
    const init = { method: 'POST', body: 'text', dispatcher: egress.dispatcher, ...(signal && { signal }) };
    const answer = await fetch(url, init as unknown as RequestInit);
    return `${answer.status} ${await answer.text()}`;
  },
  'the dispatcher by itself': (egress, signal) =>
    new Promise((resolve, reject) => {
      let text = '';
      egress.dispatcher.dispatch(
        {
          origin: 'https://api.example',
          path: '/zones',
          query: { page: 2 },
          method: 'POST',
          headers: ['x-one', '1'],
          body: 'text',
        },
        {
          onRequestStart: (controller) => signal?.addEventListener('abort', () => controller.abort(new Error('gone'))),
          onResponseStart(_controller, status) {
            text = String(status);
          },
          onResponseData(_controller, chunk) {
            text += ` ${chunk}`;
          },
          onResponseEnd: () => resolve(text),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    }),
  'node:https with the agent': (egress, signal) =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', agent: egress.httpsAgent, timeout: 5000, ...(signal && { signal }) };
      const request = httpsRequest(url, options, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
        response.on('error', reject);
      });
      request.on('error', reject).end('text');
    }),
};

describe.each(Object.entries(ways))('%s', (_title, way) => {
  test('passes, and is counted as one write without a permit', async () => {
    const { traffic, got } = start();
    expect(await sentPastEgress(async () => expect(await way(traffic.egress)).toBe('201 POST text'))).toEqual([]);
    expect(got).toMatchObject([{ method: 'POST', url }]);
    expect(traffic).toMatchObject({ requests: 1, writes: 1, unpermitted: 1 });
    expect(traffic.seen).toMatchObject([{ what: 'POST https://api.example/zones', write: true, disturbed: false }]);
    expect(traffic.seen[0]?.text).toMatch(/page=2[\s\S]*text$/);
  });

  test.each<[TrafficMode, carriedOut: number]>([
    ['refuse', 0],
    ['reset', 0],
    ['lose-answers', 1],
  ])('%s is no answer', async (mode, carriedOut) => {
    const { traffic, got } = start();
    traffic.mode = mode;
    await expect(way(traffic.egress)).rejects.toThrow();
    expect(got).toHaveLength(carriedOut);
  });

  test.each<[TrafficMode, RegExp]>([
    ['answer-503', /^503 <html>/],
    ['answer-429', /^429 \{\}/],
  ])('%s is answered, and not carried out', async (mode, expected) => {
    const { traffic, got } = start();
    traffic.mode = mode;
    expect(await way(traffic.egress)).toMatch(expected);
    expect(got).toEqual([]);
    expect(traffic.seen).toMatchObject([{ disturbed: true }]);
  });

  test('hang-writes lasts until the caller gives up', async () => {
    const { traffic, got } = start();
    traffic.mode = 'hang-writes';
    const hangs = traffic.hangs();
    const stop = new AbortController();
    const answer = way(traffic.egress, stop.signal);
    await hangs;
    stop.abort();
    await expect(answer).rejects.toThrow();
    expect(got).toEqual([]);
  });
});

test('answer-503 is SERVFAIL to a DNS question, which goes nowhere', async () => {
  const { traffic } = start();
  traffic.mode = 'answer-503';
  const { message } = await exchange(
    { name: toDnsName('example.test'), type: 'TXT' },
    { address: '192.0.2.1', port: 53 },
    { transport: traffic.dns, rd: false, signal: AbortSignal.timeout(1000) },
  );
  expect(message).toMatchObject({ rcode: 'SERVFAIL', questions: [{ name: 'example.test', type: 'TXT' }] });
  expect(traffic.seen).toMatchObject([{ what: 'udp QUERY example.test TXT', write: false, disturbed: true }]);
});

test('another writer comes right before a write, not before a read', async () => {
  const { traffic, got } = start();
  const at: number[] = [];
  traffic.beforeWrite = async () => void at.push(got.length);
  await traffic.egress.http({ method: 'GET', url });
  await traffic.egress.http({ method: 'PUT', url });
  expect(at).toEqual([1]);
});

test('what goes past the egress is told, and does not get out', async () => {
  const past = await sentPastEgress(async () => {
    await fetch('http://127.0.0.1:12345/').catch(() => undefined);
  });
  expect(past.length).toBeGreaterThan(0);
});
