import { type DnsName, type DsData, type SignedRrset, signedRrset } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import { createSharedCache } from '../selfcheck/shared-cache.ts';
import { LocateError } from '../selfcheck/types.ts';
import type { Asked, AskServer } from './ask-server.ts';
import type { ServerObservation } from './observe-zone.ts';
import type { ZoneCuts } from './zone-cuts.ts';

/** Keys that are trusted without a signature: those of the root zone unless a private DNS has its own. */
export interface TrustAnchor {
  readonly zone: DnsName;
  readonly ds: readonly DsData[];
}

/** What a chain of trust down to one zone is judged from. */
export interface TrustObservation {
  readonly zone: DnsName;
  /** From the top: each zone with its DNSKEY set, and its DS set as its parent has it. */
  readonly path: readonly ZoneTrust[];
  /** Why the path could not be seen. */
  readonly problem?: string;
  /** The SOA set and its signatures at each server. */
  readonly servers: readonly { readonly name: DnsName; readonly address: string; readonly soa: SignedRrset }[];
  /** What a resolver says; undefined: none could be asked. */
  readonly resolver?: ResolverView;
}

export interface ZoneTrust {
  readonly zone: DnsName;
  /** Absent at the top. */
  readonly ds?: SignedRrset | NotSeen;
  readonly dnskeys: SignedRrset | NotSeen;
}

export interface NotSeen {
  readonly problem: string;
}

/** The same question with and without checking (CD, RFC 4035 3.2.2). */
export interface ResolverView {
  readonly resolver: string;
  readonly rcode: string;
  /** The resolver says that it has validated the answer. */
  readonly ad: boolean;
  readonly uncheckedRcode: string;
  readonly told?: string;
}

/** Fetches DS and DNSKEY sets, each remembered for as long as a minute, since zones have parents in common. */
export function createTrustObserver(ask: AskServer, cuts: ZoneCuts, clock: Clock) {
  const sets = createSharedCache<SignedRrset | NotSeen>(clock, maxSets);

  /** @param at the zone whose servers are asked, or these servers */
  function fetchSet(type: 'DS' | 'DNSKEY', name: DnsName, at: DnsName | readonly Asked[], signal: AbortSignal) {
    return sets.load(`${type} ${name}`, signal, async (shared) => {
      try {
        const servers = typeof at === 'string' ? (await cuts.servers(at, shared)).servers : at;
        const question = { name, type, dnssecOk: true };
        const reply = await ask.first(
          servers,
          question,
          // A name without a public top-level domain: there is no DS record for certain.
          ({ message }) =>
            message.aa && (message.rcode === 'NOERROR' || (type === 'DS' && message.rcode === 'NXDOMAIN')),
          shared,
        );
        if ('problem' in reply && typeof at === 'string') await cuts.drop(at);
        if ('problem' in reply)
          return { value: { problem: `${type} of ${name || 'the root'}: ${reply.problem}` }, ttlMs: retryMs };
        return { value: signedRrset(reply.message.answers, name, type), ttlMs: keepMs };
      } catch (error) {
        if (!(error instanceof LocateError)) throw error;
        return { value: { problem: error.message }, ttlMs: retryMs };
      }
    });
  }

  return async function observeTrust(
    zone: DnsName,
    servers: readonly ServerObservation[],
    resolver: ResolverView | undefined,
    signal: AbortSignal,
  ): Promise<TrustObservation> {
    const signed = servers.flatMap(({ name, address, udp, tcp }) => {
      const soa = ('signed' in udp && udp.signed) || ('signed' in tcp && tcp.signed);
      return soa ? [{ name, address, soa }] : [];
    });
    const zones = await cuts.path(zone, signal);
    const path = await Promise.all(
      zones.map(async (at, depth): Promise<ZoneTrust> => {
        const above = zones[depth - 1];
        const [dnskeys, ds] = await Promise.all([
          // The resolvers need not know the zone itself: it may begin at a challenge's name.
          fetchSet('DNSKEY', at, at === zone && servers.length > 0 ? servers : at, signal),
          above === undefined ? undefined : fetchSet('DS', at, above, signal),
        ]);
        return { zone: at, dnskeys, ...(ds !== undefined && { ds }) };
      }),
    );
    return { zone, path, servers: signed, ...(resolver !== undefined && { resolver }) };
  };
}

const maxSets = 2000;
const keepMs = 60_000;
const retryMs = 10_000;
