import { randomBytes } from 'node:crypto';
import { createEgress, type ProviderHost } from '@zoneproof/core';
import { mapTransport, systemTransport } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import type { AcmednsConfig } from './config.ts';
import { createLiveValues } from './live-values.ts';
import { acmedns } from './plugin.ts';
import { startAcmednsFixture } from './testing/sandbox-fixture.ts';

test('without nameserver, port 53 of the addresses of the API is asked', async () => {
  const fixture = await startAcmednsFixture();
  const dns = mapTransport(systemTransport, new Map([['127.0.0.1:53', fixture.server.dns]]));
  const egress = createEgress({ dns });
  const { host, accountSecretRef } = fixture.config as { host: string; accountSecretRef: object };
  const config = { host: host.replace('127.0.0.1', 'localhost'), accountSecretRef };
  const { name } = await fixture.newTarget();
  const lab = new Lab(acmedns, '', { ...fixture, secrets: fixture.secrets, config, egress });
  try {
    const changes = lab.changes(['present', name, lab.value()]);
    expect(await lab.start().apply({ id: name, name }, changes)).toEqual([{ status: 'changed' }]);
    expect(await lab.start().apply({ id: name, name }, changes)).toEqual([{ status: 'unchanged' }]);
    expect(fixture.server.updates).toHaveLength(1);
  } finally {
    await egress.close();
    await fixture.close();
  }
});

test('an answer of somebody else is no answer', async () => {
  const fixture = await startAcmednsFixture();
  try {
    const lab = new Lab(acmedns, '', fixture);
    const host = { dns: systemTransport, random: (length: number) => randomBytes(length) } as unknown as ProviderHost;
    const read = createLiveValues(fixture.config as AcmednsConfig, host);
    const call = lab.start().call();
    const elsewhere = fixture.zones.find(({ zone }) => zone === undefined)!.target.name;
    expect(await read(elsewhere, call)).toBeUndefined();
    expect(await read((await fixture.newTarget()).name, call)).toEqual([]);
    await lab.close();
  } finally {
    await fixture.close();
  }
});
