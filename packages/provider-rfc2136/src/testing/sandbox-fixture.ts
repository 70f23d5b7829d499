import { createTsigKey, type TsigKey, toDnsName } from '@zoneproof/dns';
import type { Fixture } from '@zoneproof/provider-testkit';
import { type SandboxDns, startDnsServer } from '@zoneproof/sandbox';
import { badDays } from './bad-days.ts';
import { createObserver, targetOf } from './observer.ts';

export const testKey: TsigKey = createTsigKey({
  name: toDnsName('acme-update'),
  algorithm: 'hmac-sha256',
  secret: Buffer.from('0123456789abcdef0123456789abcdef'),
});

/** The sandbox's server with the zones example.test and sub.example.test. */
export async function startRfc2136Fixture(): Promise<Fixture & { readonly dns: SandboxDns }> {
  const dns = await startDnsServer({
    zones: [{ name: 'example.test' }, { name: 'sub.example.test' }],
    tsigKeys: [testKey],
  });
  const wrongSecrets = { tsig: { secret: Buffer.from('another secret of the same size.').toString('base64') } };
  let count = 0;
  return {
    dns,
    config: {
      nameserver: `${dns.server.address}:${dns.server.port}`,
      tsigKeyName: testKey.name,
      tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
    },
    secrets: { tsig: { secret: Buffer.from(testKey.secret).toString('base64') } },
    wrongSecrets,
    badDays: badDays(dns, wrongSecrets),
    newTarget: () => Promise.resolve(targetOf(`host${++count}.example.test`)),
    observe: createObserver(dns.server),
    plant: (name, value, ttl) => {
      dns.set({ name, type: 'TXT', value, ttl });
      return Promise.resolve();
    },
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('www.sub.example.test'), zone: 'sub.example.test' },
      { target: targetOf('badexample.test'), zone: undefined },
    ],
    pretendWrites(on) {
      dns.updateFault = on ? 'ignored' : undefined;
    },
    close: () => dns.close(),
  };
}
