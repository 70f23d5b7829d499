import {
  type DnsName,
  type DnsRecord,
  type DnsServer,
  type DnsTransport,
  type Exchange,
  exchange,
  isWithin,
  labelsOf,
  type Rcode,
  type RecordType,
} from '@zoneproof/dns';
import { listenDns } from './listener.ts';
import { readRequest, writeAnswer } from './respond.ts';

export interface ResolverOptions {
  /** Where every lookup begins, as root hints do. */
  readonly hints: readonly DnsServer[];
  readonly transport: DnsTransport;
  /** Which of a zone's servers is asked first: two resolvers that differ in it see every server of a pair. */
  readonly prefer?: 'first' | 'last';
  /** 127.0.0.1 unless said. */
  readonly address?: string;
  /** A free one unless said. */
  readonly port?: number;
}

export interface SandboxResolver {
  readonly server: DnsServer;
  close(): Promise<void>;
}

export interface Resolution {
  readonly rcode: Rcode;
  /** CNAMEs in the order they were followed, then the records asked for. */
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
}

const timeoutMs = 1000;
const maxSteps = 24;

/** Starts a recursive resolver without a cache: delegations and CNAMEs are followed anew for each query. */
export async function startResolver(options: ResolverOptions): Promise<SandboxResolver> {
  const closing = new AbortController();
  const listener = await listenDns(options.address ?? '127.0.0.1', options.port ?? 0, async (wire, transport) => {
    const request = readRequest(wire);
    if (!request || request instanceof Uint8Array) return request;
    const [question] = request.questions;
    if (request.opcode !== 'QUERY' || !question) return writeAnswer(request, { rcode: 'NOTIMP', ra: true }, transport);
    const found = await resolve(question.name, question.type, options, closing.signal);
    return writeAnswer(request, { ...found, ra: true }, transport);
  });
  return {
    server: listener.server,
    async close() {
      closing.abort();
      await listener.close();
    },
  };
}

/** Finds the records of a type at a name from the hints on. Never rejects: what cannot be found out is SERVFAIL. */
export async function resolve(
  name: DnsName,
  type: RecordType,
  options: Pick<ResolverOptions, 'hints' | 'transport' | 'prefer'>,
  signal: AbortSignal,
  depth = 0,
): Promise<Resolution> {
  const answers: DnsRecord[] = [];
  const serverFailure: Resolution = { rcode: 'SERVFAIL', answers, authorities: [] };
  let servers = options.hints;
  let cut: DnsName | undefined;
  let wanted = name;
  for (let step = 0; step < maxSteps && depth < 4; step++) {
    const reply = await askOne(wanted, type, servers, options, signal);
    if (!reply) return serverFailure;
    const { message } = reply;
    if (message.rcode !== 'NOERROR' && message.rcode !== 'NXDOMAIN') return serverFailure;
    answers.push(...message.answers);
    const target = endOfAliases(wanted, message.answers);
    if (type === 'CNAME' || message.answers.some((record) => record.type === type && record.name === target))
      return { rcode: 'NOERROR', answers, authorities: [] };
    if (message.rcode === 'NXDOMAIN') return { rcode: 'NXDOMAIN', answers, authorities: message.authorities };
    if (target !== wanted) {
      wanted = target;
      servers = options.hints;
      cut = undefined;
      continue;
    }
    const delegation = message.authorities.flatMap((record) => (record.type === 'NS' ? [record] : []));
    const below = delegation[0]?.name;
    if (message.aa || below === undefined) return { rcode: 'NOERROR', answers, authorities: message.authorities };
    // Each referral has to lead nearer to the name, or two lame servers could send us round for ever.
    if (!isWithin(wanted, below) || (cut !== undefined && labelsOf(below).length <= labelsOf(cut).length))
      return serverFailure;
    cut = below;
    const addresses = await Promise.all(
      delegation.map(async ({ data: host }) => {
        const glue = message.additionals.filter((record) => record.name === host);
        const records = glue.length > 0 ? glue : (await resolve(host, 'A', options, signal, depth + 1)).answers;
        return records.flatMap((record) => (record.type === 'A' || record.type === 'AAAA' ? [record.data] : []));
      }),
    );
    servers = addresses.flat().map((address) => ({ address, port: 53 }));
  }
  return serverFailure;
}

async function askOne(
  name: DnsName,
  type: RecordType,
  servers: readonly DnsServer[],
  { transport, prefer }: Pick<ResolverOptions, 'transport' | 'prefer'>,
  signal: AbortSignal,
): Promise<Exchange | undefined> {
  const inTurn = prefer === 'last' ? [...servers].reverse() : servers;
  for (const server of inTurn) {
    try {
      return await exchange({ name, type }, server, { transport, signal, rd: false, timeoutMs, tries: 1 });
    } catch {
      if (signal.aborted) return undefined;
    }
  }
  return undefined;
}

function endOfAliases(name: DnsName, answers: readonly DnsRecord[]): DnsName {
  let at = name;
  for (let hop = 0; hop < answers.length; hop++) {
    const alias = answers.find((record) => record.type === 'CNAME' && record.name === at);
    if (alias?.type !== 'CNAME') return at;
    at = alias.data;
  }
  return at;
}
