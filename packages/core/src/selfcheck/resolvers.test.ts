import { randomBytes } from 'node:crypto';
import { type AnyDnsServer, type DnsMessage, type DnsRecord, decodeMessage, toDnsName } from '@zoneproof/dns';
import { createEgress, type Egress } from '../egress/index.ts';
import { rootPem } from '../egress/testing/localhost-certificate.ts';
import { framed, seen, serveDoh, serveDot } from '../egress/testing/resolvers.ts';
import { type Ask, createAsk } from './ask.ts';
import { createGate } from './gate.ts';
import { listResolvers, readListedTxt } from './resolvers.ts';
import { type NameServers, nameServers } from './testing/name-servers.ts';
import { record, soa, zone } from './testing/zone-data.ts';

const name = toDnsName('_acme-challenge.example.com');
const { signal } = new AbortController();

describe('what an answer says', () => {
  const message = (answers: readonly DnsRecord[], more: Partial<DnsMessage> = {}): DnsMessage => ({
    ...decodeMessage(Buffer.from('000080000000000000000000', 'hex')),
    answers,
    ...more,
  });
  const ttl = (seconds: number, one: DnsRecord) => ({ ...one, ttl: seconds }) as DnsRecord;

  test('the values at the asked name, and the least TTL', () => {
    const answers = [
      ttl(300, record([name, 'TXT', 'a', 'b'])),
      ttl(60, record([name, 'TXT', 'c'])),
      record(['other.test', 'TXT', 'x']),
    ];
    expect(readListedTxt(message(answers, { ad: true }), name)).toEqual({
      rcode: 'NOERROR',
      ad: true,
      chain: [name],
      values: ['ab', 'c'],
      ttl: 60,
    });
  });

  test('a chain of CNAMEs is followed in whatever order it stands; values beside it do not count', () => {
    const answers = [
      ttl(20, record(['c.test', 'TXT', 'value'])),
      ttl(30, record(['b.test', 'CNAME', 'c.test'])),
      ttl(10, record([name, 'CNAME', 'b.test'])),
      record([name, 'TXT', 'beside']),
    ];
    const { chain, values, ttl: least } = readListedTxt(message(answers), name);
    expect({ chain, values, least }).toEqual({ chain: [name, 'b.test', 'c.test'], values: ['value'], least: 10 });
  });

  test('one that loops ends, and so does one of a hundred', () => {
    const loop = [record([name, 'CNAME', 'b.test']), record(['b.test', 'CNAME', name])];
    expect(readListedTxt(message(loop), name)).toMatchObject({ chain: [name, 'b.test'], values: [] });
    const long = Array.from({ length: 100 }, (_, at) =>
      record([at === 0 ? name : `n${at}.test`, 'CNAME', `n${at + 1}.test`]),
    );
    expect(readListedTxt(message(long), name).chain).toHaveLength(11);
  });

  test('how long a denial may be kept: the lesser of the TTL and the MINIMUM of an SOA above, wherever it stands', () => {
    const own = soa(toDnsName('example.com'));
    const authorities = [record(['example.com', 'NS', 'ns.example.com']), soa(toDnsName('other.test')), own];
    const denied = (rcode: DnsMessage['rcode'], seconds: number) =>
      readListedTxt(message([], { rcode, authorities: authorities.map((one) => ttl(seconds, one)) }), name).negativeTtl;
    expect(denied('NXDOMAIN', 3600)).toBe(60);
    expect(denied('NOERROR', 5)).toBe(5);
    expect(denied('SERVFAIL', 5)).toBeUndefined();
    expect(readListedTxt(message([], { rcode: 'NXDOMAIN' }), name).negativeTtl).toBeUndefined();
  });
});

describe('asked at all listed servers', () => {
  const open: { close(): Promise<void> }[] = [];
  let dns: NameServers;
  let egress: Egress;

  beforeEach(() => {
    dns = nameServers();
    egress = createEgress({ caBundle: rootPem, dns: dns.transport });
    open.push(dns, egress);
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });

  const ask: Ask = (...asked) =>
    createAsk({ transport: egress.dns, random: (length) => randomBytes(length), tryTimeoutMs: 2000 })(...asked);
  const resolversOver = (servers: readonly AnyDnsServer[]) => listResolvers(() => servers, ask, createGate(8), 400);

  test('plain, over TLS and over HTTPS alike, each with its own word', async () => {
    await dns.serve('192.0.2.1', zone('example.com', [name, 'TXT', 'plain']));
    await dns.resolve('192.0.2.53');
    const queries: DnsMessage[] = [];
    const tls = await serveDot((query, socket) => {
      queries.push(query);
      socket.write(framed(seen(query, { ad: true })));
    });
    const https = await serveDoh(({ query }) => ({ body: seen(query, { rcode: 'SERVFAIL', answers: [] }) }));
    open.push(tls, https);
    const resolvers = await resolversOver([
      { address: '192.0.2.53', port: 53 },
      { kind: 'tls', host: 'localhost', port: tls.port },
      { kind: 'https', url: https.url },
    ]);
    expect(resolvers.text).toBe(`192.0.2.53:53, tls://localhost:${tls.port}, ${https.url}`);
    const asked = resolvers.servers.map(async (server) => {
      const { message, transport } = await ask({ name, type: 'TXT' }, server, { rd: true, signal });
      return { transport, ...readListedTxt(message, name) };
    });
    await expect(Promise.all(asked)).resolves.toMatchObject([
      { transport: 'udp', rcode: 'NOERROR', ad: false, values: ['plain'], ttl: 60 },
      { transport: 'tls', rcode: 'NOERROR', ad: true, values: [`seen${name}`] },
      { transport: 'https', rcode: 'SERVFAIL', values: [] },
    ]);
    // AD in a query asks for AD in its answer (RFC 6840 5.7).
    expect(queries).toMatchObject([{ rd: true, ad: true }]);
  });

  test('the first that is of use answers for a zone, however it is reached', async () => {
    const tls = await serveDot((query, socket) => socket.write(framed(seen(query, { rcode: 'REFUSED' }))));
    const https = await serveDoh(({ query }) => ({ body: seen(query) }));
    open.push(tls, https);
    const listed = [
      { kind: 'tls', host: '127.0.0.1', port: tls.port } as const,
      { kind: 'https', url: https.url } as const,
    ];
    const question = { name: toDnsName('example.com'), type: 'NS' } as const;
    await expect((await resolversOver(listed)).ask(question, signal)).resolves.toMatchObject({ rcode: 'NOERROR' });
    await expect((await resolversOver(listed.slice(0, 1))).ask(question, signal)).resolves.toBe(
      `tls://127.0.0.1:${tls.port}: REFUSED`,
    );
  });
});
