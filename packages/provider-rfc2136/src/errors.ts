import { ProviderError, type ProviderErrorKind } from '@zoneproof/core';
import {
  type DnsExchangeError,
  type DnsName,
  type DnsServer,
  formatServer,
  type TsigAlgorithm,
  type UpdateReply,
} from '@zoneproof/dns';
import type { TxtView } from './txt-view.ts';

/** Who asks whom, for messages. */
export interface Peer {
  readonly providerName: string;
  readonly server: DnsServer;
  readonly key?: { readonly name: DnsName; readonly algorithm: TsigAlgorithm };
}

interface Refusal {
  readonly rcode: string;
  /** Name of the TSIG error, or `unsigned` when a signed request got an answer without a signature. */
  readonly tsig: string | undefined;
  readonly zone: DnsName;
  readonly peer: Peer;
}

type Row = readonly [
  rcode: string | undefined,
  tsig: string | undefined,
  kind: ProviderErrorKind,
  advice: (refusal: Refusal) => string,
];

// The first row that fits wins; undefined fits everything. Kinds and replies: RFC 2136 2.2, RFC 8945 5.3, and what BIND,
// Knot and PowerDNS were seen to answer.
const table: readonly Row[] = [
  [
    undefined,
    'BADKEY',
    'auth',
    ({ peer, zone }) =>
      `Check that key "${peer.key?.name}" exists there with algorithm ${peer.key?.algorithm}.` +
      (peer.key?.name === zone ? ' It is named like the zone: tsigKeyName is the name of the key.' : ''),
  ],
  [
    undefined,
    'BADSIG',
    'auth',
    ({ peer }) =>
      `The server has another secret for key "${peer.key?.name}": compare the Secret with the server's key file.`,
  ],
  [undefined, 'BADTIME', 'auth', () => 'Set the clocks of this machine and of the server.'],
  [
    undefined,
    'BADTRUNC',
    'auth',
    ({ peer }) =>
      `It wants signatures of another length: give key "${peer.key?.name}" the plain algorithm ${peer.key?.algorithm} there.`,
  ],
  // Knot and PowerDNS sign no refusal, so that a wrong key, a missing right and a zone that is not there look alike.
  [
    'NOTAUTH',
    'unsigned',
    'auth',
    ({ peer, zone }) =>
      `Check that key "${peer.key?.name}" exists there and may update ${zone}, and that the server is its primary.`,
  ],
  [
    'REFUSED',
    'unsigned',
    'auth',
    ({ peer, zone }) =>
      `Check that key "${peer.key?.name}" exists there with this secret and ${peer.key?.algorithm}, and may update ${zone}.`,
  ],
  [
    'NOTAUTH',
    undefined,
    'zone-not-found',
    ({ zone }) => `The server is not the primary of ${zone}: set nameserver to the primary.`,
  ],
  ['NOTZONE', undefined, 'zone-not-found', ({ zone }) => `A name lies outside ${zone} there: check the zone cuts.`],
  [
    'REFUSED',
    undefined,
    'permission',
    ({ peer, zone }) =>
      peer.key
        ? `Allow key "${peer.key.name}" to change TXT records of ${zone} there (update-policy, allow-update, ACL).`
        : 'The update was not signed: set tsigKeyName and tsigSecretSecretRef, or allow updates from this address there.',
  ],
  ['NOTIMP', undefined, 'invalid', () => 'This server has no dynamic updates: set nameserver to one that has.'],
  ['FORMERR', undefined, 'invalid', () => 'It could not read the update; its log says why.'],
  ['SERVFAIL', undefined, 'unavailable', () => 'Its log says why: a frozen or read-only zone, a full disk.'],
  ['YXDOMAIN', undefined, 'conflict', () => 'Somebody else changed the zone at the same time.'],
  ['YXRRSET', undefined, 'conflict', () => 'Somebody else changed the zone at the same time.'],
  ['NXRRSET', undefined, 'conflict', () => 'Somebody else changed the zone at the same time.'],
  [undefined, undefined, 'unavailable', () => 'Its log may say why.'],
];

/** A reply that refuses the update -> error. Pure. `what` completes "refused ...". */
export function refusalError(
  reply: UpdateReply,
  zone: DnsName,
  peer: Peer,
  what = `the update of zone ${zone}`,
): ProviderError {
  const refusal: Refusal = { rcode: reply.rcode, tsig: tsigWord(reply, peer), zone, peer };
  const [, , kind, advice] = table.find(
    ([rcode, tsig]) => (rcode ?? refusal.rcode) === refusal.rcode && (tsig ?? refusal.tsig) === refusal.tsig,
  ) as Row;
  const tsig = refusal.tsig === 'unsigned' ? ', unsigned' : refusal.tsig ? `, TSIG ${refusal.tsig}` : '';
  const said = reply.extendedErrors.map(({ text }) => text).filter((text) => text !== '');
  const words = said.length === 0 ? '' : ` It says: ${said.join('; ')}.`;
  return new ProviderError({
    kind,
    message: `${prefix(peer)} refused ${what} (${reply.rcode}${tsig}). ${advice(refusal)}${words}`,
    vendorCode: refusal.tsig ? `${reply.rcode}/${refusal.tsig}` : reply.rcode,
  });
}

