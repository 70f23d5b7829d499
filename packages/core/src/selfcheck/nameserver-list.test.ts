import fc from 'fast-check';
import { NameserverListError, parseNameserverList, resolveNameservers } from './nameserver-list.ts';

const plain = (host: string, port: number) => ({ kind: 'plain', host, port });
const tls = (host: string, port = 853) => ({ kind: 'tls', host, port });
const https = (url: string) => ({ kind: 'https', url });

test.each([
  ['10.0.0.1:53', [plain('10.0.0.1', 53)]],
  ['[::1]:53', [plain('::1', 53)]],
  ['[fe80::1%eth0]:5353', [plain('fe80::1%eth0', 5353)]],
  ['NS1.Example.com.:53', [plain('ns1.example.com', 53)]],
  [' 10.0.0.1:53 , [2001:db8::1]:5353 ', [plain('10.0.0.1', 53), plain('2001:db8::1', 5353)]],
  ['10.0.0.1:53,10.0.0.1:53,10.0.0.1:54', [plain('10.0.0.1', 53), plain('10.0.0.1', 54)]],
  ['tls://dns.example.com', [tls('dns.example.com')]],
  ['TLS://DNS.Example.com.:8853', [tls('dns.example.com', 8853)]],
  ['tls://10.0.0.1, tls://10.0.0.1:853', [tls('10.0.0.1')]],
  ['tls://[2001:db8::1]', [tls('2001:db8::1')]],
  ['tls://dns.example.com/', [tls('dns.example.com')]],
  ['https://dns.example.com/dns-query', [https('https://dns.example.com/dns-query')]],
  ['HTTPS://DNS.Example.com:443/q', [https('https://dns.example.com/q')]],
  ['https://[2001:db8::1]:8443/dns-query', [https('https://[2001:db8::1]:8443/dns-query')]],
  ['https://dns.example.com/dns-query{?dns}', [https('https://dns.example.com/dns-query')]],
  [
    '10.0.0.1:53,tls://dns.example.com,https://dns.example.com/dns-query',
    [plain('10.0.0.1', 53), tls('dns.example.com'), https('https://dns.example.com/dns-query')],
  ],
])('%s is read', (text, entries) => expect(parseNameserverList(text)).toEqual(entries));

test.each([
  ['10.0.0.1', '"10.0.0.1": the port is missing: write 10.0.0.1:53'],
  ['10.0.0.1:', '"10.0.0.1:": the port is missing: write 10.0.0.1:53'],
  ['::1', '"::1": the port is missing: write [::1]:53'],
  ['[::1]', '"[::1]": the port is missing: write [::1]:53'],
  ['2001:db8:0:0:0:0:0:1:53', 'an IPv6 address needs brackets: write [2001:db8:0:0:0:0:0:1]:53'],
  ['ns1.example.com', '"ns1.example.com": the port is missing: write ns1.example.com:53'],
  ['10.0.0.1:0', '"0" is not a port (1 to 65535): write 10.0.0.1:53'],
  ['10.0.0.1:65536', '"65536" is not a port'],
  ['10.0.0.1:dns', '"dns" is not a port'],
  ['10.0.0.256:53', '"10.0.0.256" is not an IPv4 address'],
  ['[10.0.0.1]:53', '"10.0.0.1" is not an IPv6 address'],
  [':53', 'the host is missing: write 127.0.0.1:53'],
  ['*.example.com:53', '"*.example.com" is neither an IP address nor a host name'],
  ['a b:53', 'it holds a space or a character that cannot be printed'],
  ['a_:b:53', 'it is not of the form host:port'],
  [`tls://${'a'.repeat(300)}`, 'it is longer than the 300 characters that are read'],
  ['10.0.0.1:53,', 'an entry is empty: remove the extra comma'],
  ['', 'the list is empty'],
  ['tls://', 'the host is missing: write tls://127.0.0.1:853'],
  ['tls://::1', 'an IPv6 address needs brackets: write tls://[::1]'],
  ['tls://2001:db8:0:0:0:0:0:1:853', 'an IPv6 address needs brackets: write tls://[2001:db8:0:0:0:0:0:1]:853'],
  ['tls://dns.example.com:0', '"0" is not a port (1 to 65535): write tls://dns.example.com:853'],
  ['tls://dns.example.com/dns-query', 'a resolver over TLS has no path: write tls://dns.example.com'],
  ['https://dns.example.com', 'the path is missing: write https://dns.example.com/dns-query'],
  ['https://dns.example.com:8443/', 'the path is missing: write https://dns.example.com:8443/dns-query'],
  ['https://::1/dns-query', 'an IPv6 address needs brackets: write https://[::1]'],
  ['https://dns.example.com:x/dns-query', '"x" is not a port (1 to 65535): write https://dns.example.com:443'],
  ['https:///dns-query', 'the host is missing: write https://127.0.0.1:443'],
  ['https://dns.example.com/q?a=b', 'behind the path nothing is understood: write https://dns.example.com/q'],
  ['https://dns.example.com/q#a', 'behind the path nothing is understood: write https://dns.example.com/q'],
  ['http://dns.example.com/dns-query', 'has to be encrypted: write https://dns.example.com/dns-query'],
  ['udp://10.0.0.1:53', 'plain DNS has no scheme, and is asked over UDP and TCP: write 10.0.0.1:53'],
  ['quic://dns.example.com', '"quic" is not understood: write host:port, tls://host or https://host/path'],
])('%p is refused with its correction', (text, problem) => {
  expect(() => parseNameserverList(text)).toThrow(NameserverListError);
  expect(() => parseNameserverList(text)).toThrow(problem);
});

