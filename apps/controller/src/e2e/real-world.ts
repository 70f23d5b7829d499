import {
  type DnsServer,
  type DnsTransport,
  exchange,
  mapTransport,
  sendUpdate,
  systemTransport,
  type TsigKey,
  toDnsName,
  txtValue,
} from '@zoneproof/dns';
import {
  type FarmZone,
  type NameServer,
  newTsigKey,
  type Pebble,
  type PebbleOptions,
  secretBase64,
  startBind,
  startPebble,
} from '@zoneproof/farm';

/** A real CA that resolves through a real name server, and the way to both. */
export interface RealWorld {
  readonly dns: NameServer;
  readonly ca: Pebble;
  readonly key: TsigKey;
  readonly transport: DnsTransport;
  readonly resolvers: readonly DnsServer[];
  /** Issuer `pebble` with the provider `lab` at the name server, and its Secrets. */
  issuer(more?: object): string;
  /** The TXT values at a name, asked at the name server. */
  values(name: string): Promise<readonly string[]>;
  /** Every TXT value at or below the challenge names of these domains. */
  leftovers(...domains: readonly string[]): Promise<readonly string[]>;
  /** Writes a TXT value as somebody else. */
  plant(zone: string, name: string, value: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RealWorldOptions {
  readonly zones: readonly FarmZone[];
  readonly start?:
    | typeof startBind
    | ((options: { zones: readonly FarmZone[]; keys: readonly TsigKey[] }) => Promise<NameServer>);
  readonly key?: TsigKey;
  readonly pebble?: Partial<PebbleOptions>;
}

export async function startRealWorld(options: RealWorldOptions): Promise<RealWorld> {
  const key = options.key ?? newTsigKey('acme-update');
  const dns = await (options.start ?? startBind)({ zones: options.zones, keys: [key] });
  const ca = await startPebble({ dns: `${dns.address}:${dns.port}`, ...options.pebble }).catch(async (error) => {
    await dns.stop();
    throw error;
  });
  const server = { address: dns.address, port: dns.port };
  const signal = new AbortController().signal;
  const values = async (name: string): Promise<readonly string[]> => {
    const question = { name: toDnsName(name), type: 'TXT' } as const;
    const { message } = await exchange(question, server, { transport: systemTransport, signal, rd: false });
    return message.answers.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : []));
  };
  return {
    dns,
    ca,
    key,
    transport: mapTransport(systemTransport, new Map([[`${dns.address}:53`, server]])),
    resolvers: [server],
    issuer: (more) => issuerManifest({ ca, key, server, more: more ?? {} }),
    values,
    leftovers: async (...domains) =>
      (await Promise.all(domains.map((domain) => values(`_acme-challenge.${domain}`)))).flat(),
    plant: async (zone, name, value) => {
      const update = {
        zone: toDnsName(zone),
        records: [{ op: 'add', name: toDnsName(name), ttl: 777, value }] as const,
      };
      const { rcode } = await sendUpdate(update, server, { transport: systemTransport, signal, key, now: Date.now });
      if (rcode !== 'NOERROR') throw new Error(`planting ${value} at ${name}: ${rcode}`);
    },
    stop: async () => {
      await Promise.all([ca.stop(), dns.stop()]);
    },
  };
}

const algorithmOf: Readonly<Record<string, string>> = {
  'hmac-md5.sig-alg.reg.int': 'HMACMD5',
  'hmac-sha1': 'HMACSHA1',
  'hmac-sha224': 'HMACSHA224',
  'hmac-sha256': 'HMACSHA256',
  'hmac-sha384': 'HMACSHA384',
  'hmac-sha512': 'HMACSHA512',
};

function issuerManifest(o: { ca: Pebble; key: TsigKey; server: DnsServer; more: object }): string {
  const issuer = {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Issuer',
    metadata: { name: 'pebble' },
    spec: {
      acme: {
        email: 'ops@example.com',
        server: o.ca.directoryUrl,
        caBundle: o.ca.rootPem,
        privateKeySecretRef: { name: 'account' },
        dns01: {
          providers: [
            {
              name: 'lab',
              rfc2136: {
                nameserver: `${o.server.address}:${o.server.port}`,
                tsigKeyName: o.key.name,
                tsigAlgorithm: algorithmOf[o.key.algorithm],
                tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
              },
            },
          ],
        },
        ...o.more,
      },
    },
  };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tsig' },
    stringData: { secret: secretBase64(o.key) },
  };
  return [issuer, secret].map((document) => JSON.stringify(document)).join('\n---\n');
}

export function certificateManifest(name: string, dnsNames: readonly string[], more: object = {}): string {
  return JSON.stringify({
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name },
    spec: { secretName: `${name}-tls`, dnsNames, issuerRef: { name: 'pebble' }, ...more },
  });
}
