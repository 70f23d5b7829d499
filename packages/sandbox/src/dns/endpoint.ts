import type { DnsServer, Rcode } from '@zoneproof/dns';
import type { ZoneSnapshot } from './zones.ts';

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

export class Endpoint implements DnsEndpoint {
  readonly server: DnsServer;
  silent = false;
  queryRcode: Rcode | undefined = undefined;
  readonly #current: () => ZoneSnapshot;
  #frozen: ZoneSnapshot | undefined = undefined;

  constructor(server: DnsServer, current: () => ZoneSnapshot) {
    this.server = server;
    this.#current = current;
  }

  /** The zones this port answers from. */
  get zones(): ZoneSnapshot {
    return this.#frozen ?? this.#current();
  }

  get frozen(): boolean {
    return this.#frozen !== undefined;
  }

  set frozen(frozen: boolean) {
    this.#frozen = frozen ? this.#current() : undefined;
  }
}
