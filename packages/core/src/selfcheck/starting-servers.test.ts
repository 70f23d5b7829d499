import { listedServers, systemServers } from './starting-servers.ts';

test('a missing resolver file is told by the function that would list its servers', () => {
  expect(() => systemServers('/nonexistent/resolv.conf')()).toThrow('/nonexistent/resolv.conf cannot be read (ENOENT)');
});

test('host names are looked up once in 30 s, however many ask', async () => {
  let now = 0;
  let lookups = 0;
  const lookup = async () => [`192.0.2.${++lookups}`];
  const servers = listedServers([{ kind: 'plain', host: 'ns.example.com', port: 5353 }], { now: () => now }, lookup);
  await Promise.all([servers(), servers(), servers()]);
  now = 29_999;
  await expect(servers()).resolves.toEqual([{ address: '192.0.2.1', port: 5353 }]);
  now = 30_000;
  await expect(servers()).resolves.toEqual([{ address: '192.0.2.2', port: 5353 }]);
});
