import { type CallContext, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import {
  DnsExchangeError,
  type DnsMessage,
  type DnsName,
  type DnsServer,
  exchange,
  sendUpdate,
  type TsigKey,
  type UpdateRecord,
  type UpdateReply,
} from '@zoneproof/dns';
import { exchangeError } from './errors.ts';

/** The two requests this provider makes, each after a permit. */
export interface Client {
  /** @throws ProviderError */
  ask(name: DnsName, type: 'SOA' | 'TXT', call: CallContext): Promise<DnsMessage>;
  /** One signed UPDATE. @throws ProviderError */
  update(
    zone: DnsName,
    records: readonly UpdateRecord[],
    key: TsigKey | undefined,
    call: CallContext,
  ): Promise<UpdateReply>;
}

export function createClient(server: DnsServer, host: ProviderHost): Client {
  const { dns: transport, random, clock, providerName } = host;

  async function permitted(call: CallContext, doing: string): Promise<void> {
    try {
      if (call.signal.aborted) throw call.signal.reason;
      await call.permit();
    } catch (error) {
      throw isProviderError(error) ? error : stopped(doing, error);
    }
  }

  function stopped(doing: string, cause: unknown): ProviderError {
    return new ProviderError({ kind: 'aborted', message: `${providerName}: stopped before ${doing}`, cause });
  }

  return {
    async ask(name, type, call) {
      const doing = `asking for the ${type} records of ${name || '.'}`;
      await permitted(call, doing);
      try {
        const { message } = await exchange({ name, type }, server, {
          transport,
          random,
          rd: false,
          signal: call.signal,
        });
        return message;
      } catch (error) {
        if (!(error instanceof DnsExchangeError)) throw error;
        throw exchangeError(error, doing, { providerName, server });
      }
    },

    async update(zone, records, key, call) {
      const doing = `updating zone ${zone}`;
      await permitted(call, doing);
      try {
        const options = { transport, random, signal: call.signal, now: () => clock.now() };
        return await sendUpdate({ zone, records }, server, key ? { ...options, key } : options);
      } catch (error) {
        if (!(error instanceof DnsExchangeError)) throw error;
        throw exchangeError(error, doing, { providerName, server });
      }
    },
  };
}
