import { type DnsTransport, exchange, parseServer, systemTransport, toDnsName, txtValue } from '@zoneproof/dns';

/** The TXT values that one server has: `txtValues('_acme-challenge.example.com', '192.0.2.53')`. */
export async function txtValues(name: string, server: string, transport: DnsTransport = systemTransport) {
  const question = { name: toDnsName(name), type: 'TXT' } as const;
  const signal = AbortSignal.timeout(10_000);
  const { message } = await exchange(question, parseServer(server), { transport, signal, rd: false });
  return message.answers.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : []));
}
