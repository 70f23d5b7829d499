import {
  type DnsMessage,
  type DnsName,
  type DnsServer,
  type Rcode,
  type RequestCheck,
  signResponse,
  type TsigKey,
  toDnsName,
  txtValue,
  verifyRequest,
} from '@zoneproof/dns';
import { type Clock, systemClock } from '../inputs.ts';
import { answerQuestion } from './answer.ts';
import { type DnsListener, listenDns } from './listener.ts';
import { formatError, readRequest, writeAnswer } from './respond.ts';
import { applyUpdate, withNextSerial } from './update.ts';
import {
  createZone,
  findZone,
  type PlainRecord,
  sameData,
  soaOf,
  toRecord,
  type ZoneData,
  zoneOf,
} from './zone-data.ts';

export interface ZoneOptions {
  readonly name: string;
  /** Host names; `ns1.NAME` unless said. Their addresses are records like others. */
  readonly nameservers?: readonly string[];
  readonly records?: readonly PlainRecord[];
  /** Who may send UPDATE: holders of a key (when the server has keys, else anyone), anyone, or nobody. */
  readonly updates?: 'signed' | 'unsigned' | 'refused';
}

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

/** One port of the server, with the switches that make this one misbehave. */
export interface DnsEndpoint {
  readonly server: DnsServer;
  /** Answers nothing. */
  silent: boolean;
  /** Answers each query with this code. */
  queryRcode: Rcode | undefined;
  /** Goes on answering from the zones as they were when this was set: a secondary that lags behind. */
  frozen: boolean;
}

export interface QueryEntry {
  readonly name: DnsName;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
  readonly server: DnsServer;
}

export interface UpdateEntry {
  readonly zone: string;
  /** Records in the update section. */
  readonly records: number;
  readonly rcode: Rcode;
  /** The key that signed it, when the signature was good. */
  readonly key: DnsName | undefined;
}

export interface SandboxDns {
  /** The first endpoint; updates go here. */
  readonly server: DnsServer;
  readonly endpoints: readonly DnsEndpoint[];
  /** The newest last; the oldest are dropped beyond 10 000. */
  readonly queries: readonly QueryEntry[];
  readonly updates: readonly UpdateEntry[];
  /** Messages and records of all UPDATEs so far that were carried out. */
  readonly updateCounts: { readonly messages: number; readonly records: number };
  /**
   * What becomes of updates: carried out when `undefined`; answered with a code; `silent` neither done nor answered;
   * `ignored` answered NOERROR and not done; `lost` done and not answered.
   */
  updateFault: Rcode | 'silent' | 'ignored' | 'lost' | undefined;
  /** Added to the clock that TSIG times are checked by; 0. */
  skewMs: number;
  /** The TXT values at a name, in no order that matters. */
  values(name: string): readonly string[];
  serial(zone: string): number;
  set(record: PlainRecord): void;
  /** Without a value: the whole RRset. */
  remove(record: Omit<PlainRecord, 'value' | 'ttl'> & { readonly value?: string }): void;
  close(): Promise<void>;
}

const logLimit = 10_000;

