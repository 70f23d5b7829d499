import type { RecordTarget } from '@zoneproof/core';
import { type DnsServer, exchange, systemTransport, toDnsName, txtValue } from '@zoneproof/dns';
import type { Fixture } from '@zoneproof/provider-testkit';

/** Asks the server by a query of its own. */
export function createObserver(server: DnsServer): Fixture['observe'] {
  return async (name) => {
    const signal = AbortSignal.timeout(5000);
    const { message } = await exchange({ name, type: 'TXT' }, server, {
      transport: systemTransport,
      rd: false,
      signal,
    });
    const records = message.answers.flatMap((record) =>
      record.type === 'TXT' && record.name === name ? [record] : [],
    );
    return { values: records.map(txtValue), ttl: records[0]?.ttl };
  };
}

/** The target of a domain whose challenge name has no CNAME. */
export function targetOf(domain: string): RecordTarget {
  const challengeName = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName, name: challengeName };
}
