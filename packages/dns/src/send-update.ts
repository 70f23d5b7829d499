import { randomId, readAnswer } from './answer.ts';
import type { Rcode } from './codes.ts';
import { defaultUdpSize } from './encode.ts';
import { DnsExchangeError } from './exchange-error.ts';
import type { ExtendedError } from './message.ts';
import type { DnsName } from './name.ts';
import type { DnsServer, DnsTransport } from './transport.ts';
import { signMessage, type TsigCheck, verifyResponse } from './tsig.ts';
import type { TsigKey } from './tsig-key.ts';
import { tsigErrors } from './tsig-record.ts';
import { encodeUpdate, type UpdateRecord } from './update.ts';

/** What a server said to an UPDATE. With a key, `rcode` is the server's word only when `tsig.status` is `verified`. */
export interface UpdateReply {
  readonly rcode: Rcode;
  /** Undefined when the update was not signed. */
  readonly tsig: TsigCheck | undefined;
  readonly extendedErrors: readonly ExtendedError[];
  readonly transport: 'udp' | 'tcp';
  readonly rttMs: number;
  /** The server's clock minus ours, in seconds, when the server said BADTIME and the update was signed anew by its clock. */
  readonly clockSkewSeconds?: number;
}

export interface UpdateOptions {
  readonly transport: DnsTransport;
  readonly signal: AbortSignal;
  readonly key?: TsigKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Each try, default 5000. */
  readonly timeoutMs?: number;
  /** Octets for message ids, default the system's. */
  readonly random?: (length: number) => Uint8Array;
}

/**
 * Sends one UPDATE over TCP; over UDP when no TCP connection came about. An answer BADTIME whose MAC is right names the
 * server's time: the update is then signed once more by that clock.
 *
 * @throws DnsExchangeError when there is no answer; DnsEncodeError when the update does not fit into a message. Never
 * for a response code
 */
export async function sendUpdate(
  update: { readonly zone: DnsName; readonly records: readonly UpdateRecord[] },
  server: DnsServer,
  options: UpdateOptions,
): Promise<UpdateReply> {
  const reply = await send(update, server, options, 0);
  const { tsig } = reply;
  if (tsig?.status !== 'verified' || tsig.error !== tsigErrors.BADTIME || tsig.serverTime === undefined) return reply;
  const clockSkewSeconds = tsig.serverTime - Math.floor(options.now() / 1000);
  return { ...(await send(update, server, options, clockSkewSeconds)), clockSkewSeconds };
}

/**
 * The two meanings of NOTAUTH (RFC 2136 3.1.2, RFC 8945 5.3.2), told apart by the TSIG error:
 * `zone`: the server has no such zone, or is not authoritative for it; `tsig`: it refuses our key, signature or clock;
 * `unproven`: an unsigned answer to a signed update, which may come from anyone (Knot 3.2 says so that it has no such
 * zone; PowerDNS 4.7 says REFUSED without a TSIG record to every wrong key, signature and clock).
 */
export function notAuthMeaning(tsig: TsigCheck | undefined): 'zone' | 'tsig' | 'unproven' {
  switch (tsig?.status) {
    case undefined:
      return 'zone';
    case 'verified':
    case 'late':
      return tsig.error === 0 ? 'zone' : 'tsig';
    case 'unsigned':
      return 'tsig';
    case 'forged':
    case 'absent':
      return 'unproven';
  }
}

type Update = Parameters<typeof sendUpdate>[0];

async function send(update: Update, server: DnsServer, options: UpdateOptions, skew: number): Promise<UpdateReply> {
  try {
    return await overTcp(signedUpdate(update, options, skew), server, options);
  } catch (error) {
    const noConnection = error instanceof DnsExchangeError && !error.sent;
    if (!noConnection || error.kind === 'aborted' || error.kind === 'denied') throw error;
    const reply = await overUdp(() => signedUpdate(update, options, skew), server, options);
    if (reply === undefined) throw error;
    return reply;
  }
}

async function overTcp(sent: SentUpdate, server: DnsServer, options: UpdateOptions): Promise<UpdateReply> {
  const { transport, signal, timeoutMs = defaultTimeoutMs } = options;
  const startedAt = performance.now();
  const wire = await transport.tcp(server, sent.wire, { timeoutMs, signal });
  const answer = sent.read(wire);
  if (typeof answer === 'string') throw new DnsExchangeError('malformed', server, 'tcp', answer, { sent: true });
  return { ...answer, transport: 'tcp', rttMs: performance.now() - startedAt };
}

/** Undefined when UDP cannot help: the update is too large for it, or nobody listens there. */
async function overUdp(
  sign: () => SentUpdate,
  server: DnsServer,
  options: UpdateOptions,
): Promise<UpdateReply | undefined> {
  const { transport, signal, timeoutMs = defaultTimeoutMs } = options;
  let silence: DnsExchangeError | undefined;
  for (let tried = 0; tried < 2; tried++) {
    const sent = sign();
    if (sent.wire.length > defaultUdpSize) return undefined;
    let answer: UpdateAnswer | undefined;
    const startedAt = performance.now();
    // RFC 8945 5.3: what does not verify may be forged, so it is passed over while the real answer may still come.
    const accept = (datagram: Uint8Array): boolean => {
      const read = sent.read(datagram);
      if (typeof read === 'string') return false;
      answer = read;
      return read.tsig === undefined || read.tsig.status === 'verified';
    };
    try {
      await transport.udp(server, sent.wire, accept, { timeoutMs, signal });
    } catch (error) {
      if (!(error instanceof DnsExchangeError)) throw error;
      if (error.kind === 'aborted' || error.kind === 'denied') throw error;
      if (error.kind !== 'timeout') break;
      silence = error;
    }
    if (answer) return { ...answer, transport: 'udp', rttMs: performance.now() - startedAt };
  }
  // A datagram that nobody answered may have been carried out, whatever became of the connection before.
  if (silence !== undefined) throw silence;
  return undefined;
}

const defaultTimeoutMs = 5000;

type UpdateAnswer = Pick<UpdateReply, 'rcode' | 'tsig' | 'extendedErrors'>;

interface SentUpdate {
  readonly wire: Uint8Array;
  /** What an answer says, or why it is none. */
  read(wire: Uint8Array): UpdateAnswer | string;
}

function signedUpdate({ zone, records }: Update, options: UpdateOptions, skew: number): SentUpdate {
  const { key, now, random } = options;
  const seconds = () => Math.floor(now() / 1000) + skew;
  const id = randomId(random);
  const unsigned = encodeUpdate({ id, zone, records });
  const signed = key && signMessage(unsigned, key, { timeSigned: seconds() });
  return {
    wire: signed?.wire ?? unsigned,
    read(wire) {
      const message = readAnswer(wire, { id, opcode: 'UPDATE', question: { name: zone, type: 'SOA' } });
      if (typeof message === 'string') return message;
      const tsig = key && signed && verifyResponse(wire, key, signed.mac, seconds());
      return { rcode: message.rcode, tsig, extendedErrors: message.edns?.extendedErrors ?? [] };
    },
  };
}
