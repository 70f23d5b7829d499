import { createFetch, type Egress, EgressError, type HttpAnswer, type HttpRequest } from '@zoneproof/core';
import { DnsExchangeError, type DnsServer, type DnsTransport, type TransportCall } from '@zoneproof/dns';
import { isUpdate, questionText, servfail } from './dns-wire.ts';
import { createDispatcher } from './sdk-dispatcher.ts';
import { createHttpsAgent } from './sdk-https-agent.ts';
import { throughEgress } from './sockets.ts';

/**
 * What happens to requests on the way.
 *
 * pass          nothing
 * refuse        no connection comes about; nothing is sent
 * reset         the connection is closed before the answer; nothing is carried out (not over UDP, which has none)
 * answer-503    a proxy's page with status 503, SERVFAIL to a DNS message; nothing is carried out
 * answer-429    status 429 with `Retry-After: 7`; nothing is carried out (a DNS message passes)
 * lose-answers  a write is carried out, and its answer does not come back
 * hang-writes   a write is not answered until the caller gives up
 */
export type TrafficMode = 'pass' | 'refuse' | 'reset' | 'answer-503' | 'answer-429' | 'lose-answers' | 'hang-writes';

/** What Traffic says by Retry-After. */
export const retryAfterSeconds = 7;

/** One request as it left the provider. */
export interface SeenRequest {
  /** The same for a repetition: `POST https://api.example/zones`, `udp QUERY example.test TXT`. */
  readonly what: string;
  readonly write: boolean;
  /** The mode was not `pass` and met it. */
  readonly disturbed: boolean;
  /** URL, headers and body, or the octets of the message as latin1. */
  readonly text: string;
}

/** An egress and a DNS transport that count what goes through them and can lose it. */
export class Traffic {
  mode: TrafficMode = 'pass';
  /** The mode meets writes only. */
  onlyWrites = false;
  /** Runs right before a write goes out: what another writer does in between. */
  beforeWrite: (() => Promise<void>) | undefined;
  requests = 0;
  writes = 0;
  permits = 0;
  /** Requests that went out before a permit was there for them. */
  unpermitted = 0;
  /** In order of sending. */
  readonly seen: SeenRequest[] = [];
  readonly dns: DnsTransport;
  readonly egress: Egress;
  readonly #hanging: (() => void)[] = [];

  constructor(base: Egress) {
    this.dns = this.#wrapDns(base.dns);
    this.egress = this.#wrap(base);
  }

  /** Resolves when a write hangs. */
  hangs(): Promise<void> {
    return new Promise((resolve) => this.#hanging.push(resolve));
  }

  #wrap(base: Egress): Egress {
    const http: Egress['http'] = (request) => this.#http(base, request);
    return {
      http,
      dispatcher: createDispatcher(http),
      fetch: createFetch(http),
      httpsAgent: createHttpsAgent(http, () => this.mode === 'refuse' && !this.onlyWrites),
      dns: this.dns,
      withCaBundle: (pem) => this.#wrap(base.withCaBundle(pem)),
      close: () => base.close(),
    };
  }

  #http(base: Egress, request: HttpRequest): Promise<HttpAnswer> {
    const { method, url, headers, body = '', signal } = request;
    const { host, origin, pathname } = new URL(url);
    const text = `${url}\n${JSON.stringify(headers)}\n${Buffer.from(body).toString('latin1')}`;
    return this.#meet(
      {
        what: `${method} ${origin}${pathname}`,
        write: method !== 'GET' && method !== 'HEAD' && !asksForCredentials(body),
        text,
        signal,
      },
      {
        send: () => base.http(request),
        fail: (kind, problem, sent) => new EgressError(kind, `${host}: ${problem}`, sent),
        answer: () => httpAnswer(this.mode),
      },
    );
  }

  #wrapDns(base: DnsTransport): DnsTransport {
    const around = (
      over: 'udp' | 'tcp',
      server: DnsServer,
      query: Uint8Array,
      call: TransportCall,
      send: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> =>
      this.#meet(
        {
          what: `${over} ${questionText(query)}`,
          write: isUpdate(query),
          text: `${server.address}:${server.port}\n${Buffer.from(query).toString('latin1')}`,
          signal: call.signal,
        },
        {
          send,
          fail: (kind, problem, sent) => new DnsExchangeError(kind, server, over, problem, { sent }),
          answer: () => (this.mode === 'answer-503' ? servfail(query) : undefined),
          cannotReset: over === 'udp',
        },
      );
    return {
      udp: async (server, query, accept, call) => {
        const answer = await around('udp', server, query, call, () => base.udp(server, query, accept, call));
        if (this.mode === 'answer-503') accept(answer);
        return answer;
      },
      tcp: (server, query, call) => around('tcp', server, query, call, () => base.tcp(server, query, call)),
    };
  }

  async #meet<T>(
    request: Omit<SeenRequest, 'disturbed'> & { readonly signal: AbortSignal | undefined },
    { send, fail, answer, cannotReset = false }: Forms<T>,
  ): Promise<T> {
    const { what, write, text, signal } = request;
    const concerned = write || !(this.onlyWrites || this.mode === 'lose-answers' || this.mode === 'hang-writes');
    const mode = !concerned || (cannotReset && this.mode === 'reset') ? 'pass' : this.mode;
    const instead = mode.startsWith('answer-') ? answer() : undefined;
    const disturbed = mode.startsWith('answer-') ? instead !== undefined : mode !== 'pass';
    this.seen.push({ what, write, text, disturbed });
    this.requests++;
    if (write) this.writes++;
    if (this.requests > this.permits) this.unpermitted++;
    if (instead !== undefined) return instead;
    if (mode === 'refuse') throw fail('refused', 'connection refused', false);
    if (mode === 'reset') throw fail('reset', 'closed before its answer', true);
    if (mode === 'hang-writes') {
      await this.#untilAborted(signal);
      throw fail('aborted', 'stopped', true);
    }
    if (write) await this.beforeWrite?.();
    const result = await throughEgress(send);
    if (mode === 'lose-answers') throw fail('reset', 'closed before its answer', true);
    return result;
  }

  #untilAborted(signal: AbortSignal | undefined): Promise<void> {
    for (const resolve of this.#hanging.splice(0)) resolve();
    return new Promise((resolve) => {
      if (signal?.aborted) resolve();
      else signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** How one kind of transport sends, fails and is answered. */
interface Forms<T> {
  send(): Promise<T>;
  fail(kind: 'refused' | 'aborted' | 'reset', problem: string, sent: boolean): Error;
  /** Instead of the service's; undefined when the mode has none for this transport. */
  answer(): T | undefined;
  readonly cannotReset?: boolean;
}

/** A request for a token changes nothing at the service: OAuth 2.0 (RFC 6749 4), the STS of AWS. */
function asksForCredentials(body: string | Uint8Array): boolean {
  return /(?:^|&)(?:grant_type=|Action=(?:AssumeRole|GetCallerIdentity))/.test(Buffer.from(body).toString('latin1'));
}

function httpAnswer(mode: TrafficMode): HttpAnswer {
  if (mode === 'answer-429')
    return {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': String(retryAfterSeconds) },
      body: Buffer.from('{}'),
    };
  const page = '<html><head><title>503</title></head><body><h1>Service Unavailable</h1></body></html>\n';
  return { status: 503, headers: { 'content-type': 'text/html' }, body: Buffer.from(page) };
}
