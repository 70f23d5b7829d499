import type { RecordTarget } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { Fixture, Secrets } from '@zoneproof/provider-testkit';
import {
  type GoogleCloudDns,
  type ServiceAccountKey,
  startGoogleCloudDns,
} from '@zoneproof/provider-testkit/google-cloud-dns';
import { badDays } from './bad-days.ts';

export interface CloudDnsFixture extends Fixture {
  readonly emulator: GoogleCloudDns;
}

/** The emulator of Cloud DNS with nested zones and a private one. */
export async function startCloudDnsFixture(): Promise<CloudDnsFixture> {
  const emulator = await startGoogleCloudDns({
    zones: [
      'example.test',
      'deep.example.test',
      { dnsName: 'private.example.test', kind: 'private' },
      { dnsName: 'forwarded.example.test', kind: 'forwarding' },
    ],
  });
  const other = await emulator.newServiceAccount();
  const wrong: ServiceAccountKey = { ...emulator.serviceAccount, private_key: other.private_key };
  const config = {
    project: emulator.project,
    serviceAccountSecretRef: { name: 'clouddns', key: 'service-account.json' },
    endpoint: emulator.origin,
    caBundle: emulator.caBundle,
  };
  let targets = 0;
  const newTarget = (): Promise<RecordTarget> => {
    targets++;
    return Promise.resolve(targetOf(`host${targets}.example.test`));
  };

  return {
    emulator,
    config,
    secrets: secretsOf(emulator.serviceAccount),
    wrongSecrets: secretsOf(wrong),
    canaries: [emulator.serviceAccount, other].flatMap(({ private_key }) => [private_key, ...linesOf(private_key)]),
    newTarget,
    observe: (name) => Promise.resolve(emulator.published(name)),
    plant: async (name, value, ttl) => emulator.plant(name, value, ttl),
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('a.deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('notdeep.example.test'), zone: 'example.test' },
      { target: targetOf('private.example.test'), zone: 'example.test' },
      { target: targetOf('forwarded.example.test'), zone: 'example.test' },
      { target: targetOf('myexample.test'), zone: undefined },
    ],
    badDays: badDays(emulator, secretsOf(wrong), config),
    async manyZones() {
      const remove = Array.from({ length: 2_100 }, (_, i) => emulator.addZone(`zone${i}.many.test`));
      return () => {
        for (const undo of remove) undo();
      };
    },
    forbidSync() {
      emulator.permissions.delete('dns.changes.get');
      return () => void emulator.permissions.add('dns.changes.get');
    },
    close: () => emulator.close(),
  };
}

export function secretsOf(key: object): Secrets {
  return { clouddns: { 'service-account.json': JSON.stringify(key) } };
}

export function targetOf(domain: string): RecordTarget {
  const name = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName: name, name };
}

/** The base64 inside a PEM text: it has to be printed nowhere either. */
function linesOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
}
