import { formatServer, parseServer } from './server.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  [' 192.0.2.1 ', '192.0.2.1', 53],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
])('%s is read', (text, address, port) => expect(parseServer(text)).toEqual({ address, port }));

test.each([
  'ns1.example.test',
  'ns1.example.test:53',
  '',
  '192.0.2.1:',
  '192.0.2:53',
  '[192.0.2.1]:53',
  '[2001:db8::1',
  '2001:db8::1:53x',
])('"%s" is refused with the right form', (text) =>
  expect(() => parseServer(text)).toThrow(/192\.0\.2\.1:5353 or \[2001:db8::1\]:5353/),
);

test.each(['192.0.2.1:0', '192.0.2.1:65536'])('%s has no port', (text) =>
  expect(() => parseServer(text)).toThrow(/ports are 1 to 65535/),
);

test('a port left out is the one asked for', () => {
  expect(parseServer('192.0.2.1', 5300)).toEqual({ address: '192.0.2.1', port: 5300 });
});

test('written as it is read', () => {
  for (const text of ['192.0.2.1:53', '[2001:db8::1]:53']) expect(formatServer(parseServer(text))).toBe(text);
});
