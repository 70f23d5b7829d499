import { fastdns } from '@zoneproof/provider-fastdns';
import { describeTwoWriters, emulatorDisturbances } from '@zoneproof/provider-testkit';
import { startFastdnsFixture, targetOf } from './testing/emulator-fixture.ts';

describeTwoWriters({
  plugin: fastdns,
  // Both use one API client, so they also share its change lists; one that a crash leaves is taken over after a minute.
  async startFixture(clock) {
    const fixture = await startFastdnsFixture({ clock });
    const { emulator } = fixture;
    let hosts = 0;
    return {
      // In one zone, of which one change is made at a time.
      fixture: { ...fixture, newTarget: async () => targetOf(`soak${++hosts}.example.test`) },
      clock,
      disturbances: [
        ...emulatorDisturbances(emulator),
        {
          name: 'zone in use',
          begin() {
            emulator.busy('example.test', 2);
            return () => emulator.busy('example.test', 0);
          },
        },
      ],
    };
  },
});