/** An answer that says yes but does not prove that it comes from the server. */
export function unprovenError(reply: UpdateReply, zone: DnsName, peer: Peer): ProviderError {
  const check = reply.tsig;
  const why =
    check?.status === 'forged'
      ? check.reason
      : check?.status === 'late'
        ? 'it is signed at another time than now: compare the clocks'
        : 'it is not signed';
  return new ProviderError({
    kind: 'auth',
    message: `${prefix(peer)} answered the update of zone ${zone} with ${reply.rcode}, but the answer proves nothing: ${why}. Check key "${peer.key?.name}" and what lies between here and the server.`,
    vendorCode: `${reply.rcode}/unproven`,
  });
}

/** No answer -> error. `doing` completes "while ...": `reading _acme-challenge.example.com`. */
export function exchangeError(error: DnsExchangeError, doing: string, peer: Peer): ProviderError {
  if (error.kind === 'aborted')
    return new ProviderError({
      kind: 'aborted',
      message: `${peer.providerName}: stopped while ${doing}`,
      sent: error.sent,
      cause: error,
    });
  return new ProviderError({
    kind: error.kind === 'denied' ? 'permission' : 'unavailable',
    message: `${peer.providerName}: no answer while ${doing}: ${error.message}. Check nameserver, and the way to it over UDP and TCP.`,
    vendorCode: error.kind,
    sent: error.sent,
    cause: error,
  });
}

/** Something at the name that keeps a value from being seen. */
export function inTheWayError(view: TxtView, name: DnsName, zone: DnsName, peer: Peer): ProviderError {
  const at = prefix(peer);
  switch (view.kind) {
    case 'alias':
      return new ProviderError({
        kind: 'action-required',
        message: `${at} took the update, but ${view.owner} is a ${view.type} to ${view.target} there, so no TXT value can stand at ${name}. Remove it, or let it lead to a name that a provider can write.`,
        vendorCode: view.type,
      });
    case 'delegation':
      return new ProviderError({
        kind: 'zone-not-found',
        message: `${at} delegates ${view.cut} to ${view.servers.join(', ')}, so a value for ${name} in zone ${zone} would not be seen. Give the name a provider that writes zone ${view.cut}.`,
        vendorCode: 'delegation',
      });
    case 'no-answer':
      return new ProviderError({
        kind: view.rcode === 'SERVFAIL' ? 'unavailable' : 'permission',
        message: `${at} will not say what is at ${name} (${view.rcode}). Let this address query zone ${zone} there, and check that the server is authoritative for it.`,
        vendorCode: view.rcode,
      });
    case 'rrset':
      return new ProviderError({
        kind: 'unavailable',
        message: `${at} took the update (NOERROR), but its TXT values at ${name} are not as wanted (${view.values.length} seen). Another writer may have changed them, or the server hands updates on to its primary; it is read again before the next update.`,
        vendorCode: 'NOERROR/not-seen',
      });
  }
}

/** SERVFAIL to an SOA question: walking on up could take a zone above for the one that is out of order. */
export function unservedZoneError(name: DnsName, peer: Peer): ProviderError {
  return new ProviderError({
    kind: 'unavailable',
    message: `${prefix(peer)} cannot say which zone holds ${name} (SERVFAIL). Its log says why: a zone that is expired or did not load.`,
    vendorCode: 'SERVFAIL',
  });
}

/** `clockSkewSeconds`: the server's clock minus ours. */
export function skewText(clockSkewSeconds: number, server: DnsServer): string {
  const side = clockSkewSeconds > 0 ? 'behind' : 'ahead of';
  return `the clock of this machine is ${Math.abs(clockSkewSeconds)} s ${side} that of ${formatServer(server)}`;
}

function prefix(peer: Peer): string {
  return `${peer.providerName}: ${formatServer(peer.server)}`;
}

const tsigNames: Readonly<Record<number, string>> = { 16: 'BADSIG', 17: 'BADKEY', 18: 'BADTIME', 22: 'BADTRUNC' };

function tsigWord(reply: UpdateReply, peer: Peer): string | undefined {
  if (!peer.key || !reply.tsig) return undefined;
  const { tsig } = reply;
  if (tsig.status === 'absent' || tsig.status === 'forged') return 'unsigned';
  return tsig.error === 0 ? undefined : (tsigNames[tsig.error] ?? `error ${tsig.error}`);
}
