import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { toDnsName } from '@zoneproof/dns';
import { createSelfCheck } from '../self-check.ts';
import type { LocateError, SelfCheck } from '../types.ts';
import { type NameServer, type NameServers, nameServers } from './name-servers.ts';
import { type RecordLine, record, zone } from './zone-data.ts';

export const leaf = toDnsName('_acme-challenge.www.example.com');
export const value = 'gfj9Xq-Rg85nM_7OZKkqVhUvIRbGz5ddkc1sRbJmRkc';
export const signal: AbortSignal = new AbortController().signal;
setMaxListeners(0, signal);

/** Name servers of one test, a resolver at 192.0.2.53 that knows all their zones, and a self check that starts there. */
export interface World {
  readonly dns: NameServers;
  readonly resolver: NameServer;
  check: SelfCheck;
  now: number;
  checkFrom(listed: string | (() => string), patience?: Patience): SelfCheck;
  /** example.com on two name servers with three addresses. */
  serveExample(...more: RecordLine[]): Promise<{ ns1: NameServer; ns2: NameServer; ns2v6: NameServer }>;
  close(): Promise<void>;
}

interface Patience {
  readonly tryTimeoutMs: number;
  readonly hedgeMs: number;
}

/** For tests about silence. The others are patient, so that a busy machine is not taken for a dead server. */
export const hasty: Patience = { tryTimeoutMs: 100, hedgeMs: 50 };
const patient: Patience = { tryTimeoutMs: 5000, hedgeMs: 5000 };

export async function createWorld(): Promise<World> {
  const dns = nameServers();
  const resolver = await dns.resolve('192.0.2.53');
  const checkFrom: World['checkFrom'] = (listed, patience = patient) =>
    createSelfCheck({
      resolvers: () => [{ address: typeof listed === 'string' ? listed : listed(), port: 53 }],
      transport: dns.transport,
      clock: { now: () => world.now },
      random: (length) => randomBytes(length),
      ...patience,
    });
  const world: World = {
    dns,
    resolver,
    check: checkFrom('192.0.2.53'),
    now: 1_700_000_000_000,
    checkFrom,
    async serveExample(...more) {
      const data = () => zone('example.com', ...exampleLines, ...more);
      return {
        ns1: await dns.serve('192.0.2.1', data()),
        ns2: await dns.serve('192.0.2.2', data()),
        ns2v6: await dns.serve('2001:db8::2', data()),
      };
    },
    async close() {
      await dns.close();
      // Whatever the test was about: a resolver never learns that the name is asked for.
      const planted = resolver.queries.filter(({ name }) => name.includes('_acme-challenge') || /^uuid\./.test(name));
      expect(planted).toEqual([]);
    },
  };
  return world;
}

export const exampleLines: readonly RecordLine[] = [
  ['example.com', 'NS', 'ns1.example.com'],
  ['example.com', 'NS', 'ns2.example.com'],
  ['ns1.example.com', 'A', '192.0.2.1'],
  ['ns2.example.com', 'A', '192.0.2.2'],
  ['ns2.example.com', 'AAAA', '2001:db8::2'],
  ['www.example.com', 'A', '192.0.2.80'],
];

/** Adds records to the last zone of a server. */
export function put(server: NameServer, ...lines: RecordLine[]): void {
  const target = server.zones.at(-1);
  if (target) target.records = [...target.records, ...lines.map(record)];
}

export async function problemOf(work: Promise<unknown>): Promise<LocateError> {
  return work.then(
    () => {
      throw new Error('it should have failed');
    },
    (error: LocateError) => error,
  );
}
