import { fileURLToPath } from 'node:url';
import { createRegistry, discoverProviders } from '@zoneproof/core';
import { countRequests } from './count.ts';
import { peers } from './peers.ts';
import { ownRow, peerRow, requestTable } from './rows.ts';
import { services } from './services.ts';

/** The most requests for 1,000 challenges at once in one zone, listing included, looks and tokens apart. */
const aims: Readonly<Record<string, { readonly most: number; readonly remove: boolean }>> = {
  clouddns: { most: 12, remove: true },
  routedns: { most: 12, remove: true },
  edgedns: { most: 30, remove: true },
  // A removal takes a request a set there, which no way of asking changes.
  fastdns: { most: 10, remove: false },
};

test.each(services.map((service) => [service.key, service] as const))(
  '%s: requests for 1,000 challenges in one zone',
  async (key, service) => {
    const { most, remove } = aims[key] ?? { most: 0, remove: true };
    const registry = createRegistry(await discoverProviders({ from: fileURLToPath(import.meta.url) }));
    const size = { challenges: 1_000, zones: 1 };
    const row = ownRow(key, size, await countRequests(service, await registry.load(key), { ...size, remove }));
    expect(row.sum).toBeLessThanOrEqual(most);
    expect(row.sum).toBeGreaterThan(1);
    const [cheapest] = peers
      .filter((peer) => peer.key === key)
      .map((peer) => peerRow(peer, size).sum)
      .sort((a, b) => a - b);
    expect(row.sum * 100).toBeLessThan(cheapest ?? 0);
  },
  30_000,
);

test('challenges of many zones take one list of zones and a write a zone', async () => {
  const registry = createRegistry(await discoverProviders({ from: fileURLToPath(import.meta.url) }));
  const [service] = services;
  if (service === undefined) throw new Error('no service is counted');
  const load = { challenges: 30, zones: 3, remove: true };
  const counted = await countRequests(service, await registry.load(service.key), load);
  expect(counted).toEqual({
    create: { listing: 1, read: 0, write: 3, sync: 6, token: 1 },
    remove: { listing: 0, read: 0, write: 3, sync: 0, token: 0 },
  });
});

test('another client is told with what its code says for as many challenges, and where', () => {
  const lego = peers.find(({ key, client }) => key === 'routedns' && client === 'lego');
  if (lego === undefined) throw new Error('no figures');
  const row = peerRow(lego, { challenges: 10, zones: 2 });
  expect(row).toMatchObject({ listing: 20, reads: 20, creates: 10, removes: 10, sum: 60, syncPolls: 40, tokens: 0 });
  expect(requestTable([row])).toMatch(
    /^provider .*\nroutedns +lego 5\.3\.1 +10 +2 +20 +20 +10 +10 +60 +40 +0\n\nlego 5\.3\.1, routedns: github\.com\S+route53\.go Present/,
  );
});
