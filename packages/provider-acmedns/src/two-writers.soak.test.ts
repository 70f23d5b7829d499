import { acmedns } from '@zoneproof/provider-acmedns';
import { type Disturbance, describeTwoWriters } from '@zoneproof/provider-testkit';
import type { AcmeDnsFault } from '@zoneproof/sandbox';
import { startAcmednsFixture } from './testing/sandbox-fixture.ts';

describeTwoWriters({
  plugin: acmedns,
  async startFixture(clock) {
    // The order of an account's two rows is kept in seconds: those of the hosts' clock.
    const fixture = await startAcmednsFixture(clock);
    const nextUpdate = (name: string, fault: Omit<AcmeDnsFault, 'at'>): Disturbance => ({
      name,
      begin() {
        fixture.server.failNext({ at: 'update', ...fault });
        return () => undefined;
      },
    });
    return {
      fixture,
      disturbances: [
        nextUpdate('server-error', { status: 503 }),
        nextUpdate('html', { status: 502, body: '<html><h1>Bad Gateway</h1></html>' }),
        nextUpdate('throttled', { status: 429, headers: { 'retry-after': '1' } }),
        nextUpdate('lost write', { status: 504, applied: true }),
      ],
    };
  },
});
