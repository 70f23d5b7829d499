import { createEgress, type Egress } from '@zoneproof/core';
import { DnsExchangeError, type DnsServer, type DnsTransport } from '@zoneproof/dns';
import { rfc2136 } from '@zoneproof/provider-rfc2136';
import { type Disturbance, describeTwoWriters } from '@zoneproof/provider-testkit';
import type { UpdateFaults } from '@zoneproof/sandbox';
import { startRfc2136Fixture } from './testing/sandbox-fixture.ts';

describeTwoWriters({
  plugin: rfc2136,
  async startFixture() {
    const fixture = await startRfc2136Fixture();
    const way = { losesAnswers: false };
    const answered = (updateFault: UpdateFaults['updateFault']): Disturbance => ({
      name: String(updateFault),
      begin() {
        fixture.dns.updateFault = updateFault;
        return () => {
          fixture.dns.updateFault = undefined;
        };
      },
    });
    const lost: Disturbance = {
      name: 'lost answers',
      begin() {
        way.losesAnswers = true;
        return () => {
          way.losesAnswers = false;
        };
      },
    };
    return {
      fixture: { ...fixture, egress: losing(createEgress(), way) },
      disturbances: [answered('SERVFAIL'), answered('REFUSED'), answered('ignored'), lost],
    };
  },
});

/** What is sent is carried out, and the answer does not come back. */
function losing(egress: Egress, way: { readonly losesAnswers: boolean }): Egress {
  const lose = (over: 'udp' | 'tcp', server: DnsServer, answer: Uint8Array): Uint8Array => {
    if (way.losesAnswers) throw new DnsExchangeError('reset', server, over, 'closed before its answer', { sent: true });
    return answer;
  };
  const dns: DnsTransport = {
    udp: async (server, ...more) => lose('udp', server, await egress.dns.udp(server, ...more)),
    tcp: async (server, ...more) => lose('tcp', server, await egress.dns.tcp(server, ...more)),
  };
  return { ...egress, dns };
}
