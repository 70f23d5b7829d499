import { createSelfCheck, type SelfCheck } from '@zoneproof/core';
import { FakeClock } from '@zoneproof/core/testing';
import {
  child,
  DnsExchangeError,
  type DnsMessage,
  type DnsName,
  type DnsQuestion,
  type DnsRecord,
  type DnsTransport,
  decodeMessage,
  encodeMessage,
  parentOf,
  toDnsName,
} from '@zoneproof/dns';
import type { SeededRandom } from '@zoneproof/provider-testkit';

/** A value that a bench waits for: at each server from its own moment on. */
export interface BenchValue {
  readonly zone: DnsName;
  readonly name: DnsName;
  readonly value: string;
  /** Epoch milliseconds, by the simulated clock. */
  readonly presentedAt: number;
  /** From then on until each server shows it; Infinity = never. */
  readonly lagsMs: readonly number[];
}

/** A question that arrived at a server or at the resolver. */
export interface Query {
  readonly at: 'resolver' | 'server';
  readonly address: string;
  readonly question: DnsQuestion;
  /** The value asked for is there. */
  readonly isThere: boolean;
}

/** Name servers, the network and a self check that live by a clock of their own, as fast as this machine allows. */
export interface SimulatedZones {
  readonly clock: FakeClock;
  readonly check: SelfCheck;
}

/** When simulated time begins. */
export const startsAt = 1_800_000_000_000;
const resolver = '192.0.2.53';
const addressOf = (server: number) => `198.51.100.${server + 1}`;
/** To the first server and back, to the second, and so on. */
const rttMs = [8, 20, 45, 90];
const jitterMs = 10;

/** @param onAnswer called when the answer to a question reaches who asked it */
export function simulateZones(o: {
  readonly values: readonly BenchValue[];
  readonly servers: number;
  readonly random: SeededRandom;
  readonly onQuery?: (query: Query) => void;
  readonly onAnswer?: (query: Query) => void;
}): SimulatedZones {
  const clock = new FakeClock(startsAt);
  const zones = new Set(o.values.map(({ zone }) => zone));
  const byName = new Map(o.values.map((value) => [value.name, value]));
  const servers = Array.from({ length: o.servers }, (_, server) => addressOf(server));

  function answer(address: string, { name, type }: DnsQuestion): Partial<DnsMessage> {
    const zone = zoneOf(name);
    if (zone === undefined) return { rcode: 'NXDOMAIN' };
    const hosts = servers.map((_, server) => child(`ns${server + 1}`, zone));
    const aa = address !== resolver;
    const found: DnsRecord[] = [];
    if (name === zone && type === 'NS')
      found.push(...hosts.map((data): DnsRecord => ({ name, type: 'NS', ttl: 3600, data })));
    if (name === zone && type === 'SOA') found.push(soaOf(zone));
    const host = hosts.indexOf(name);
    if (host >= 0 && type === 'A') found.push({ name, type: 'A', ttl: 3600, data: addressOf(host) });
    const value = byName.get(name);
    if (type === 'TXT' && value !== undefined && shows(value, servers.indexOf(address)))
      found.push({ name, type: 'TXT', ttl: 60, data: [value.value] });
    if (found.length > 0) return { rcode: 'NOERROR', aa, answers: found };
    return { rcode: name === zone || host >= 0 ? 'NOERROR' : 'NXDOMAIN', aa, authorities: [soaOf(zone)] };
  }

  function zoneOf(name: DnsName): DnsName | undefined {
    for (let at: DnsName | undefined = name; at !== undefined; at = parentOf(at)) if (zones.has(at)) return at;
    return undefined;
  }

  function shows({ presentedAt, lagsMs }: BenchValue, server: number): boolean {
    return clock.now() >= presentedAt + (lagsMs[server] ?? Number.POSITIVE_INFINITY);
  }

  const exchange = (address: string, query: Uint8Array, signal: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const { id, rd, questions } = decodeMessage(query);
      const question = questions[0] as DnsQuestion;
      const tripMs = (rttMs[Math.max(0, servers.indexOf(address)) % rttMs.length] ?? 0) + o.random.between(0, jitterMs);
      // The answer says what was so when the question arrived.
      const arrive = () => {
        const sections = answer(address, question);
        const isThere = question.type === 'TXT' && (sections.answers?.length ?? 0) > 0;
        const seen = { at: address === resolver ? 'resolver' : 'server', address, question, isThere } as const;
        o.onQuery?.(seen);
        clock.setTimeout(
          () => {
            if (signal.aborted) reject(signal.reason);
            else resolve(encodeMessage({ id, rd, response: true, questions, ...sections }));
            o.onAnswer?.(seen);
          },
          Math.ceil(tripMs / 2),
        );
      };
      clock.setTimeout(arrive, Math.floor(tripMs / 2));
    });

  const transport: DnsTransport = {
    async udp({ address }, query, accept, { signal }) {
      const wire = await exchange(address, query, signal);
      if (accept(wire)) return wire;
      throw new DnsExchangeError('timeout', { address, port: 53 }, 'udp', 'the answer is to another question', {
        sent: true,
      });
    },
    tcp: ({ address }, query, { signal }) => exchange(address, query, signal),
  };
  const check = createSelfCheck({
    resolvers: () => [{ address: resolver, port: 53 }],
    transport,
    clock,
    timers: clock,
    random: (length) => o.random.bytes(length),
    // By the clock of the world, which says nothing here.
    hedgeMs: 600_000,
  });
  return { clock, check };
}

/** `host7.zone3.example`, with the lags of a value of its own. */
export function valueIn(zone: number, at: number, rest: Pick<BenchValue, 'presentedAt' | 'lagsMs'>): BenchValue {
  const apex = toDnsName(`zone${zone}.example`);
  const value = Buffer.from(`${zone} ${at}`.padEnd(32)).toString('base64url');
  return { zone: apex, name: toDnsName(`_acme-challenge.host${at}.${apex}`), value, ...rest };
}

function soaOf(zone: DnsName): DnsRecord {
  const [mname, rname] = [child('ns1', zone), child('hostmaster', zone)];
  const data = { mname, rname, serial: 7, refresh: 3600, retry: 600, expire: 86_400, minimum: 60 };
  return { name: zone, type: 'SOA', ttl: 60, data };
}
