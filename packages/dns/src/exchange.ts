import { randomBytes } from 'node:crypto';
import { randomId, readAnswer } from './answer.ts';
import type { RecordType } from './codes.ts';
import { encodeQuery } from './encode.ts';
import { DnsExchangeError, type DnsTransportName } from './exchange-error.ts';
import type { DnsMessage } from './message.ts';
import type { DnsName } from './name.ts';
import { keepsSpelling, spell } from './spelling.ts';
import type { AnyDnsServer, DnsServer, DnsTransport, EncryptedServer } from './transport.ts';

/** One answer and how it came. */
export interface Exchange {
  readonly message: DnsMessage;
  readonly wire: Uint8Array;
  readonly transport: DnsTransportName;
  /** Of the query that was answered, from sending to answer. */
  readonly rttMs: number;
  /** Why the answer had to come over TCP although UDP was tried. */
  readonly udpProblem?: UdpProblem;
  /** Datagrams from the server's address and port that were no answer to the question, where there were any. */
  readonly dropped?: number;
}

/**
 * truncated  the answer does not fit into a datagram (TC)
 * case       the server gives the question back in another letter case (0x20), so that its datagrams could be anyone's
 * silent     no datagram came that answers the question
 */
export type UdpProblem = 'truncated' | 'case' | 'silent';

export interface ExchangeOptions {
  readonly transport: DnsTransport;
  readonly signal: AbortSignal;
  /** Recursion desired: true for a resolver, false for an authoritative server. */
  readonly rd: boolean;
  /** Asks a validating resolver whether what it answers is proven: the answer's `ad` (RFC 6840 5.7). */
  readonly ad?: boolean;
  /** Checking disabled: a validating resolver answers with data that it finds bogus too (RFC 4035 3.2.2). */
  readonly cd?: boolean;
  /** Asks for the signatures of what is answered (RFC 4035 3.2.1); a server without EDNS cannot send any. */
  readonly dnssecOk?: boolean;
  /** Each try, default 2000. An encrypted server is asked once and given `tries` times as long, with its handshake. */
  readonly timeoutMs?: number;
  /** UDP queries before TCP is tried, default 2. */
  readonly tries?: number;
  /** Start over TCP. */
  readonly tcp?: boolean;
  /** Octets for message ids and letter cases, default the system's. */
  readonly random?: (length: number) => Uint8Array;
}

/**
 * Asks one server one question. A plain one over UDP with EDNS, in a random letter case that its answer has to repeat
 * (0x20); over TCP when the answer is cut (TC), in another case, or UDP stays silent. An encrypted one over TLS or
 * HTTPS, and never otherwise. Once more without EDNS when the server takes that for an error (RFC 6891 7).
 *
 * Datagrams with another id or question, or with no message in them, are dropped (RFC 5452). Any response code is an
 * answer. At most `tries` + 2 waits of `timeoutMs`.
 *
 * @throws DnsExchangeError of the last try; DnsEncodeError for a name that is none
 */
export function exchange(question: AskedFor, server: DnsServer, options: ExchangeOptions): Promise<PlainExchange>;
export function exchange(question: AskedFor, server: AnyDnsServer, options: ExchangeOptions): Promise<Exchange>;
export async function exchange(question: AskedFor, server: AnyDnsServer, options: ExchangeOptions): Promise<Exchange> {
  const settings = { timeoutMs: 2000, tries: 2, ...options, question, edns: true };
  if (server.kind !== undefined) {
    const asking = { ...settings, server };
    const answer = await overEncrypted(asking);
    return takesEdns(answer) ? answer : overEncrypted({ ...asking, edns: false });
  }
  const asking = { ...settings, server };
  const answer = options.tcp ? await overTcp(asking) : await overUdp(asking);
  if (takesEdns(answer)) return answer;
  const plain = { ...asking, edns: false, tries: 1 };
  return answer.transport === 'tcp' ? overTcp(plain) : overUdp(plain);
}

/** An answer of a plain server. */
export interface PlainExchange extends Exchange {
  readonly transport: 'udp' | 'tcp';
}

export interface AskedFor {
  readonly name: DnsName;
  readonly type: RecordType;
}

interface Asking<S extends AnyDnsServer> extends ExchangeOptions {
  readonly question: AskedFor;
  readonly server: S;
  readonly edns: boolean;
  readonly timeoutMs: number;
  readonly tries: number;
}

