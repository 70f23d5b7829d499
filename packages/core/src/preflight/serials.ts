import type { Verdict } from './finding.ts';
import type { ServerObservation, SoaFacts, ZoneObservation } from './observe-zone.ts';

/** Whether all servers have the same copy of the zone, by its serial (RFC 1982, RFC 1996). Pure. */
export function judgeSerials({ zone, servers }: ZoneObservation): Verdict {
  const seen = servers.flatMap((server) => {
    const soa = soaOf(server);
    return soa === undefined ? [] : [{ server, soa }];
  });
  const facts = {
    serials: seen.map(({ server, soa }) => ({ name: server.name, address: server.address, serial: soa.serial })),
  };
  const [first, ...rest] = seen;
  if (first === undefined)
    return { result: 'skipped', detail: `no server of ${zone} was asked for its SOA, or none tells it`, facts };
  const newest = rest.reduce((best, one) => (behind(one.soa.serial, best.soa.serial) < 0 ? one : best), first);
  const late = seen.filter(({ soa }) => soa.serial !== newest.soa.serial);
  if (late.length === 0)
    return { result: 'ok', detail: `all servers of ${zone} that tell it have serial ${first.soa.serial}`, facts };
  const told = late.map(
    ({ server, soa }) =>
      `${server.name} ${server.address} still serves serial ${soa.serial}, ${behind(soa.serial, newest.soa.serial)} behind`,
  );
  const others = `${newest.server.name} has ${newest.soa.serial}`;
  return {
    result: 'warning',
    detail: `${told.join('; ')} (${others}); if this lasts beyond the zone's SOA refresh (${newest.soa.refresh} s), its zone transfer is late or fails: check NOTIFY, the transfer's key and port 53 over TCP`,
    facts: { ...facts, newest: newest.soa.serial },
  };
}

/** The SOA that one server has, whichever way it came. */
export function soaOf({ udp, tcp }: ServerObservation): SoaFacts | undefined {
  for (const answer of [udp, tcp]) if ('rcode' in answer && answer.isAuthoritative && answer.soa) return answer.soa;
  return undefined;
}

/** How far `serial` is behind `newest`; negative when it is ahead (RFC 1982 3.2). */
function behind(serial: number, newest: number): number {
  return (newest - serial) | 0;
}
