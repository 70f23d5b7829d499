import { type AnyDnsServer, type DnsName, type DnsRecord, exchange, toDnsName } from '@zoneproof/dns';
import type { fastTime, Manner, RecordLine, ScriptedNetwork, ScriptedServer, ScriptedZone } from '../scripted/index.ts';
import { scriptedZone } from '../scripted/index.ts';

/** The DNS of one case. */
export interface CaseWorld {
  readonly net: ScriptedNetwork;
  /** `_acme-challenge.www.example.com`, unless the case is about another name. */
  readonly challenge: DnsName;
  /** Names where values are shown: no resolver may be asked for them before. */
  readonly guarded: ReadonlySet<string>;
  now(): number;
  /** The values that the world knows of by now, and since when. */
  published(): Published | undefined;
  publish(values: readonly string[]): Promise<void>;
  /** What is done when the values are published, besides. */
  whenPublished(work: (values: readonly string[]) => Promise<void>): void;
  /** Does something later, unless the case is over by then. */
  after(ms: number, work: () => Promise<void>): void;
  /** What is to be done when the case is over. */
  whenOver(work: () => Promise<void>): void;
  /** A zone with a name server for each member, each with a copy of its own. */
  zone(apex: string, members: readonly Member[], ...records: readonly RecordLine[]): Promise<readonly ScriptedServer[]>;
  /** Several zones on the same servers. */
  zones(zones: readonly ZoneOnServers[]): Promise<void>;
  /** A server of a copy of a zone that no NS record names; its listing is the case's business. */
  hidden(apex: string, address: string, showsAfterMs: number | undefined): Promise<void>;
  /** Somebody asks the resolver for the challenge's name while nothing is there. */
  askEarly(): Promise<void>;
  /** Of zones that are made from now on, in seconds; 60 at first. */
  negativeTtl: number;
  /** Where a check starts: a resolver at 192.0.2.53 that knows every zone, unless a case says other. */
  listed: readonly AnyDnsServer[];
  /** Resolvers that are asked last. */
  lastResolvers: readonly AnyDnsServer[];
  /** Trust anchors of a case about DNSSEC: zone and lines of DS records. */
  anchors: readonly string[];
  close(): Promise<void>;
}

export type ZoneOnServers = readonly [apex: string, members: readonly Member[], records: readonly RecordLine[]];

export interface Published {
  readonly values: readonly string[];
  /** Epoch milliseconds. */
  readonly at: number;
  /** Where they were written; default: wherever the case wants them. */
  readonly name?: DnsName;
}

/** One name server of a zone. */
export interface Member {
  /** `ns1` or, elsewhere than in the zone, a whole name. */
  readonly host: string;
  readonly addresses: readonly string[];
  /** When its copy gets the published values, in milliseconds after that; undefined: never. */
  readonly showsAfterMs?: number | undefined;
  /** Where they are shown; default: the challenge's name. */
  readonly at?: string;
  /** Its serial before and after it has them. */
  readonly serials?: readonly [before: number, after: number];
  readonly manner?: Manner;
  /** Nothing listens there. */
  readonly isDown?: boolean;
}

export function member(host: string, address: string | readonly string[], more: Partial<Member> = {}): Member {
  return { host, addresses: [address].flat(), showsAfterMs: 0, ...more };
}

