import { decodeMessage, encodeMessage, exchange, refusingTransport, toDnsName } from '@zoneproof/dns';

const question = { name: toDnsName('a.test'), type: 'DNSKEY' } as const;
const signal = new AbortController().signal;
const server = { address: '192.0.2.1', port: 53 };

test('DO and CD are sent as told, over UDP and TCP, and CD once more to a server without EDNS', async () => {
  const seen: string[] = [];
  const reply = (wire: Uint8Array, transport: string) => {
    const { id, cd, edns, questions } = decodeMessage(wire);
    seen.push(`${transport} CD=${Number(cd)} ${edns ? `DO=${Number(edns.dnssecOk)}` : 'no EDNS'}`);
    const rcode = transport === 'tcp' && edns ? 'FORMERR' : 'NOERROR';
    return encodeMessage({ id, response: true, tc: transport === 'udp', rcode, questions });
  };
  const transport = {
    ...refusingTransport(),
    udp: async (_server: unknown, query: Uint8Array, accept: (answer: Uint8Array) => boolean) => {
      const wire = reply(query, 'udp');
      expect(accept(wire)).toBe(true);
      return wire;
    },
    tcp: async (_server: unknown, query: Uint8Array) => reply(query, 'tcp'),
  };
  await exchange(question, server, { transport, signal, rd: true, dnssecOk: true, cd: true });
  expect(seen).toEqual(['udp CD=1 DO=1', 'tcp CD=1 DO=1', 'tcp CD=1 no EDNS']);
  seen.length = 0;
  await exchange(question, server, { transport, signal, rd: true });
  expect(seen[0]).toBe('udp CD=0 DO=0');
});
