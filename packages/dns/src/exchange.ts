import { randomId, readAnswer } from './answer.ts';
import type { RecordType } from './codes.ts';
import { encodeQuery } from './encode.ts';
import { DnsExchangeError, type DnsTransportName } from './exchange-error.ts';
import type { DnsMessage } from './message.ts';
import type { DnsName } from './name.ts';
import type { DnsServer, DnsTransport } from './transport.ts';

/** One answer and how it came. */
export interface Exchange {
  readonly message: DnsMessage;
  readonly wire: Uint8Array;
  readonly transport: DnsTransportName;
  /** Of the query that was answered, from sending to answer. */
  readonly rttMs: number;
}

export interface ExchangeOptions {
  readonly transport: DnsTransport;
  readonly signal: AbortSignal;
  /** Recursion desired: true for a resolver, false for an authoritative server. */
  readonly rd: boolean;
  /** Checking disabled: a validating resolver answers with data that it finds bogus too (RFC 4035 3.2.2). */
  readonly cd?: boolean;
  /** Asks for the signatures of what is answered (RFC 4035 3.2.1); a server without EDNS cannot send any. */
  readonly dnssecOk?: boolean;
  /** Each try, default 2000. */
  readonly timeoutMs?: number;
  /** UDP queries before TCP is tried, default 2. */
  readonly tries?: number;
  /** Start over TCP. */
  readonly tcp?: boolean;
  /** Octets for message ids, default the system's. */
  readonly random?: (length: number) => Uint8Array;
}

/**
 * Asks one server one question: UDP with EDNS; TCP when the answer is cut (TC) or UDP stays silent; once more without
 * EDNS when the server takes that for an error (RFC 6891 7). Datagrams with another id or question, or with no message
 * in them, are dropped (RFC 5452). Any response code is an answer. At most `tries` + 2 waits of `timeoutMs`.
 *
 * @throws DnsExchangeError of the last try; DnsEncodeError for a name that is none
 */
export async function exchange(
  question: { readonly name: DnsName; readonly type: RecordType },
  server: DnsServer,
  options: ExchangeOptions,
): Promise<Exchange> {
  const asking: Asking = { timeoutMs: 2000, tries: 2, ...options, question, server, edns: true };
  const answer = options.tcp ? await overTcp(asking) : await overUdp(asking);
  if (!['FORMERR', 'BADVERS', 'NOTIMP'].includes(answer.message.rcode)) return answer;
  const plain: Asking = { ...asking, edns: false, tries: 1 };
  return answer.transport === 'tcp' ? overTcp(plain) : overUdp(plain);
}

interface Asking extends ExchangeOptions {
  readonly question: { readonly name: DnsName; readonly type: RecordType };
  readonly server: DnsServer;
  readonly edns: boolean;
  readonly timeoutMs: number;
  readonly tries: number;
}

async function overUdp(asking: Asking): Promise<Exchange> {
  const { transport, server, timeoutMs, signal, tries } = asking;
  const dropped: string[] = [];
  for (let tried = 0; tried < tries; tried++) {
    const { asked, query } = nextQuery(asking);
    let message: DnsMessage | undefined;
    const accept = (datagram: Uint8Array): boolean => {
      const answer = readAnswer(datagram, asked);
      if (typeof answer === 'string') dropped.push(answer);
      else message = answer;
      return message !== undefined;
    };
    const startedAt = performance.now();
    try {
      const wire = await transport.udp(server, query, accept, { timeoutMs, signal });
      if (message?.tc) return await overTcp(asking);
      if (message) return { message, wire, transport: 'udp', rttMs: performance.now() - startedAt };
    } catch (error) {
      if (!(error instanceof DnsExchangeError) || error.kind !== 'timeout' || error.transport !== 'udp') throw error;
    }
  }
  return overTcp(asking, `; udp: no answer to ${tries} queries${droppedNote(dropped)}`);
}

async function overTcp(asking: Asking, udpNote = ''): Promise<Exchange> {
  const { transport, server, timeoutMs, signal } = asking;
  const { asked, query } = nextQuery(asking);
  const startedAt = performance.now();
  try {
    const wire = await transport.tcp(server, query, { timeoutMs, signal });
    const message = readAnswer(wire, asked);
    if (typeof message === 'string') throw new DnsExchangeError('malformed', server, 'tcp', message, { sent: true });
    return { message, wire, transport: 'tcp', rttMs: performance.now() - startedAt };
  } catch (error) {
    if (udpNote === '' || !(error instanceof DnsExchangeError)) throw error;
    throw new DnsExchangeError(error.kind, server, 'tcp', `${error.problem}${udpNote}`, { sent: true, cause: error });
  }
}

function nextQuery({ question, rd, cd = false, dnssecOk = false, edns, random }: Asking) {
  const id = randomId(random);
  const query = encodeQuery({ ...question, id, rd, cd, dnssecOk, ...(!edns && { edns }) });
  return { query, asked: { id, opcode: 'QUERY', question } as const };
}

function droppedNote(dropped: readonly string[]): string {
  return dropped.length === 0 ? '' : ` (${dropped.length} datagrams dropped, the last was ${dropped.at(-1)})`;
}
