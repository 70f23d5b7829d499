import { type DnsMessage, type DnsName, toDnsName } from '@zoneproof/dns';
import type { Resolvers } from '../selfcheck/resolvers.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { createZoneCuts } from './zone-cuts.ts';

const zone = toDnsName('example.com');
const { signal } = new AbortController();

/** Resolvers that know one server of every zone, at this address. */
function resolvers(key: string, address: string) {
  const questions: string[] = [];
  const host = toDnsName('ns.example.net');
  const ask: Resolvers['ask'] = async ({ name, type }) => {
    questions.push(`${name} ${type}`);
    const records = {
      NS: [{ name, type: 'NS', ttl: 60, data: host }],
      A: [{ name: host, type: 'A', ttl: 60, data: address }],
    };
    const answers = records[type as 'NS' | 'A'] ?? [];
    return { rcode: 'NOERROR', aa: false, answers, authorities: [], additionals: [] } as unknown as DnsMessage;
  };
  return { questions, key, text: key, servers: [], ask } satisfies Resolvers & { questions: string[] };
}

test('what one set of resolvers says is not taken for the word of another', async () => {
  const [inner, outer] = [resolvers('inner', '10.0.0.1'), resolvers('outer', '192.0.2.1')];
  let current: Resolvers = inner;
  const cuts = createZoneCuts(async () => current, new FakeClock());
  const addresses = async (at: DnsName) => (await cuts.servers(at, signal)).servers.map(({ address }) => address);
  expect(await addresses(zone)).toEqual(['10.0.0.1']);
  expect(await cuts.parent(zone, signal)).toBe('com');
  current = outer;
  expect(await addresses(zone)).toEqual(['192.0.2.1']);
  expect(await cuts.parent(zone, signal)).toBe('com');
  expect(outer.questions).toEqual(expect.arrayContaining(['example.com NS', 'com NS']));
  expect(await addresses(zone)).toEqual(['192.0.2.1']);
  expect(outer.questions.filter((one) => one === 'example.com NS')).toHaveLength(1);
});

test('servers that gave no answer with authority are looked up again', async () => {
  const only = resolvers('only', '192.0.2.1');
  const cuts = createZoneCuts(async () => only, new FakeClock());
  await cuts.servers(zone, signal);
  await cuts.servers(zone, signal);
  expect(only.questions.filter((one) => one === 'example.com NS')).toHaveLength(1);
  await cuts.drop(zone);
  await cuts.servers(zone, signal);
  expect(only.questions.filter((one) => one === 'example.com NS')).toHaveLength(2);
});
