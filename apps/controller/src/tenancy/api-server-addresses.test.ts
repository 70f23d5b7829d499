import { setImmediate as turn } from 'node:timers/promises';
import { apiServerAddresses } from './api-server-addresses.ts';

test('the names and addresses of the API server, looked up again when a minute has passed', async () => {
  let now = 0;
  const answers = [['192.0.2.1', '2001:DB8:0::1%eth0'], ['192.0.2.2']];
  const asked: string[] = [];
  const addresses = await apiServerAddresses({
    server: new URL('https://API.cluster.test:6443'),
    serviceHost: '10.96.0.1',
    clock: { now: () => now },
    lookupHost: async (host) => {
      asked.push(host);
      return answers.shift() ?? [];
    },
  });
  const first = ['api.cluster.test', '10.96.0.1', '192.0.2.1', '2001:db8::1'];
  expect([...addresses()]).toEqual(first);
  now = 59_999;
  addresses();
  expect(asked).toHaveLength(1);
  now = 60_000;
  addresses();
  addresses();
  await turn();
  expect([...addresses()]).toEqual([...first, '192.0.2.2']);
  expect(asked).toEqual(['api.cluster.test', 'api.cluster.test']);
});

test('an API server that is an address asks no DNS; a name that nobody knows is only a name', async () => {
  const lookupHost = async () => {
    throw new Error('no DNS');
  };
  const clock = { now: () => 0 };
  const byAddress = await apiServerAddresses({ server: new URL('https://[2001:db8::1]:443'), clock, lookupHost });
  expect([...byAddress()]).toEqual(['2001:db8::1']);
  const byName = await apiServerAddresses({ server: new URL('https://gone.test'), clock, lookupHost });
  expect([...byName()]).toEqual(['gone.test']);
});