export function caseWorld(options: {
  readonly net: ScriptedNetwork;
  readonly now: () => number;
  readonly timers: Pick<ReturnType<typeof fastTime>, 'setTimeout' | 'clearTimeout'>;
  readonly domain: string;
  /** Values that somebody else publishes. */
  readonly published?: () => Published | undefined;
}): CaseWorld {
  const { net, now, domain } = options;
  const challenge = toDnsName(`_acme-challenge.${domain}`);
  const guarded = new Set<string>([challenge]);
  const publishing: ((values: readonly string[]) => Promise<void>)[] = [];
  const closing: (() => Promise<void>)[] = [];
  const later = new Set<Promise<void>>();
  let own: Published | undefined;
  const published = options.published ?? (() => own);

  function copyOf(apex: string, members: readonly Member[], one: Member, records: readonly RecordLine[]): ScriptedZone {
    const zone = scriptedZone(apex, ...members.flatMap((each) => nameserverLines(apex, each)), ...records);
    const { showsAfterMs, at, serials = [7, 8] } = one;
    const name = at === undefined ? challenge : toDnsName(at);
    const shown = (): readonly string[] => {
      const known = published();
      if (known === undefined || showsAfterMs === undefined || now() < known.at + showsAfterMs) return [];
      return known.name === undefined || known.name === name ? known.values : [];
    };
    return {
      ...zone,
      negativeTtl: world.negativeTtl,
      live: () => shown().map((value): DnsRecord => ({ name, type: 'TXT', ttl: 60, data: [value] })),
      serial: () => (shown().length > 0 ? serials[1] : serials[0]),
    };
  }

  async function serve(zones: readonly ZoneOnServers[]): Promise<readonly ScriptedServer[]> {
    const at = new Map<string, { readonly zones: ScriptedZone[]; readonly manners: Manner[] }>();
    for (const [apex, members, records] of zones)
      for (const one of members) {
        if (one.at !== undefined) guarded.add(one.at);
        for (const address of one.isDown ? [] : one.addresses) {
          const here = at.get(address) ?? { zones: [], manners: [] };
          at.set(address, here);
          here.zones.push(copyOf(apex, members, one, records));
          if (one.manner !== undefined) here.manners.push(one.manner);
        }
      }
    const servers: ScriptedServer[] = [];
    for (const [address, here] of at) {
      const server = await net.serve(address, ...here.zones);
      const [manner] = here.manners;
      if (manner !== undefined) server.manner = manner;
      servers.push(server);
    }
    return servers;
  }

  const world: CaseWorld = {
    net,
    challenge,
    guarded,
    now,
    published,
    async publish(values) {
      own = { values, at: now() };
      for (const work of publishing) await work(values);
    },
    whenPublished: (work) => publishing.push(work),
    after(ms, work) {
      const handle = options.timers.setTimeout(() => {
        later.add(work());
      }, ms);
      closing.unshift(async () => {
        options.timers.clearTimeout(handle);
        await Promise.all(later);
      });
    },
    whenOver: (work) => closing.unshift(work),
    zone: (apex, members, ...records) => serve([[apex, members, records]]),
    async zones(zones) {
      await serve(zones);
    },
    async hidden(apex, address, showsAfterMs) {
      const named = net.servers.flatMap(({ zones }) => zones).find((zone) => zone.apex === apex);
      const copy = copyOf(apex, [], member('hidden', address, { showsAfterMs }), []);
      copy.records.push(...(named?.records ?? []));
      await net.serve(address, copy);
    },
    async askEarly() {
      const to = { address: resolverAddress, port: 53 };
      const { signal } = new AbortController();
      await exchange({ name: challenge, type: 'TXT' }, to, { transport: net.transport, signal, rd: true });
    },
    negativeTtl: 60,
    listed: [{ address: resolverAddress, port: 53 }],
    lastResolvers: [],
    anchors: [],
    async close() {
      for (const work of closing) await work();
      await net.close();
    },
  };
  return world;
}

export const resolverAddress = '192.0.2.53';

function nameserverLines(apex: string, { host, addresses }: Member): RecordLine[] {
  const name = host.includes('.') ? host : `${host}.${apex}`;
  const lines: RecordLine[] = [[apex, 'NS', name]];
  // Where the host lies elsewhere, its own zone has to tell.
  if (name === apex || name.endsWith(`.${apex}`))
    for (const address of addresses) lines.push([name, address.includes(':') ? 'AAAA' : 'A', address]);
  return lines;
}
