import { createFetch, type Egress, EgressError, type HttpAnswer, type HttpRequest } from '@zoneproof/core';
import { DnsExchangeError, type DnsServer, type DnsTransport, type TransportCall } from '@zoneproof/dns';

/**
 * What happens to requests on the way.
 *
 * pass          nothing
 * refuse        no connection comes about; nothing is sent
 * lose-answers  a write is carried out, and its answer does not come back
 * hang-writes   a write is not answered until the caller gives up
 */
export type TrafficMode = 'pass' | 'refuse' | 'lose-answers' | 'hang-writes';

/** An egress and a DNS transport that count what goes through them and can lose it. */
export class Traffic {
  mode: TrafficMode = 'pass';
  requests = 0;
  writes = 0;
  permits = 0;
  /** Requests that went out before a permit was there for them. */
  unpermitted = 0;
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
      dispatcher: base.dispatcher,
      fetch: createFetch(http),
      httpsAgent: base.httpsAgent,
      dns: this.dns,
      withCaBundle: (pem) => this.#wrap(base.withCaBundle(pem)),
      close: () => base.close(),
    };
  }

  #count(write: boolean): void {
    this.requests++;
    if (write) this.writes++;
    if (this.requests > this.permits) this.unpermitted++;
  }

  async #http(base: Egress, request: HttpRequest): Promise<HttpAnswer> {
    const write = request.method !== 'GET' && request.method !== 'HEAD';
    this.#count(write);
    const { host } = new URL(request.url);
    if (this.mode === 'refuse') throw new EgressError('refused', `${host}: connection refused`, false);
    if (write && this.mode === 'hang-writes') {
      await this.#untilAborted(request.signal);
      throw new EgressError('aborted', `${host}: stopped`, true);
    }
    const answer = await base.http(request);
    if (write && this.mode === 'lose-answers')
      throw new EgressError('reset', `${host}: closed before its answer`, true);
    return answer;
  }

  #wrapDns(base: DnsTransport): DnsTransport {
    const around = async (
      transport: 'udp' | 'tcp',
      server: DnsServer,
      query: Uint8Array,
      call: TransportCall,
      send: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> => {
      const write = isWrite(query);
      this.#count(write);
      const fail = (kind: 'refused' | 'aborted' | 'reset', problem: string, sent: boolean) =>
        new DnsExchangeError(kind, server, transport, problem, { sent });
      if (this.mode === 'refuse') throw fail('refused', 'connection refused', false);
      if (write && this.mode === 'hang-writes') {
        await this.#untilAborted(call.signal);
        throw fail('aborted', 'stopped', true);
      }
      const answer = await send();
      if (write && this.mode === 'lose-answers') throw fail('reset', 'closed before its answer', true);
      return answer;
    };
    return {
      udp: (server, query, accept, call) =>
        around('udp', server, query, call, () => base.udp(server, query, accept, call)),
      tcp: (server, query, call) => around('tcp', server, query, call, () => base.tcp(server, query, call)),
    };
  }

  #untilAborted(signal: AbortSignal | undefined): Promise<void> {
    for (const resolve of this.#hanging.splice(0)) resolve();
    return new Promise((resolve) => {
      if (signal?.aborted) resolve();
      else signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** An UPDATE (opcode 5) with at least one record in its update section (RFC 2136 2.2). */
function isWrite(query: Uint8Array): boolean {
  return (
    query.length >= 12 && (((query[2] as number) >> 3) & 15) === 5 && ((query[8] as number) | (query[9] as number)) > 0
  );
}
