import {
  type AnyDnsServer,
  type DnsMessage,
  type DnsTransport,
  decodeMessage,
  exchange,
  mapTransport,
  refusingTransport,
  toDnsName,
} from '@zoneproof/dns';
import { answerTo, failure, options, question } from './testing/scripted-server.ts';

describe('an encrypted server', () => {
  const tls = { kind: 'tls', host: 'dns.example', port: 853 } as const;
  const https = { kind: 'https', url: 'https://dns.example/dns-query' } as const;

  test.each([tls, https])('$kind goes through the transport that can do it, and only there', async (server) => {
    const calls: unknown[] = [];
    const transport: DnsTransport = {
      ...refusingTransport(),
      encrypted: async (asked, wire, { timeoutMs }) => {
        const query = decodeMessage(wire);
        calls.push([asked, query.id === 0, query.questions[0]?.spelling, query.ad, timeoutMs]);
        return answerTo(query);
      },
    };
    const through = mapTransport(transport, new Map());
    const answer = await exchange(question, server, options({ transport: through, rd: true, ad: true, random: one }));
    expect(answer).toMatchObject({ transport: server.kind, message: { answers: [{ data: ['seen'] }] } });
    expect(calls).toEqual([[server, server.kind === 'https', undefined, true, 4000]]);
  });

  test.each<[string, AnyDnsServer, string]>([
    ['tls', tls, 'tls://dns.example:853 (tls): plain DNS only goes out here'],
    ['https', https, 'https://dns.example/dns-query (https): plain DNS only goes out here'],
  ])('%s is refused where plain DNS only goes out', async (_kind, server, message) => {
    const error = await failure(exchange(question, server, options()));
    expect(error).toMatchObject({ kind: 'denied', sent: false, message });
  });

  test('another id or another question is no answer', async () => {
    const answering = (more: Partial<DnsMessage>): DnsTransport => ({
      ...refusingTransport(),
      encrypted: async (_server, wire) => answerTo({ ...decodeMessage(wire), ...more }),
    });
    const other = { questions: [{ name: toDnsName('other.test'), type: 'TXT' as const }] };
    for (const more of [{ id: 7 }, other])
      expect(await failure(exchange(question, https, options({ transport: answering(more) })))).toMatchObject({
        kind: 'malformed',
        transport: 'https',
      });
  });

  const one = (length: number) => new Uint8Array(length).fill(1);
});
