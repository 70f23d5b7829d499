import { toDnsName } from '@zoneproof/dns';
import { createAsk } from './ask.ts';
import { nameServers } from './testing/name-servers.ts';
import { zone } from './testing/zone-data.ts';

test('tells of each question whether it was answered, and nothing of one that was stopped', async () => {
  const dns = nameServers();
  const outcomes: string[] = [];
  const ask = createAsk({
    transport: dns.transport,
    random: (length) => new Uint8Array(length),
    tryTimeoutMs: 50,
    onQuestion: (outcome) => outcomes.push(outcome),
  });
  const server = await dns.serve('192.0.2.1', zone('example.com'));
  const to = { address: '192.0.2.1', port: 53 };
  const question = { name: toDnsName('example.com'), type: 'SOA' } as const;
  const { signal } = new AbortController();
  await ask(question, to, { rd: false, signal });
  server.manner = () => 'silent';
  await expect(ask(question, to, { rd: false, signal })).rejects.toThrow('no answer');
  await expect(ask(question, to, { rd: false, signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow('over');
  expect(outcomes).toEqual(['answered', 'unanswered']);
  await dns.close();
});
