import type { Socket as TcpSocket } from 'node:net';
import { type DnsMessage, type DnsName, type DnsServer, decodeMessage, encodeMessage } from '@zoneproof/dns';
import { type Listening, listen } from './listen.ts';
import type { ScriptedZone, Sections } from './zone.ts';

/** One question that reached a server. */
export interface Query {
  readonly message: DnsMessage;
  readonly name: DnsName;
  readonly type: string;
  readonly rd: boolean;
  readonly transport: 'udp' | 'tcp';
  /** Whoever asked. */
  readonly from: DnsServer;
}

/**
 * What a server does instead of the usual: other parts of the answer, nothing at all, or these octets as they are, one
 * message (or what passes for one) after the other; `unframed` over TCP too.
 */
export type Reply =
  | Partial<DnsMessage>
  | 'silent'
  | { readonly octets: readonly Uint8Array[]; readonly unframed?: boolean };
export type Manner = (query: Query, usual: Sections) => Reply | Promise<Reply>;

/** A name server that really listens. `address` is the one that zones know it by, `at` where it is. */
export interface ScriptedServer {
  readonly address: string;
  readonly at: DnsServer;
  readonly zones: readonly ScriptedZone[];
  readonly queries: readonly Query[];
  manner: Manner;
}

export async function startScriptedServer(
  address: string,
  at: DnsServer,
  zones: readonly ScriptedZone[],
  look: (query: Query) => Sections,
): Promise<{ readonly server: ScriptedServer; readonly listening: Listening }> {
  const queries: Query[] = [];

  async function reply(
    wire: Uint8Array,
    transport: Query['transport'],
    from: DnsServer,
  ): Promise<readonly Uint8Array[]> {
    const message = decodeMessage(wire);
    const [question] = message.questions;
    if (question === undefined) return [];
    const query = { message, name: question.name, type: question.type, rd: message.rd, transport, from };
    queries.push(query);
    const usual = look(query);
    const sections = await server.manner(query, usual);
    if (sections === 'silent') return [];
    const { octets, unframed = false } =
      'octets' in sections ? sections : { octets: [encodeAnswer(message, { ...usual, ...sections }, transport)] };
    return transport === 'udp' || unframed ? octets : octets.map(framed);
  }

  const listening = await listen(at, {
    datagram(wire, from, back) {
      void reply(wire, 'udp', from).then((answers) => answers.forEach(back), ignore);
    },
    connection(socket) {
      const from = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
      readFrames(socket, (wire) => {
        void reply(wire, 'tcp', from).then((answers) => {
          for (const answer of answers) if (!socket.destroyed) socket.write(answer);
        }, ignore);
      });
    },
  });
  const server: ScriptedServer = { address, at: listening.at, zones, queries, manner: () => ({}) };
  return { server, listening };
}

/** An answer as it goes out; over UDP it is cut to what the client takes. */
export function encodeAnswer(
  query: DnsMessage,
  answer: Partial<DnsMessage>,
  transport: Query['transport'],
): Uint8Array {
  const { id, rd, questions } = query;
  const whole = encodeMessage({ id, rd, questions, response: true, ...answer });
  if (transport === 'tcp' || whole.length <= (query.edns?.udpSize ?? 512)) return whole;
  const { answers: _cut, authorities: _too, additionals: _also, ...head } = answer;
  return encodeMessage({ id, rd, questions, response: true, ...head, tc: true });
}

/** What comes from a client that is none needs no answer. */
function ignore(): void {}

function readFrames(socket: TcpSocket, each: (wire: Uint8Array) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0);
      each(rest.subarray(2, end));
      rest = rest.subarray(end);
    }
  });
}

function framed(message: Uint8Array): Uint8Array {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