async function overUdp(asking: Asking<DnsServer>): Promise<PlainExchange> {
  const { transport, server, timeoutMs, signal, tries } = asking;
  const dropped = { count: 0, last: '' };
  for (let tried = 0; tried < tries; tried++) {
    const { id, spelling } = unpredictable(asking);
    const { asked, query } = nextQuery(asking, id, spelling);
    let message: DnsMessage | undefined;
    const accept = (datagram: Uint8Array): boolean => {
      const answer = readAnswer(datagram, asked);
      if (typeof answer === 'string') {
        dropped.count += 1;
        dropped.last = answer;
      } else message = answer;
      return message !== undefined;
    };
    const startedAt = performance.now();
    try {
      const wire = await transport.udp(server, query, accept, { timeoutMs, signal });
      if (message === undefined) continue;
      if (message.tc) return await insteadOfUdp(asking, 'truncated', dropped);
      // An authentic answer of a server that knows no letter case, or a forgery that guessed the rest: TCP tells.
      if (!keepsSpelling(message, spelling)) return await insteadOfUdp(asking, 'case', dropped);
      return { message, wire, transport: 'udp', rttMs: performance.now() - startedAt, ...counted(dropped) };
    } catch (error) {
      if (!(error instanceof DnsExchangeError) || error.kind !== 'timeout' || error.transport !== 'udp') throw error;
    }
  }
  return insteadOfUdp(asking, 'silent', dropped);
}

interface Dropped {
  readonly count: number;
  readonly last: string;
}

async function insteadOfUdp(
  asking: Asking<DnsServer>,
  udpProblem: UdpProblem,
  dropped: Dropped,
): Promise<PlainExchange> {
  try {
    return { ...(await overTcp(asking)), udpProblem, ...counted(dropped) };
  } catch (error) {
    if (!(error instanceof DnsExchangeError)) throw error;
    const note = `; udp: ${udpText(udpProblem, asking.tries)}${droppedText(dropped)}`;
    const details = { sent: true, cause: error };
    throw new DnsExchangeError(error.kind, error.server, 'tcp', `${error.problem}${note}`, details);
  }
}

async function overTcp(asking: Asking<DnsServer>): Promise<PlainExchange> {
  const { transport, server, timeoutMs, signal } = asking;
  const { asked, query } = nextQuery(asking, randomId(asking.random));
  const startedAt = performance.now();
  const wire = await transport.tcp(server, query, { timeoutMs, signal });
  const message = readAnswer(wire, asked);
  if (typeof message === 'string') throw new DnsExchangeError('malformed', server, 'tcp', message, { sent: true });
  return { message, wire, transport: 'tcp', rttMs: performance.now() - startedAt };
}

async function overEncrypted(asking: Asking<EncryptedServer>): Promise<Exchange> {
  const { transport, server, timeoutMs, signal, tries } = asking;
  if (transport.encrypted === undefined)
    throw new DnsExchangeError('denied', server, server.kind, 'plain DNS only goes out here', { sent: false });
  // RFC 8484 4.1: the id is 0, for the sake of caches; HTTP tells answers apart.
  const { asked, query } = nextQuery(asking, server.kind === 'https' ? 0 : randomId(asking.random));
  const startedAt = performance.now();
  const wire = await transport.encrypted(server, query, { timeoutMs: timeoutMs * tries, signal });
  const message = readAnswer(wire, asked);
  if (typeof message === 'string')
    throw new DnsExchangeError('malformed', server, server.kind, message, { sent: true });
  return { message, wire, transport: server.kind, rttMs: performance.now() - startedAt };
}

function nextQuery(asking: Asking<AnyDnsServer>, id: number, spelling: string = asking.question.name) {
  const { question, rd, ad = false, cd = false, dnssecOk = false, edns } = asking;
  const query = encodeQuery({ ...question, spelling, id, rd, ad, cd, dnssecOk, ...(!edns && { edns }) });
  return { query, asked: { id, opcode: 'QUERY', question } as const };
}

/** An id and a letter case (draft-vixie-dnsext-dns0x20), of octets drawn at once: each draw costs as much as the coding. */
function unpredictable({ question: { name }, random = randomBytes }: Asking<DnsServer>) {
  const octets = random(2 + Math.ceil(name.length / 8));
  return { id: randomId(() => octets), spelling: spell(name, octets.subarray(2)) };
}

function takesEdns({ message }: Exchange): boolean {
  return !['FORMERR', 'BADVERS', 'NOTIMP'].includes(message.rcode);
}

function counted({ count }: Dropped): { readonly dropped?: number } {
  return count === 0 ? {} : { dropped: count };
}

function udpText(problem: UdpProblem, tries: number): string {
  switch (problem) {
    case 'truncated':
      return 'its answer is cut (TC)';
    case 'case':
      return 'it does not give the question back in its letter case (0x20)';
    case 'silent':
      return `no answer to ${tries} queries`;
  }
}

function droppedText({ count, last }: Dropped): string {
  return count === 0 ? '' : ` (${count} datagrams dropped, the last was ${last})`;
}
