import {
  DnsExchangeError,
  type DnsName,
  type DnsTransport,
  type Exchange,
  exchange,
  type RecordType,
} from '@zoneproof/dns';
import type { RandomBytes } from '../contract/index.ts';
import { linkedController } from '../selfcheck/abort.ts';
import { createGate } from '../selfcheck/gate.ts';
import type { AuthoritativeServer } from '../selfcheck/types.ts';
import { authoritativePort } from '../selfcheck/zone-servers.ts';

/** One question to one authoritative server, RD=0. */
export interface ServerQuestion {
  readonly name: DnsName;
  readonly type: RecordType;
  /** Over TCP at once; else UDP, and TCP when that stays silent or is cut. */
  readonly tcp?: boolean;
  /** With signatures. */
  readonly dnssecOk?: boolean;
}

/** The answer, or why there is none. */
export type ServerReply = Exchange | NoReply;

export interface NoReply {
  readonly problem: string;
  /** This machine has no way to that address at all: mostly IPv6 where there is none. */
  readonly noWay: boolean;
}

/** The port is 53 but for listed servers. */
export type Asked = Pick<AuthoritativeServer, 'address' | 'port'>;

export interface AskServer {
  /** @throws the signal's reason only */
  one(server: Asked, question: ServerQuestion, signal: AbortSignal): Promise<ServerReply>;
  /** The first usable answer of several servers, asked one after the other; the last failure when there is none. */
  first(
    servers: readonly Asked[],
    question: ServerQuestion,
    usable: (answer: Exchange) => boolean,
    signal: AbortSignal,
  ): Promise<ServerReply>;
}

export function createAskServer(options: {
  readonly transport: DnsTransport;
  readonly random: RandomBytes;
  readonly tryTimeoutMs: number;
}): AskServer {
  const { transport, random, tryTimeoutMs: timeoutMs } = options;
  const gate = createGate(maxAtOnce);

  async function one(server: Asked, question: ServerQuestion, signal: AbortSignal): Promise<ServerReply> {
    const { name, type, tcp = false, dnssecOk = false } = question;
    const to = { address: server.address, port: server.port ?? authoritativePort };
    // Hundreds of questions of one run wait for one signal.
    const { controller, unlink } = linkedController(signal);
    const how = { transport, signal: controller.signal, rd: false, timeoutMs, tries: 2, random, tcp, dnssecOk };
    try {
      return await gate.run(() => exchange({ name, type }, to, how), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DnsExchangeError)) return { problem: (error as Error).message, noWay: false };
      return { problem: error.problem, noWay: error.kind === 'unreachable' };
    } finally {
      unlink();
    }
  }

  return {
    one,
    async first(servers, question, usable, signal) {
      let last: ServerReply = { problem: 'no server is known', noWay: false };
      for (const server of servers.slice(0, maxTried)) {
        const reply = await one(server, question, signal);
        if ('message' in reply && usable(reply)) return reply;
        last =
          'message' in reply
            ? {
                problem: `it answers ${reply.message.rcode}${reply.message.aa ? '' : ' without authority'}`,
                noWay: false,
              }
            : reply;
      }
      return last;
    },
  };
}

/** Sockets at once; a self check of the same process has as many of its own. */
const maxAtOnce = 64;
/** Enough to get past servers that are down, few enough to keep the wait bounded. */
const maxTried = 4;
