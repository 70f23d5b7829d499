import { type DnsServer, formatServer, sendUpdate, systemTransport, type TsigKey, toDnsName } from '@zoneproof/dns';
import { type NameServer, type NameServerOptions, newTsigKey, secretBase64 } from '@zoneproof/farm';
import type { Fixture } from '@zoneproof/provider-testkit';
import { realBadDays } from './bad-days.ts';
import { createObserver, targetOf } from './observer.ts';

export interface RealFixture extends Fixture {
  readonly server: DnsServer;
  readonly keys: readonly TsigKey[];
}

/** A real server with example.test (which delegates away.example.test) and sub.example.test, and a key an algorithm. */
export async function startRealFixture(
  start: (options: NameServerOptions) => Promise<NameServer>,
  algorithms: readonly TsigKey['algorithm'][] = ['hmac-sha256'],
): Promise<RealFixture> {
  const keys = algorithms.map((algorithm) => newTsigKey(`key-${algorithm.split('.')[0]}`, algorithm));
  const key = keys[0] as TsigKey;
  const running = await start({
    zones: [
      {
        name: 'example.test',
        records: [
          'sub NS ns1.sub',
          'ns1.sub A 127.0.0.1',
          'away NS ns1.other.test.',
          '_acme-challenge.alias CNAME x.other.test.',
          '*.wild CNAME web',
        ],
      },
      { name: 'sub.example.test' },
    ],
    keys,
  });
  const server = { address: running.address, port: running.port };
  const wrongSecrets = { tsig: { secret: Buffer.from('another secret of the same size.').toString('base64') } };
  let count = 0;
  return {
    server,
    keys,
    config: {
      nameserver: formatServer(server),
      tsigKeyName: key.name,
      tsigAlgorithm: key.algorithm,
      tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
    },
    secrets: { tsig: { secret: secretBase64(key) } },
    wrongSecrets,
    badDays: realBadDays(wrongSecrets),
    newTarget: () => Promise.resolve(targetOf(`host${++count}.example.test`)),
    observe: createObserver(server),
    async plant(name, value, ttl) {
      const options = { transport: systemTransport, key, now: () => Date.now(), signal: AbortSignal.timeout(5000) };
      const update = { zone: toDnsName('example.test'), records: [{ op: 'add' as const, name, ttl, value }] };
      const { rcode } = await sendUpdate(update, server, options);
      if (rcode !== 'NOERROR') throw new Error(`planting a value was answered ${rcode}`);
    },
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('www.sub.example.test'), zone: 'sub.example.test' },
      { target: targetOf('alias.example.test'), zone: 'example.test' },
      { target: targetOf('badexample.test'), zone: undefined },
    ],
    close: () => running.stop(),
  };
}
