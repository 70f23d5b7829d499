import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeMessage, encodeMessage, exchange, systemTransport, toDnsName } from '@zoneproof/dns';
import { parseResolvConf, readResolvConf } from './resolv-conf.ts';

test('addresses of both families and scoped ones, in order, each once; all else is left alone', () => {
  const text = [
    '# a comment',
    '; nameserver 10.9.9.9',
    'search example.com corp.example',
    'nameserver 10.0.0.1',
    '\tnameserver\t2001:db8::1   # the second',
    'nameserver fe80::1%eth0',
    'nameserver 10.0.0.1',
    'options ndots:5 edns0',
  ].join('\r\n');
  expect(parseResolvConf(text)).toEqual({
    servers: ['10.0.0.1', '2001:db8::1', 'fe80::1%eth0'].map((address) => ({ address, port: 53 })),
  });
});

test('the first three count, as for the C library', () => {
  const text = [1, 2, 2, 3, 4, 5].map((at) => `nameserver 192.0.2.${at}`).join('\n');
  expect(parseResolvConf(text).servers.map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
});

test('a scoped address is one that can be asked', async () => {
  // Every machine has this one: the loopback interface by its name.
  const loopback = Object.entries(networkInterfaces()).find(([, all]) => all?.some(({ address }) => address === '::1'));
  if (loopback === undefined) return;
  const socket = createSocket('udp6');
  await new Promise<void>((resolve) => socket.bind(0, '::1', resolve));
  socket.on('message', (wire, from) => {
    const { id, questions } = decodeMessage(wire);
    socket.send(encodeMessage({ id, questions, response: true }), from.port, from.address);
  });
  const [server] = parseResolvConf(`nameserver ::1%${loopback[0]}`).servers;
  const { port } = socket.address();
  const asked = { name: toDnsName('example.test'), type: 'NS' } as const;
  const options = { transport: systemTransport, signal: new AbortController().signal, rd: true };
  try {
    const { message } = await exchange(asked, { address: server?.address ?? '', port }, options);
    expect(message.rcode).toBe('NOERROR');
  } finally {
    await new Promise<void>((resolve) => socket.close(resolve));
  }
});

test('a line that names no address is told, and the others count', () => {
  expect(parseResolvConf('nameserver 10.0.0.1\nnameserver dns.example\n')).toEqual({
    servers: [{ address: '10.0.0.1', port: 53 }],
    problem: '/etc/resolv.conf: line 2 names no IP address ("dns.example")',
  });
});

test('a file without a server says how to go on', () => {
  const { servers, problem } = parseResolvConf('search example.com\n', '/run/resolv.conf');
  expect(servers).toEqual([]);
  expect(problem).toBe(
    '/run/resolv.conf: it lists no nameserver; repair it or set --dns01-self-check-nameservers HOST:PORT,...',
  );
});

test('a missing file is told, and one that changes is read anew', () => {
  const directory = mkdtempSync(join(tmpdir(), 'resolv-'));
  const path = join(directory, 'resolv.conf');
  try {
    expect(readResolvConf(path)).toEqual({
      servers: [],
      problem: `${path} cannot be read (ENOENT); repair it or set --dns01-self-check-nameservers HOST:PORT,...`,
    });
    writeFileSync(path, 'nameserver 10.0.0.1\n');
    expect(readResolvConf(path).servers).toEqual([{ address: '10.0.0.1', port: 53 }]);
    writeFileSync(path, 'nameserver ::1\n');
    expect(readResolvConf(path).servers).toEqual([{ address: '::1', port: 53 }]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
