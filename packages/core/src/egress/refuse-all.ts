import { Agent } from 'node:https';
import { refusingTransport } from '@zoneproof/dns';
import type { Dispatcher } from 'undici';
import { type Egress, EgressError } from './egress.ts';
import { createFetch } from './egress-fetch.ts';

/** An egress that opens no socket: everything asked of it is refused with kind `denied`. */
export function refuseAllEgress(): Egress {
  const refusal = (what: string) => new EgressError('denied', `${what}: this process may not use the network`, false);
  const http: Egress['http'] = async ({ method, url }) => {
    throw refusal(`${method} ${URL.canParse(url) ? new URL(url).origin : ''}`);
  };
  const egress: Egress = {
    http,
    dispatcher: {
      dispatch({ method }: Dispatcher.DispatchOptions): boolean {
        throw refusal(method);
      },
      close: async () => undefined,
      destroy: async () => undefined,
    } as unknown as Dispatcher,
    fetch: createFetch(http),
    httpsAgent: new RefusingAgent(refusal('https')),
    dns: refusingTransport(),
    withCaBundle: () => egress,
    close: async () => undefined,
  };
  return egress;
}

class RefusingAgent extends Agent {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override createConnection(_options: unknown, connected?: (error: Error | null, socket: never) => void): undefined {
    (connected as (error: Error) => void)(this.#error);
  }
}
