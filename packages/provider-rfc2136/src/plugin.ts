import { isIPv6, SocketAddress } from 'node:net';
import { defineProvider } from '@zoneproof/core';
import { formatServer, toDnsName } from '@zoneproof/dns';
import { admission, configProblems, schema, secretProblems, serverOf } from './config.ts';
import { knownErrors, permissions } from './known-errors.ts';
import { createRfc2136Provider } from './provider.ts';

export const rfc2136 = defineProvider({
  key: 'rfc2136',
  displayName: 'RFC 2136 dynamic update',
  schema,
  capabilities: {
    model: 'message',
    // No limit of the protocol short of 64 KiB an RRset; a resolver asks again over TCP from some 20 values on.
    maxValuesPerName: 100,
    // RFC 1035 4.2.2: 65 535 octets a message. A record takes at most 255 (name) + 10 + 1 + its value, the rest of a
    // signed message at most 900: 200 * 266 + 10 000 + 900 = 64 100.
    batch: { maxChanges: 200, maxValueBytes: 10_000, atomic: true },
    // The server would put simultaneous updates in order by itself; in one queue more changes share a message.
    writeScope: 'zone',
    compareAndSet: true,
    ttl: { min: 0, max: 2_147_483_647, default: 60 },
    sync: false,
    buckets: [
      {
        name: 'requests',
        burst: 2000,
        perSecond: 2000,
        source: "none published: a server of one's own; far below what BIND, Knot and PowerDNS answer",
      },
    ],
  },
  example: {
    nameserver: '192.0.2.53',
    tsigKeyName: 'acme-update',
    tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
  },
  permissions,
  errors: knownErrors,
  problems: configProblems,
  admission,
  secretProblems,
  account: (config) => {
    const { address, port } = serverOf(config);
    // One spelling for 2001:DB8:0::53 and 2001:db8::53.
    const { address: canonical } = new SocketAddress({ address, family: isIPv6(address) ? 'ipv6' : 'ipv4' });
    const server = formatServer({ address: canonical, port });
    return config.tsigKeyName === undefined ? server : `${server}/${toDnsName(config.tsigKeyName)}`;
  },
  create: createRfc2136Provider,
});
