import {
  type AnyDnsServer,
  DnsExchangeError,
  type DnsName,
  type DnsTransport,
  exchange,
  formatServer,
} from '@zoneproof/dns';
import type { RandomBytes } from '../contract/index.ts';
import type { ResolverView } from './observe-trust.ts';

/**
 * Asks the first resolver that answers for the SOA of a zone, with and without checking. The apex of a zone exists, so
 * that nothing wrong can be remembered.
 */
export async function askResolver(
  zone: DnsName,
  servers: readonly AnyDnsServer[],
  how: { readonly transport: DnsTransport; readonly random: RandomBytes; readonly tryTimeoutMs: number },
  signal: AbortSignal,
): Promise<ResolverView | undefined> {
  const { transport, random, tryTimeoutMs: timeoutMs } = how;
  for (const server of servers.slice(0, 3)) {
    try {
      const ask = (cd: boolean) =>
        exchange({ name: zone, type: 'SOA' }, server, {
          transport,
          random,
          timeoutMs,
          signal,
          rd: true,
          cd,
          dnssecOk: true,
        });
      const [checked, unchecked] = await Promise.all([ask(false), ask(true)]);
      const [error] = checked.message.edns?.extendedErrors ?? [];
      return {
        resolver: formatServer(server),
        rcode: checked.message.rcode,
        ad: checked.message.ad,
        uncheckedRcode: unchecked.message.rcode,
        ...(error !== undefined && { told: `EDE ${error.code} ${error.text}`.trim() }),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DnsExchangeError)) throw error;
    }
  }
  return undefined;
}