/** Starts an authoritative server with RFC 2136 updates and TSIG (RFC 8945), over UDP and TCP. */
export async function startDnsServer(options: DnsServerOptions): Promise<SandboxDns> {
  const { clock = systemClock, address = '127.0.0.1', tsigKeys = [] } = options;
  const keys = new Map<string, TsigKey>(tsigKeys.map((key) => [key.name, key]));
  const policies = new Map<DnsName, ZoneOptions['updates']>();
  let zones = new Map<DnsName, ZoneData>();
  for (const zone of options.zones) {
    const data = createZone(zone.name, zone.nameservers ?? [`ns1.${zone.name}`], zone.records ?? []);
    zones.set(data.apex, data);
    policies.set(data.apex, zone.updates ?? (keys.size > 0 ? 'signed' : 'unsigned'));
  }
  const queries: QueryEntry[] = [];
  const updates: UpdateEntry[] = [];
  const counts = { messages: 0, records: 0 };
  const listeners: DnsListener[] = [];

  const replaceZone = (zone: ZoneData): void => {
    zones = new Map(zones).set(zone.apex, zone);
  };

  const update = (message: DnsMessage, check: RequestCheck): Rcode => {
    const apex = message.questions[0]!.name;
    const zone = zones.get(apex);
    const rcode = ((): Rcode => {
      if (!zone) return 'NOTAUTH';
      if (dns.updateFault === 'ignored') return 'NOERROR';
      if (dns.updateFault !== undefined && dns.updateFault !== 'silent' && dns.updateFault !== 'lost')
        return dns.updateFault;
      const policy = policies.get(apex);
      if (policy === 'refused' || (policy === 'signed' && check.status !== 'verified')) return 'REFUSED';
      const result = applyUpdate(zone, message);
      replaceZone(result.zone);
      if (result.rcode === 'NOERROR') {
        counts.messages++;
        counts.records += message.authorities.length;
      }
      return result.rcode;
    })();
    const key = check.status === 'verified' ? check.key.name : undefined;
    log(updates, { zone: apex, records: message.authorities.length, rcode, key });
    return rcode;
  };

  const respond = (endpoint: Endpoint, wire: Uint8Array, transport: 'udp' | 'tcp'): Uint8Array | undefined => {
    if (endpoint.silent) return undefined;
    const request = readRequest(wire);
    if (!request || request instanceof Uint8Array) return request;
    const seconds = Math.floor((clock.now() + dns.skewMs) / 1000);
    const check = verifyRequest(wire, keys, seconds);
    // BIND gives up on these while parsing, before it looks at the TSIG: the FORMERR is unsigned.
    if (check.status === 'malformed' || request.questions.length !== 1) return formatError(wire);
    const answer = (sections: Partial<DnsMessage>): Uint8Array =>
      signResponse(writeAnswer(request, sections, transport), check, seconds);
    if (check.status === 'refused') return answer({ rcode: check.rcode });
    const [question] = request.questions;
    switch (request.opcode) {
      case 'UPDATE': {
        if (question!.type !== 'SOA') return formatError(wire);
        if (dns.updateFault === 'silent') return undefined;
        const rcode = update(request, check);
        return dns.updateFault === 'lost' ? undefined : answer({ rcode });
      }
      case 'QUERY':
        log(queries, { name: question!.name, type: question!.type, transport, server: endpoint.server });
        if (endpoint.queryRcode) return answer({ rcode: endpoint.queryRcode });
        if (question!.class !== 'IN') return answer({ rcode: 'REFUSED' });
        return answer(answerQuestion(question!, [...(endpoint.frozenZones ?? zones).values()]));
      default:
        return answer({ rcode: 'NOTIMP' });
    }
  };

  const endpoints: Endpoint[] = [];
  try {
    for (let index = 0; index < (options.endpoints ?? 1); index++) {
      const port = index === 0 ? (options.port ?? 0) : 0;
      const listener = await listenDns(address, port, (wire, transport) => respond(endpoints[index]!, wire, transport));
      listeners.push(listener);
      endpoints.push(new Endpoint(listener.server, () => zones));
    }
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }

  const zoneOfName = (name: DnsName): ZoneData => {
    const zone = findZone(zones.values(), name);
    if (!zone) throw new Error(`no zone of this server holds ${name}`);
    return zone;
  };
  const edit = (name: string, change: (records: ZoneRecords) => ZoneRecords): void => {
    const owner = toDnsName(name);
    const zone = zoneOfName(owner);
    const nodes = new Map(zone.nodes);
    const changed = change(nodes.get(owner) ?? []);
    if (changed.length > 0) nodes.set(owner, changed);
    else nodes.delete(owner);
    replaceZone(withNextSerial(zoneOf(zone.apex, nodes), soaOf(zone).data.serial));
  };

  const dns: SandboxDns = {
    server: endpoints[0]!.server,
    endpoints,
    queries,
    updates,
    updateCounts: counts,
    updateFault: undefined,
    skewMs: 0,
    values(name) {
      const owner = toDnsName(name);
      const records = findZone(zones.values(), owner)?.nodes.get(owner) ?? [];
      return records.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : []));
    },
    serial: (zone) => soaOf(zoneOfName(toDnsName(zone))).data.serial,
    set(plain) {
      const record = toRecord(plain);
      edit(plain.name, (records) => [...records.filter((one) => !sameData(one, record)), record]);
    },
    remove({ name, type, value }) {
      const record = value === undefined ? undefined : toRecord({ name, type, value });
      edit(name, (records) => records.filter((one) => (record ? !sameData(one, record) : one.type !== type)));
    },
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
  return dns;
}

type ZoneRecords = NonNullable<ReturnType<ZoneData['nodes']['get']>>;

class Endpoint implements DnsEndpoint {
  readonly server: DnsServer;
  silent = false;
  queryRcode: Rcode | undefined = undefined;
  frozenZones: ReadonlyMap<DnsName, ZoneData> | undefined = undefined;
  readonly #current: () => ReadonlyMap<DnsName, ZoneData>;

  constructor(server: DnsServer, current: () => ReadonlyMap<DnsName, ZoneData>) {
    this.server = server;
    this.#current = current;
  }

  get frozen(): boolean {
    return this.frozenZones !== undefined;
  }

  set frozen(frozen: boolean) {
    this.frozenZones = frozen ? this.#current() : undefined;
  }
}

function log<T>(entries: T[], entry: T): void {
  entries.push(entry);
  if (entries.length > logLimit) entries.splice(0, entries.length - logLimit);
}
