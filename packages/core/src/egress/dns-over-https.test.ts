import { type DnsMessage, toDnsName } from '@zoneproof/dns';
import { createEgress } from './index.ts';
import { ask, closeAll, doh, egressWith, failure, started, texts } from './testing/encrypted-world.ts';
import { seen, serveDoh } from './testing/resolvers.ts';
import { serveProxy } from './testing/servers.ts';

afterEach(closeAll);

describe('over HTTPS (RFC 8484)', () => {
  test.each([
    ['HTTP/2 alone', false, '2.0'],
    ['HTTP/1.1 as well', true, '2.0'],
  ])('a resolver with %s gets a POST with id 0', async (_title, allowHTTP1, version) => {
    const requests: unknown[] = [];
    const server = await started(
      serveDoh(
        ({ query, headers, ...request }) => {
          const { accept, 'content-type': type } = headers;
          requests.push({ ...request, accept, type, id: query.id, rd: query.rd });
          return { body: seen(query) };
        },
        { allowHTTP1 },
      ),
    );
    const answer = await ask(egressWith(), doh(server.url));
    expect(answer).toMatchObject({ transport: 'https', message: { answers: [{ data: ['seen', 'example.test'] }] } });
    const type = 'application/dns-message';
    expect(requests).toEqual([{ method: 'POST', path: '/dns-query', accept: type, type, version, id: 0, rd: true }]);
  });

  test('many questions at once share few connections', async () => {
    const server = await started(serveDoh(({ query }) => ({ body: seen(query) })));
    const egress = egressWith();
    const names = Array.from({ length: 100 }, (_, at) => `h${at}.test`);
    const answers = await Promise.all(names.map((one) => ask(egress, doh(server.url), { name: one })));
    expect(answers.flatMap(texts)).toEqual(names.map((one) => ['seen', one]));
    expect(server.connections()).toBeLessThan(17);
  });

  test('through the proxy of the environment', async () => {
    const server = await started(serveDoh(({ query }) => ({ body: seen(query) })));
    const asked: string[] = [];
    const proxy = await started(
      serveProxy((request) => {
        asked.push(request.url ?? '');
        return 200;
      }),
    );
    const egress = egressWith({ proxy: { httpsProxy: proxy.url } });
    // The name leads nowhere: it is the proxy that connects, to the port it is told.
    const url = `https://dns.example:${server.port}/dns-query`;
    expect(await failure(ask(egress, doh(url)))).toMatchObject({ kind: 'tls' });
    expect(asked).toEqual([`dns.example:${server.port}`]);
  });

  const type = 'application/dns-message';
  test.each<
    [
      string,
      string,
      RegExp,
      (query: DnsMessage) => { status?: number; headers?: Record<string, string>; body: Uint8Array | string },
    ]
  >([
    ['404', 'malformed', /answers HTTP 404; check the path of the URL/, () => ({ status: 404, body: '' })],
    [
      'a redirect',
      'malformed',
      /answers HTTP 302; check the path/,
      () => ({ status: 302, headers: { location: '/x' }, body: '' }),
    ],
    ['503', 'malformed', /answers HTTP 503$/, () => ({ status: 503, body: '' })],
    [
      'a web page',
      'malformed',
      /answers text\/html instead of application\/dns-message/,
      () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>' }),
    ],
    ['an empty body', 'malformed', /an empty body/, () => ({ body: '' })],
    ['more than 65 535 octets', 'malformed', /larger than the 65535 octets/, () => ({ body: Buffer.alloc(70_000) })],
    ['octets that are no message', 'malformed', /not a DNS message/, () => ({ body: Buffer.alloc(9) })],
    ['another id', 'malformed', /another message id/, (query) => ({ body: seen({ ...query, id: 7 }) })],
    [
      'another question',
      'malformed',
      /another question/,
      (query) => ({ body: seen(query, { questions: [{ name: toDnsName('other.test'), type: 'TXT' }] }) }),
    ],
  ])('%s is told', async (_title, kind, text, answer) => {
    const server = await started(serveDoh(({ query }) => answer(query)));
    const error = await failure(ask(egressWith(), doh(server.url)));
    expect(error).toMatchObject({ kind, transport: 'https', sent: true });
    expect(error.message).toMatch(text);
    expect(error.message.startsWith(`${server.url} (https): `)).toBe(true);
    expect(error.message).not.toContain('POST');
  });

  test('a media type with parameters, in capitals, is the same one', async () => {
    const headers = { 'content-type': 'Application/DNS-Message; x=y' };
    const server = await started(serveDoh(({ query }) => ({ headers, body: seen(query) })));
    expect(texts(await ask(egressWith(), doh(server.url)))).toEqual([['seen', 'example.test']]);
    expect(headers['content-type'].toLowerCase()).toContain(type);
  });

  test('silence, an abort, a CA that is not known, an address that is not allowed', async () => {
    const server = await started(serveDoh(() => undefined));
    const silence = await failure(ask(egressWith(), doh(server.url), { timeoutMs: 100 }));
    expect(silence).toMatchObject({ kind: 'timeout', transport: 'https' });
    const signal = AbortSignal.timeout(50);
    expect(await failure(ask(egressWith(), doh(server.url), { signal }))).toMatchObject({ kind: 'aborted' });
    const untrusting = await started(Promise.resolve(createEgress()));
    const unknown = await failure(ask(untrusting, doh(server.url)));
    expect(unknown.message).toBe(
      `${server.url} (https): the certificate of 127.0.0.1:${server.port} is not signed by a CA known here; ` +
        'add its CA with NODE_EXTRA_CA_CERTS=FILE',
    );
    const narrow = egressWith({ addressRule: () => 'not public' });
    expect(await failure(ask(narrow, doh(server.url)))).toMatchObject({ kind: 'denied', sent: false });
  });
});
