import { type DnsMessage, type DnsName, isWithin, labelsOf, type SignedRrset, signedRrset } from '@zoneproof/dns';
import { nameserversOf } from '../selfcheck/reply.ts';
import { LocateError, type Location } from '../selfcheck/types.ts';
import type { AskServer, ServerReply } from './ask-server.ts';
import type { ZoneCuts } from './zone-cuts.ts';

/** What the servers of a zone and of its parent said, without a judgement. */
export interface ZoneObservation {
  readonly zone: DnsName;
  readonly parent: ParentObservation;
  readonly servers: readonly ServerObservation[];
  /** Name servers without a known address. */
  readonly unresolved: readonly DnsName[];
}

/** What the parent's servers say of the delegation, or why they could not be asked. */
export type ParentObservation =
  | { readonly zone: DnsName; readonly nameservers: readonly DnsName[]; readonly aa: boolean }
  | { readonly problem: string };

export interface ServerObservation {
  readonly name: DnsName;
  readonly address: string;
  readonly udp: ServerAnswer;
  readonly tcp: ServerAnswer;
  /** The NS names that it says the zone has. */
  readonly nameservers: readonly DnsName[];
}

/** Any answer, or why there is none. */
export type ServerAnswer =
  | {
      readonly rcode: string;
      readonly rttMs: number;
      /** It answered for the zone with authority. */
      readonly isAuthoritative: boolean;
      readonly soa?: SoaFacts;
      /** The SOA set with its signatures. */
      readonly signed?: SignedRrset;
    }
  | { readonly problem: string; readonly noWay: boolean };

/** Seconds. */
export interface SoaFacts {
  readonly serial: number;
  readonly refresh: number;
  readonly minimum: number;
  readonly ttl: number;
}

/**
 * Asks every address of every server that the parent or the zone itself names, for the SOA over UDP and over TCP and
 * for NS. A zone that begins at a challenge's name is asked for TXT alone: acme-dns says NXDOMAIN to all else.
 */
export async function observeZone(
  { zone, target, servers: located, unresolved = [] }: Pick<Location, 'zone' | 'target' | 'servers' | 'unresolved'>,
  ask: AskServer,
  cuts: ZoneCuts,
  signal: AbortSignal,
): Promise<ZoneObservation> {
  const onlyTxt = isLeaf(zone, target);
  const [parent, listed] = await Promise.all([
    observeParent(zone, ask, cuts, signal),
    // A resolver would remember a negative answer to a challenge's name.
    onlyTxt ? undefined : cuts.servers(zone, signal).catch(unlessLocateError),
  ]);
  const addresses = new Map([...located, ...(listed?.servers ?? [])].map((server) => [server.address, server]));
  const servers = await Promise.all(
    [...addresses.values()].map(async (server): Promise<ServerObservation> => {
      const type = onlyTxt ? 'TXT' : 'SOA';
      const [udp, tcp, ns] = await Promise.all([
        ask.one(server, { name: zone, type, dnssecOk: true }, signal),
        ask.one(server, { name: zone, type, dnssecOk: true, tcp: true }, signal),
        onlyTxt ? undefined : ask.one(server, { name: zone, type: 'NS' }, signal),
      ]);
      const own =
        ns !== undefined && 'message' in ns && ns.message.aa ? [...nameserversOf(ns.message, zone).keys()] : [];
      const { name, address } = server;
      return { name, address, udp: udpAnswer(udp, zone), tcp: answerOf(tcp, zone), nameservers: own };
    }),
  );
  return { zone, parent, servers, unresolved };
}

/** What the first server says that has the SOA of the zone, which is enough to judge its signatures. */
export async function observeOneServer(
  { zone, target, servers }: Pick<Location, 'zone' | 'target' | 'servers'>,
  ask: AskServer,
  signal: AbortSignal,
): Promise<ServerObservation | undefined> {
  if (isLeaf(zone, target)) return undefined;
  for (const server of servers.slice(0, 4)) {
    const { name, address } = server;
    const udp = answerOf(await ask.one(server, { name: zone, type: 'SOA', dnssecOk: true }, signal), zone);
    if ('signed' in udp) return { name, address, udp, tcp: { problem: 'not asked', noWay: false }, nameservers: [] };
  }
  return undefined;
}

/** A zone that begins at the challenge's name, as an acme-dns may serve it. */
function isLeaf(zone: DnsName, target: DnsName): boolean {
  return zone === target || labelsOf(zone).includes('_acme-challenge');
}

async function observeParent(
  zone: DnsName,
  ask: AskServer,
  cuts: ZoneCuts,
  signal: AbortSignal,
): Promise<ParentObservation> {
  try {
    const above = await cuts.parent(zone, signal);
    if (above === undefined) return { problem: `the resolvers know no zone above ${zone}` };
    const { servers } = await cuts.servers(above, signal);
    const answers = (message: DnsMessage) => message.rcode === 'NOERROR' || message.rcode === 'NXDOMAIN';
    const reply = await ask.first(servers, { name: zone, type: 'NS' }, ({ message }) => answers(message), signal);
    if ('problem' in reply)
      return { problem: `no server of ${labelsOf(above).length === 0 ? 'the root' : above} answers: ${reply.problem}` };
    return { zone: above, nameservers: [...nameserversOf(reply.message, zone).keys()], aa: reply.message.aa };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LocateError) return { problem: error.message };
    throw error;
  }
}

function unlessLocateError(error: unknown): undefined {
  if (!(error instanceof LocateError)) throw error;
}

/** What came over UDP itself: an answer that had to be fetched over TCP is none, unless it was only too long. */
function udpAnswer(reply: ServerReply, zone: DnsName): ServerAnswer {
  if (!('message' in reply) || reply.transport === 'udp' || reply.udpProblem === 'truncated')
    return answerOf(reply, zone);
  if (reply.udpProblem === 'case')
    return { problem: 'over UDP it answers in another letter case than it was asked (0x20)', noWay: false };
  return { problem: 'no answer over UDP', noWay: false };
}

function answerOf(reply: ServerReply, zone: DnsName): ServerAnswer {
  if ('problem' in reply) return reply;
  const { message } = reply;
  const rttMs = Math.round(reply.rttMs * 10) / 10;
  const soa = [...message.answers, ...message.authorities].find((record) => record.type === 'SOA');
  const isOwn = soa === undefined || isWithin(soa.name, zone);
  const answered = message.rcode === 'NOERROR' || message.rcode === 'NXDOMAIN';
  const isAuthoritative = message.aa && answered && isOwn;
  if (soa?.type !== 'SOA' || soa.name !== zone) return { rcode: message.rcode, rttMs, isAuthoritative };
  const { serial, refresh, minimum } = soa.data;
  return {
    rcode: message.rcode,
    rttMs,
    isAuthoritative,
    soa: { serial, refresh, minimum, ttl: soa.ttl },
    signed: signedRrset(message.answers, zone, 'SOA'),
  };
}
