import { addressRule } from './address-rule.ts';
import { parseAllowedEndpoints } from './allowed-endpoints.ts';
import { parseCidrs } from './cidr.ts';

const rule = (options: { denied?: string; allowed?: string; apiServer?: readonly string[] } = {}) =>
  addressRule({
    deniedCidrs: parseCidrs(options.denied ?? ''),
    allowed: parseAllowedEndpoints(options.allowed ?? ''),
    apiServer: () => new Set(options.apiServer ?? []),
  });

test.each([
  ['203.0.113.9', 'a public address'],
  ['10.1.2.3', 'a private address, where CAs and name servers of clusters are'],
  ['172.16.0.1', 'another'],
  ['192.168.1.1', 'another'],
  ['100.64.0.1', 'carrier-grade NAT, where some clusters live'],
  ['100.100.100.201', 'the neighbour of a metadata service'],
  ['2001:db8::1', 'a public IPv6 address'],
  ['fd12:3456::1', 'a private one'],
  ['64:ff9b::cb00:7109', 'a public address behind NAT64'],
  ['2002:cb00:7109::1', 'a public address behind 6to4'],
  ['64:ff9b:1::cb00:7109', 'a public address behind a NAT64 of the network'],
])('%s is free: %s', (address) => {
  expect(rule()(address, 'host.test')).toBeUndefined();
});

test.each([
  ['127.0.0.1', /a loopback address/],
  ['127.255.255.254', /a loopback address/],
  ['0.0.0.0', /an unspecified address/],
  ['0.1.2.3', /an unspecified address/],
  ['169.254.169.254', /a link-local address, where metadata services are/],
  ['169.254.170.2', /link-local/],
  ['169.254.20.10', /link-local/],
  ['100.100.100.200', /Alibaba/],
  ['168.63.129.16', /Azure/],
  ['192.0.0.192', /Oracle/],
  ['224.0.0.251', /multicast/],
  ['239.255.255.250', /multicast/],
  ['240.0.0.1', /reserved/],
  ['255.255.255.255', /broadcast/],
  ['::', /unspecified/],
  ['::1', /loopback/],
  ['fe80::1', /link-local/],
  ['febf::1', /link-local/],
  ['ff02::fb', /multicast/],
  ['fd00:ec2::254', /AWS/],
  ['fd00:ec2::23', /AWS/],
  ['fd20:ce::254', /Google/],
  ['fd00:c1::a9fe:a9fe', /Oracle/],
  ['fd00:42::42', /Scaleway/],
])('%s is denied: %s', (address, because) => {
  expect(rule()(address, 'host.test')).toMatch(because);
});

test.each([
  ['::ffff:7f00:1', 'mapped'],
  ['::7f00:1', 'compatible'],
  ['::ffff:0:7f00:1', 'translated'],
  ['64:ff9b::7f00:1', 'NAT64, well-known prefix'],
  ['64:ff9b:1::7f00:1', 'NAT64, local prefix of 96 bits'],
  ['64:ff9b:1:7f00:0:100::', 'NAT64, local prefix of 48 bits'],
  ['64:ff9b:1:ab7f:0:1::', 'NAT64, local prefix of 56 bits'],
  ['64:ff9b:1:0:7f:0:100:0', 'NAT64, local prefix of 64 bits'],
  ['2002:7f00:1::', '6to4'],
  ['2001:0:7f00:1::', 'the server of Teredo'],
  ['2001:0:cb00:7109::80ff:fffe', 'the client of Teredo'],
  ['2001:db8::5efe:7f00:1', 'ISATAP'],
])('127.0.0.1 as %s (%s) is seen through', (address) => {
  expect(rule()(address, 'host.test')).toMatch(/^it leads to 127\.0\.0\.1: it is a loopback address$/);
});

test('ranges of --denied-cidrs are denied, also inside IPv6 addresses', () => {
  const denies = rule({ denied: '10.0.0.0/8, fd00::/8 192.0.2.1' });
  expect(denies('10.255.0.1', 'a.test')).toBe('10.0.0.0/8 is denied to Issuers of namespaces here');
  expect(denies('64:ff9b::a00:1', 'a.test')).toMatch(/^it leads to 10\.0\.0\.1: 10\.0\.0\.0\/8 is denied/);
  expect(denies('fd01::1', 'a.test')).toMatch(/^fd00::\/8 is denied/);
  expect(denies('192.0.2.1', 'a.test')).toMatch(/^192\.0\.2\.1\/32 is denied/);
  expect(denies('192.0.2.2', 'a.test')).toBeUndefined();
  expect(denies('11.0.0.1', 'a.test')).toBeUndefined();
});

test('the API server is denied by its addresses and by its name', () => {
  const denies = rule({ apiServer: ['10.96.0.1', 'api.cluster.test'] });
  expect(denies('10.96.0.1', 'innocent.test')).toBe('the API server is there');
  expect(denies('64:ff9b::a60:1', 'innocent.test')).toBe('it leads to 10.96.0.1: the API server is there');
  expect(denies('', 'API.cluster.test.')).toBe('it is the name of the API server');
  expect(denies('10.96.0.2', 'innocent.test')).toBeUndefined();
});

test.each(['localhost', 'a.localhost', 'metadata.google.internal', 'METADATA.goog.', 'kubernetes.default.svc'])(
  'where a proxy resolves names, %s is denied by its name',
  (host) => {
    expect(rule()('', host)).toMatch(/^it is the name of /);
    expect(rule()('', `not-${host}.test`)).toBeUndefined();
  },
);

test('hosts of --allowed-endpoints are free whatever they stand for, and no others', () => {
  const denies = rule({ allowed: 'lab.test:8443, 127.0.0.1' });
  expect(denies('127.0.0.1', 'lab.test')).toBeUndefined();
  expect(denies('127.0.0.1', '127.0.0.1')).toBeUndefined();
  expect(denies('127.0.0.1', 'other.test')).toMatch(/loopback/);
  expect(denies('127.0.0.2', '127.0.0.2')).toMatch(/loopback/);
});

test('what is no address is denied', () => {
  expect(rule()('127.1', 'a.test')).toBe('it is no address');
});
