import fc from 'fast-check';
import { NameserverListError, parseNameserverList, resolveNameservers } from './nameserver-list.ts';

test.each([
  ['10.0.0.1:53', [{ host: '10.0.0.1', port: 53 }]],
  ['[::1]:53', [{ host: '::1', port: 53 }]],
  ['[fe80::1%eth0]:5353', [{ host: 'fe80::1%eth0', port: 5353 }]],
  ['NS1.Example.com.:53', [{ host: 'ns1.example.com', port: 53 }]],
  [
    ' 10.0.0.1:53 , [2001:db8::1]:5353 ',
    [
      { host: '10.0.0.1', port: 53 },
      { host: '2001:db8::1', port: 5353 },
    ],
  ],
  [
    '10.0.0.1:53,10.0.0.1:53,10.0.0.1:54',
    [
      { host: '10.0.0.1', port: 53 },
      { host: '10.0.0.1', port: 54 },
    ],
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
  ['a b:53', '"a b" is neither an IP address nor a host name'],
  ['https://dns.example/dns-query', 'only host:port entries are understood'],
  ['10.0.0.1:53,', 'an entry is empty: remove the extra comma'],
  ['', 'the list is empty'],
])('%p is refused with its correction', (text, problem) => {
  expect(() => parseNameserverList(text)).toThrow(NameserverListError);
  expect(() => parseNameserverList(text)).toThrow(problem);
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
    fc.constantFrom(':', '[', ']', ',', '53', '::1', '10.0.0.1', '%', 'ns', '.', '//'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      try {
        for (const { host, port } of parseNameserverList(pieces.join(''))) {
          expect(host).not.toBe('');
          expect(port).toBeGreaterThan(0);
          expect(port).toBeLessThan(65_536);
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
