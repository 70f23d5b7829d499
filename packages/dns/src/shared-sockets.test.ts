import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type DnsExchangeError, exchange, systemTransport, toDnsName } from '@zoneproof/dns';

// The kernel tells once that nothing listens, and to an even number of queries in answer to a send, not to a read.
test.each([1, 2, 3, 4])('where nothing listens, all of %d queries on one socket learn it at once', async (count) => {
  const server = await nobody();
  const how = { transport: systemTransport, signal: new AbortController().signal, rd: false, timeoutMs: 4000 };
  const startedAt = performance.now();
  const problems = await Promise.all(
    Array.from({ length: count }, () =>
      exchange({ name: toDnsName('a.test'), type: 'A' }, server, how).then(
        () => 'an answer',
        ({ kind }: DnsExchangeError) => kind,
      ),
    ),
  );
  expect(new Set(problems)).toEqual(new Set(['refused']));
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

async function nobody() {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { address, port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return { address, port };
}
