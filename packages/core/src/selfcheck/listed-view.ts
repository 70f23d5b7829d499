import { type AnyDnsServer, type DnsMessage, type DnsName, formatServer, isWithin, labelsOf } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import { untilAborted } from './abort.ts';
import type { Ask } from './ask.ts';
import { ancestorsTopDown } from './delegations.ts';
import type { Gate } from './gate.ts';
import type { Resolvers } from './resolvers.ts';
import { createSharedCache } from './shared-cache.ts';
import { type AuthoritativeServer, LocateError, type Location } from './types.ts';
import { authoritativePort, type ZoneServers } from './zone-servers.ts';

/** The DNS as the listed servers alone tell it. */
export interface ListedView {
  /**
   * The zone of a name, from questions for names above it only, and how long a resolver may keep that there is nothing.
   *
   * @throws LocateError
   */
  locate(
    name: DnsName,
    signal: AbortSignal,
  ): Promise<{ readonly zone: DnsName } & Pick<NonNullable<Location['listed']>, 'servers' | 'waitMs'>>;
  /** Where a name that is known to be an alias leads. Only the alias is asked for: nobody is led on to its target. */
  aliasOf(name: DnsName, signal: AbortSignal): Promise<DnsName | undefined>;
  /** Those of the listed servers that answer for the zone with authority and are not among its servers. */
  authoritativeFor(zone: ZoneServers, signal: AbortSignal): Promise<readonly AuthoritativeServer[]>;
}

export function createListedView(
  resolvers: Resolvers,
  { ask, gate, clock }: { readonly ask: Ask; readonly gate: Gate; readonly clock: Clock },
): ListedView {
  const { servers } = resolvers;
  const starts = createSharedCache<Start | undefined>(clock, maxZones);
  const authorities = createSharedCache<readonly AnyDnsServer[]>(clock, maxZones);

  const soaAt = (at: DnsName, signal: AbortSignal) =>
    starts.load(at, signal, async (shared) => {
      const message = await resolvers.ask({ name: at, type: 'SOA' }, shared);
      return { value: typeof message === 'string' ? undefined : startIn(message, at), ttlMs: keepMs };
    });

  const answersFor = async (zone: DnsName, server: AnyDnsServer, signal: AbortSignal): Promise<boolean> => {
    try {
      const { message } = await gate.run(() => ask({ name: zone, type: 'SOA' }, server, { rd: true, signal }), signal);
      return message.aa && message.answers.some(({ type, name }) => type === 'SOA' && name === zone);
    } catch {
      signal.throwIfAborted();
      return false;
    }
  };

  return {
    async locate(name, signal) {
      let found: Start | undefined;
      for (const ancestor of ancestorsTopDown(name)) {
        const start = await soaAt(ancestor, signal);
        if (start === undefined) continue;
        if (found === undefined || isWithin(start.zone, found.zone)) found = start;
        // What is below a name that does not exist need not be asked for.
        if (start.isMissing) break;
      }
      if (found !== undefined) return { zone: found.zone, servers, waitMs: found.waitMs };
      throw new LocateError(
        'no-delegation',
        `no zone holds ${name}: the listed servers (${resolvers.text}) know none; check the spelling and that the ` +
          'domain is registered',
      );
    },
    async aliasOf(name, signal) {
      const message = await resolvers.ask({ name, type: 'CNAME' }, signal);
      if (typeof message === 'string') return undefined;
      const alias = message.answers.find((record) => record.type === 'CNAME' && record.name === name);
      return alias?.type === 'CNAME' ? alias.data : undefined;
    },
    async authoritativeFor({ zone, servers: known }, signal) {
      const plain = servers.flatMap((server) => (server.kind === undefined ? [server] : []));
      const others = plain.filter(
        ({ address, port }) =>
          !known.some((one) => one.address === address && (one.port ?? authoritativePort) === port),
      );
      if (others.length === 0) return [];
      const found = await authorities.load(zone, signal, async (shared) => {
        const work = Promise.all(others.map((server) => answersFor(zone, server, shared)));
        const answers = await untilAborted(work, shared);
        return { value: others.filter((_server, at) => answers[at]), ttlMs: keepMs };
      });
      return found.flatMap((server) =>
        server.kind === undefined
          ? [{ name: formatServer(server) as DnsName, address: server.address, port: server.port }]
          : [],
      );
    },
  };
}

interface Start {
  readonly zone: DnsName;
  readonly waitMs: number;
  readonly isMissing: boolean;
}

const maxZones = 1000;
const keepMs = 300_000;
/** The longest that anybody is made to wait before a resolver is asked for the first time. */
const maxWaitMs = 60_000;

/** The zone that an answer to `at SOA` tells, and for how long a resolver keeps a denial from there (RFC 2308 5). */
function startIn(message: DnsMessage, at: DnsName): Start | undefined {
  const soa = [...message.answers, ...message.authorities].find(
    (record) => record.type === 'SOA' && isWithin(at, record.name),
  );
  if (soa?.type !== 'SOA') return undefined;
  const isMissing = message.rcode === 'NXDOMAIN';
  // "No such domain" from a top-level zone: no zone to write to.
  if (isMissing && labelsOf(soa.name).length < 2) return undefined;
  return { zone: soa.name, isMissing, waitMs: Math.min(maxWaitMs, soa.data.minimum * 1000) };
}
