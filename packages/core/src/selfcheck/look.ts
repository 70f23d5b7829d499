import type { SoaData } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import { linkedController } from './abort.ts';
import type { Ask } from './ask.ts';
import { type AskedServer, askedServers } from './asked-server.ts';
import { readFinding, readListedFinding, unreachable, withoutAddress } from './finding.ts';
import type { Gate } from './gate.ts';
import { summarise } from './summary.ts';
import type { Evidence, Location, ServerEvidence } from './types.ts';
import { judge } from './verdict.ts';

/** Asks every server of a location at once for the target's TXT. @throws the signal's reason only */
export async function lookAtServers(
  location: Location,
  values: readonly string[],
  { ask, gate, clock }: { readonly ask: Ask; readonly gate: Gate; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Evidence> {
  const at = clock.now();
  const { zone, target } = location;
  const sought = { target, zone, values };
  let soa: SoaData | undefined;
  const observe = async ({ who, to, isListed }: AskedServer, shared: AbortSignal): Promise<ServerEvidence> => {
    try {
      const answer = await gate.run(
        () => ask({ name: target, type: 'TXT' }, to, { rd: isListed, signal: shared }),
        shared,
      );
      const finding = (isListed ? readListedFinding : readFinding)(who, answer, sought);
      soa = finding.soa ?? soa;
      return finding.row;
    } catch (error) {
      shared.throwIfAborted();
      return unreachable(who, error);
    }
  };
  const { controller, unlink } = linkedController(signal);
  const asked = await Promise.all(askedServers(location).map((server) => observe(server, controller.signal))).finally(
    unlink,
  );
  const servers = [...asked, ...(location.unresolved ?? []).map(withoutAddress)];
  const seen = { verdict: judge(servers), zone, target, servers, ...byOf(location) };
  return {
    ...seen,
    at,
    summary: summarise(seen, { wanted: values.length, ...(soa && { soa }), ...reasonOf(location) }),
  };
}

/** Why nobody else was asked, for the summary. */
export function reasonOf({ listed }: Location): { readonly reason?: string } {
  return listed === undefined ? {} : { reason: listed.reason };
}

/** Marks evidence that no authoritative server gave. */
export function byOf({ listed }: Location): Pick<Evidence, 'by'> {
  return listed === undefined ? {} : { by: 'resolver' };
}
