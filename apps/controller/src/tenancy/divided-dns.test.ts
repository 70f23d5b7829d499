import type { AnyDnsServer, DnsTransport } from '@zoneproof/dns';
import { DividedDns } from './divided-dns.ts';

const call = { timeoutMs: 1, signal: new AbortController().signal };
const query = new Uint8Array(12);

/** Answers with its own name. */
function way(name: string): DnsTransport {
  const answer = async () => Buffer.from(name);
  return { udp: answer, tcp: answer, encrypted: answer };
}

test('servers of a list are asked by its way as long as they are in it, all others by the way of all others', async () => {
  const dns = new DividedDns(way('ruled'));
  let listed: AnyDnsServer[] = [
    { address: '169.254.20.10', port: 53 },
    { kind: 'tls', host: 'dns.test', port: 853 },
    { kind: 'https', url: 'https://dns.test/q' },
  ];
  const list = dns.lead(() => listed, way('free'));
  const asked = async () =>
    Promise.all([
      dns.udp({ address: '169.254.20.10', port: 53 }, query, () => true, call),
      dns.tcp({ address: '169.254.20.10', port: 53 }, query, call),
      dns.tcp({ address: '169.254.20.10', port: 5353 }, query, call),
      dns.udp({ address: '127.0.0.1', port: 53 }, query, () => true, call),
      dns.encrypted({ kind: 'tls', host: 'dns.test', port: 853 }, query, call),
      dns.encrypted({ kind: 'https', url: 'https://dns.test/q' }, query, call),
      dns.encrypted({ kind: 'https', url: 'https://evil.test/q' }, query, call),
    ]).then((answers) => answers.map((answer) => Buffer.from(answer).toString()));
  // Nobody is asked before the list was read.
  expect(new Set(await asked())).toEqual(new Set(['ruled']));
  expect(await list()).toBe(listed);
  expect(await asked()).toEqual(['free', 'free', 'ruled', 'ruled', 'free', 'free', 'ruled']);
  listed = [];
  await list();
  expect(new Set(await asked())).toEqual(new Set(['ruled']));
});

test('a way that knows no encrypted servers says so', async () => {
  const { encrypted: _none, ...plain } = way('plain');
  const dns = new DividedDns(plain);
  await expect(dns.encrypted({ kind: 'tls', host: 'a', port: 853 }, query, call)).rejects.toMatchObject({
    kind: 'denied',
  });
});
