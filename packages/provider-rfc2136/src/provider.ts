import {
  type CallContext,
  type ChangeOutcome,
  type DnsProvider,
  isProviderError,
  type ProviderError,
  type ProviderHost,
  type TxtChange,
} from '@zoneproof/core';
import type { DnsName, UpdateRecord } from '@zoneproof/dns';
import { checkServer } from './check.ts';
import { createClient } from './client.ts';
import { type Rfc2136Config, serverOf } from './config.ts';
import { inTheWayError, type Peer, refusalError, skewText, unprovenError } from './errors.ts';
import { planSteps, type Seen, shows } from './rrset.ts';
import { createKeySource } from './tsig-key.ts';
import { viewTxt } from './txt-view.ts';
import { findZone } from './zone-walk.ts';

// Enough reads under way together to hide the round trip, few enough for the socket buffer of a small server.
const readsAtOnce = 32;

/**
 * Writes through RFC 2136 UPDATE messages and nothing else. One `apply` is: the names are read (that tells the TTL to
 * keep and what is there already), at most one UPDATE goes out with every add and delete by value, and the names are
 * read again, since NOERROR alone proves nothing: a server ignores, with NOERROR, what collides with a CNAME or lies
 * below a zone cut.
 */
export function createRfc2136Provider(config: Rfc2136Config, host: ProviderHost): DnsProvider {
  const server = serverOf(config);
  const { providerName } = host;
  const client = createClient(server, host);
  const currentKey = createKeySource(config, host);
  let warnedOfSkew = false;

  /** Each name once. A server that is silent about one question is not asked the rest. */
  async function read(names: readonly DnsName[], call: CallContext): Promise<ReadonlyMap<DnsName, Seen>> {
    const seen = new Map<DnsName, Seen>();
    const waiting = [...new Set(names)];
    let down: ProviderError | undefined;
    const readNext = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        try {
          seen.set(name, down ?? viewTxt(await client.ask(name, 'TXT', call), name));
        } catch (error) {
          if (!isProviderError(error)) throw error;
          down = error;
          seen.set(name, error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(readsAtOnce, waiting.length) }, readNext));
    return seen;
  }

  /** Undefined when the server took the update; otherwise what became of every record in it. */
  async function send(
    zone: DnsName,
    records: readonly UpdateRecord[],
    call: CallContext,
  ): Promise<ChangeOutcome | undefined> {
    try {
      const key = await currentKey();
      const peer: Peer = key ? { providerName, server, key } : { providerName, server };
      const reply = await client.update(zone, records, key, call);
      if (reply.clockSkewSeconds !== undefined && !warnedOfSkew) {
        warnedOfSkew = true;
        host.warn(
          `${providerName}: ${skewText(reply.clockSkewSeconds, server)}; it takes updates signed by its own clock. Set the clocks.`,
        );
      }
      if (reply.rcode !== 'NOERROR') return { status: 'failed', error: refusalError(reply, zone, peer) };
      const proven = reply.tsig === undefined || (reply.tsig.status === 'verified' && reply.tsig.error === 0);
      return proven ? undefined : { status: 'unknown', error: unprovenError(reply, zone, peer) };
    } catch (error) {
      if (!isProviderError(error)) throw error;
      return { status: error.details.sent ? 'unknown' : 'failed', error };
    }
  }

  return {
    async apply(zone, changes, call) {
      const inTheWay = (view: Parameters<typeof inTheWayError>[0], name: DnsName): ProviderError =>
        inTheWayError(view, name, zone.name, { providerName, server });
      const before = await read(
        changes.map(({ name }) => name),
        call,
      );
      const steps = planSteps(changes, before, inTheWay);
      const toSend = steps.flatMap((step) => (step.settled ? [] : [step]));
      const refused =
        toSend.length === 0
          ? undefined
          : await send(
              zone.name,
              toSend.map(({ record }) => record),
              call,
            );
      if (refused) return steps.map((step) => step.settled ?? refused);
      const after = await read(
        toSend.flatMap(({ record, unseen }) => (unseen ? [] : [record.name])),
        call,
      );
      return steps.map((step, at): ChangeOutcome => {
        if (step.settled) return step.settled;
        if (step.unseen) return { status: 'unchanged' };
        const view = after.get(step.record.name) as Seen;
        if (isProviderError(view)) return { status: 'unknown', error: view };
        if (shows(view, changes[at] as TxtChange)) return { status: 'changed' };
        return { status: 'failed', error: inTheWay(view, step.record.name) };
      });
    },

    findZone: (target, call) => findZone(target, client, { providerName, server }, call),

    check: (call) => checkServer(client, currentKey, { providerName, server }, call),
  };
}
