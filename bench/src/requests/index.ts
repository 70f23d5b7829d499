import { fileURLToPath } from 'node:url';
import { createRegistry, discoverProviders } from '@zoneproof/core';
import { countRequests } from './count.ts';
import { peers } from './peers.ts';
import { ownRow, peerRow, type RequestRow } from './rows.ts';
import { services } from './services.ts';

export { type RequestRow, requestTable } from './rows.ts';

/** Requests of each provider, in one zone and in many, beside what lego and cert-manager send. */
export async function requestRows(quick: boolean, progress: (text: string) => void): Promise<readonly RequestRow[]> {
  const registry = createRegistry(await discoverProviders({ from: fileURLToPath(import.meta.url) }));
  const sizes = quick
    ? [{ challenges: 1_000, zones: 1 }]
    : [
        { challenges: 1_000, zones: 1 },
        { challenges: 1_000, zones: 50 },
      ];
  const rows: RequestRow[] = [];
  for (const service of services)
    for (const size of sizes) {
      progress(`requests of ${service.key}: ${size.challenges} challenges, zones: ${size.zones}`);
      const plugin = await registry.load(service.key);
      rows.push(ownRow(service.key, size, await countRequests(service, plugin, { ...size, remove: true })));
      rows.push(...peers.filter(({ key }) => key === service.key).map((peer) => peerRow(peer, size)));
    }
  return rows;
}
