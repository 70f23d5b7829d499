import { createEgress, type Egress } from '@zoneproof/core';
import { DnsExchangeError, type DnsServer, type DnsTransport } from '@zoneproof/dns';
import { describeReal, startBind } from '@zoneproof/farm';
import { rfc2136 } from '@zoneproof/provider-rfc2136';
import { type Disturbance, describeTwoWriters } from '@zoneproof/provider-testkit';
import type { UpdateFaults } from '@zoneproof/sandbox';
import { startRealFixture } from './testing/real-fixture.ts';
import { startRfc2136Fixture } from './testing/sandbox-fixture.ts';

describeTwoWriters({
  plugin: rfc2136,
  async startFixture() {
    const fixture = await startRfc2136Fixture();
    const { egress, lost } = losing();
    const answered = (updateFault: UpdateFaults['updateFault']): Disturbance => ({
      name: String(updateFault),
      begin() {
        fixture.dns.updateFault = updateFault;
        return () => {
          fixture.dns.updateFault = undefined;
        };
      },
    });
    return {
      fixture: { ...fixture, egress },
      disturbances: [answered('SERVFAIL'), answered('REFUSED'), answered('ignored'), lost],
    };
  },
});

describeReal(['bind'], 'BIND', () => {
  describeTwoWriters({
    plugin: rfc2136,
    under: 'BIND',
    async startFixture() {
      const { egress, lost } = losing();
      return { fixture: { ...(await startRealFixture(startBind)), egress }, disturbances: [lost] };
    },
  });
});

/** An egress, and times at which what is sent is carried out and the answer does not come back. */
function losing(): { readonly egress: Egress; readonly lost: Disturbance } {
  const egress = createEgress();
  let isLosing = false;
  const lose = (over: 'udp' | 'tcp', server: DnsServer, answer: Uint8Array): Uint8Array => {
    if (isLosing) throw new DnsExchangeError('reset', server, over, 'closed before its answer', { sent: true });
    return answer;
  };
  const dns: DnsTransport = {
    udp: async (server, ...more) => lose('udp', server, await egress.dns.udp(server, ...more)),
    tcp: async (server, ...more) => lose('tcp', server, await egress.dns.tcp(server, ...more)),
  };
  const lost: Disturbance = {
    name: 'lost answers',
    begin() {
      isLosing = true;
      return () => {
        isLosing = false;
      };
    },
  };
  return { egress: { ...egress, dns }, lost };
}
