import {
  type DnsMessage,
  type DnsServer,
  type Rcode,
  type RequestCheck,
  signResponse,
  type TsigKey,
  verifyRequest,
} from '@zoneproof/dns';
import { type Clock, systemClock } from '../inputs.ts';
import { answerQuestion } from './answer.ts';
import { type DnsEndpoint, Endpoint } from './endpoint.ts';
import { type DnsListener, listenDns } from './listener.ts';
import { appendLog, type QueryEntry, type UpdateEntry } from './log.ts';
import { formatError, readRequest, writeAnswer } from './respond.ts';
import { applyUpdate } from './update.ts';
import { createZones, type ZoneContents, type ZoneOptions } from './zones.ts';

export interface DnsServerOptions {
  readonly zones: readonly ZoneOptions[];
  readonly tsigKeys?: readonly TsigKey[];
  /** 127.0.0.1 unless said. */
  readonly address?: string;
  /** Of the first endpoint; a free one unless said. */
  readonly port?: number;
  /** Ports on which the same zones are served, as by a primary and its secondaries; 1 unless said. */
  readonly endpoints?: number;
  readonly clock?: Clock;
}

/** The switches for updates, and for the clock that TSIG times are checked by. */
export interface UpdateFaults {
  /**
   * What becomes of updates: carried out when `undefined`; answered with a code; `silent` neither done nor answered;
   * `ignored` answered NOERROR and not done; `lost` done and not answered.
   */
  updateFault: Rcode | 'silent' | 'ignored' | 'lost' | undefined;
  /** Added to the clock; 0. More than the fudge of 300 s gives BADTIME. */
  skewMs: number;
}

export interface SandboxDns extends ZoneContents, UpdateFaults {
  /** The first endpoint. */
  readonly server: DnsServer;
  readonly endpoints: readonly DnsEndpoint[];
  /** The newest last; the oldest are dropped beyond 10 000. */
  readonly queries: readonly QueryEntry[];
  readonly updates: readonly UpdateEntry[];
  /** Messages and records of all UPDATEs so far that were carried out. */
  readonly updateCounts: { readonly messages: number; readonly records: number };
  close(): Promise<void>;
}

/**
 * Starts an authoritative server with RFC 2136 updates and TSIG (RFC 8945), over UDP and TCP.
 *
 * @throws DnsNameError for a zone or record name; the system's error when a port cannot be opened
 */
export async function startDnsServer(options: DnsServerOptions): Promise<SandboxDns> {
  const { clock = systemClock, address = '127.0.0.1', tsigKeys = [] } = options;
  const keys = new Map<string, TsigKey>(tsigKeys.map((key) => [key.name, key]));
  const zones = createZones(options.zones);
  const policies = [...zones.current().keys()].map((apex, index) => {
    return [apex, options.zones[index]?.updates ?? (keys.size > 0 ? 'signed' : 'unsigned')] as const;
  });
  const policyOf = new Map<string, NonNullable<ZoneOptions['updates']>>(policies);
  const faults: UpdateFaults = { updateFault: undefined, skewMs: 0 };
  const queries: QueryEntry[] = [];
  const updates: UpdateEntry[] = [];
  const updateCounts = { messages: 0, records: 0 };

  const carryOut = (message: DnsMessage, check: RequestCheck): Rcode => {
    const apex = message.questions[0]!.name;
    const zone = zones.current().get(apex);
    if (!zone) return 'NOTAUTH';
    const policy = policyOf.get(apex);
    if (policy === 'refused' || (policy === 'signed' && check.status !== 'verified')) return 'REFUSED';
    const { updateFault } = faults;
    if (updateFault === 'ignored') return 'NOERROR';
    if (updateFault !== undefined && updateFault !== 'lost' && updateFault !== 'silent') return updateFault;
    const result = applyUpdate(zone, message);
    zones.replace(result.zone);
    if (result.rcode !== 'NOERROR') return result.rcode;
    updateCounts.messages++;
    updateCounts.records += message.authorities.length;
    return 'NOERROR';
  };

  const respond = (endpoint: Endpoint, wire: Uint8Array, transport: 'udp' | 'tcp'): Uint8Array | undefined => {
    if (endpoint.silent) return undefined;
    const request = readRequest(wire);
    if (!request || request instanceof Uint8Array) return request;
    const seconds = Math.floor((clock.now() + faults.skewMs) / 1000);
    const check = verifyRequest(wire, keys, seconds);
    const [question, another] = request.questions;
    // BIND gives up on these while parsing, before it looks at the TSIG: the FORMERR is unsigned.
    if (check.status === 'malformed' || !question || another) return formatError(wire);
    const answer = (sections: Partial<DnsMessage>): Uint8Array =>
      signResponse(writeAnswer(request, sections, transport), check, seconds);
    const logUpdate = (rcode: Rcode): void => {
      const key = check.status === 'verified' ? check.key.name : undefined;
      appendLog(updates, { zone: question.name, records: request.authorities.length, rcode, key });
    };
    if (check.status === 'refused') {
      if (request.opcode === 'UPDATE') logUpdate(check.rcode);
      return answer({ rcode: check.rcode });
    }
    switch (request.opcode) {
      case 'UPDATE': {
        if (question.type !== 'SOA') return formatError(wire);
        if (faults.updateFault === 'silent') return undefined;
        const rcode = carryOut(request, check);
        logUpdate(rcode);
        return faults.updateFault === 'lost' ? undefined : answer({ rcode });
      }
      case 'QUERY':
        appendLog(queries, { name: question.name, type: question.type, transport, server: endpoint.server });
        if (endpoint.queryRcode) return answer({ rcode: endpoint.queryRcode });
        if (question.class !== 'IN') return answer({ rcode: 'REFUSED' });
        return answer(answerQuestion(question, [...endpoint.zones.values()]));
      default:
        return answer({ rcode: 'NOTIMP' });
    }
  };

  const endpoints: Endpoint[] = [];
  const listeners: DnsListener[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  try {
    for (let index = 0; index < (options.endpoints ?? 1); index++) {
      const port = index === 0 ? (options.port ?? 0) : 0;
      const listener = await listenDns(address, port, (wire, transport) => {
        const endpoint = endpoints[index];
        return endpoint && respond(endpoint, wire, transport);
      });
      listeners.push(listener);
      endpoints.push(new Endpoint(listener.server, zones.current));
    }
  } catch (error) {
    await close();
    throw error;
  }

  const { values, serial, set, setTxt, remove } = zones;
  const observed = { server: endpoints[0]!.server, endpoints, queries, updates, updateCounts };
  return Object.assign(faults, { values, serial, set, setTxt, remove, ...observed, close });
}