test.each([
  'https://me:hunter2@dns.example.com/dns-query',
  'tls://me:hunter2@dns.example.com',
  'http://me:hunter2@h/q',
])('a password is refused and not repeated: %s', (text) => {
  const refused = () => parseNameserverList(text);
  expect(refused).toThrow(NameserverListError);
  expect(refused).not.toThrow('hunter2');
});

test('every problem is told at once', () => {
  try {
    parseNameserverList('10.0.0.1,[::1]:53,ns1.example.com,::1');
    throw new Error('it should have failed');
  } catch (error) {
    expect((error as NameserverListError).problems).toHaveLength(3);
  }
});

test('any text is either read or refused by NameserverListError', () => {
  const piece = fc.oneof(
    fc.constantFrom(':', '[', ']', ',', '53', '::1', '10.0.0.1', '%', 'ns', '.', '/', '?', '@', '{?dns}'),
    fc.constantFrom('tls://', 'https://', 'http://', 'HTTPS://h/q', '/dns-query'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      try {
        for (const entry of parseNameserverList(pieces.join(''))) {
          if (entry.kind === 'https') {
            expect(entry.url).toBe(new URL(entry.url).href);
            expect(entry.url).toMatch(/^https:\/\/[^/@?#]+\/[^?#]+$/);
            continue;
          }
          expect(entry.host).not.toBe('');
          expect(entry.port).toBeGreaterThan(0);
          expect(entry.port).toBeLessThan(65_536);
        }
      } catch (error) {
        if (!(error instanceof NameserverListError)) throw error;
      }
    }),
    { numRuns: 2000, seed: 3 },
  );
});

describe('entries become addresses', () => {
  const entries = parseNameserverList('10.0.0.1:53,ns1.example.com:5353');

  test('a host name stands for all of its addresses, with its port', async () => {
    const lookup = async (host: string) => (host === 'ns1.example.com' ? ['192.0.2.1', '2001:db8::1'] : []);
    await expect(resolveNameservers(entries, lookup)).resolves.toEqual([
      { address: '10.0.0.1', port: 53 },
      { address: '192.0.2.1', port: 5353 },
      { address: '2001:db8::1', port: 5353 },
    ]);
  });

  test('encrypted ones keep their name, which the certificate has to have', async () => {
    const listed = parseNameserverList('tls://dns.example.com,https://dns.example.com/dns-query');
    await expect(resolveNameservers(listed, () => Promise.reject(new Error('looked up')))).resolves.toEqual(listed);
  });

  const failing = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));

  test('one that cannot be looked up is passed over while another has an address', async () => {
    await expect(resolveNameservers(entries, failing)).resolves.toEqual([{ address: '10.0.0.1', port: 53 }]);
  });

  test('when none has an address, the error says which and what to write', async () => {
    await expect(resolveNameservers(entries.slice(1), failing)).rejects.toThrow(
      'ns1.example.com:5353: the host name cannot be looked up (ENOTFOUND); write its IP address instead',
    );
  });
});
