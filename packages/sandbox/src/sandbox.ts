import {
  createTsigKey,
  type DnsServer,
  type DnsTransport,
  isWithin,
  mapTransport,
  systemTransport,
  type TsigKey,
  toDnsName,
} from '@zoneproof/dns';
import type { AcmeDnsAccount } from './acmedns/accounts.ts';
import { type AcmeDnsOptions, type SandboxAcmeDns, startAcmeDns } from './acmedns/server.ts';
import { type CaOptions, type SandboxCa, startAcmeCa } from './ca/server.ts';
import { type SandboxResolver, startResolver } from './dns/resolver.ts';
import { type DnsServerOptions, type SandboxDns, startDnsServer } from './dns/server.ts';
import type { PlainRecord } from './dns/zone-data.ts';
import type { ZoneOptions } from './dns/zones.ts';
import { type Clock, type RandomBytes, systemRandom } from './inputs.ts';
import { sandboxManifests } from './manifests.ts';

export interface SandboxOptions {
  /** More zones on the name servers; one that lies in another is delegated there. */
  readonly zones?: readonly string[];
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  readonly ca?: Partial<Omit<CaOptions, 'dns' | 'clock' | 'random'>>;
  readonly dns?: Partial<Omit<DnsServerOptions, 'zones' | 'tsigKeys' | 'endpoints' | 'clock'>>;
  readonly acmeDns?: Partial<Omit<AcmeDnsOptions, 'domain' | 'clock' | 'random'>>;
}

export interface Sandbox {
  readonly ca: SandboxCa;
  readonly dns: SandboxDns;
  readonly acmeDns: SandboxAcmeDns;
  readonly tsigKey: TsigKey;
  /** The account that `_acme-challenge.app.example.test` points at. */
  readonly acmeDnsAccount: AcmeDnsAccount;
  /** Recursive resolvers; the first asks a zone's servers from the first on, the second from the last. */
  readonly resolvers: readonly DnsServer[];
  /** From the addresses in the zones, port 53, to the real ports: for `mapTransport`. */
  readonly transportMap: ReadonlyMap<string, DnsServer>;
  /** `mapTransport(systemTransport, transportMap)`. */
  readonly transport: DnsTransport;
  /** File name to YAML: an Issuer with the providers `rfc2136` and `acmedns`, its Secrets, and two Certificates. */
  manifests(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts a CA, authoritative servers, acme-dns and resolvers on loopback, wired as they would be in the world:
 *
 *   example.test         NS ns1, ns2; updates signed with the key `acme-update`
 *   child.example.test   delegated, on the same servers
 *   options.zones        more of them, delegated likewise
 *   shop.test            a second zone; alias.example.test's challenge name points into it
 *   auth.example.test    delegated to acme-dns; app.example.test's challenge name points into it
 *
 * The name servers' addresses are 127.0.0.1 to 127.0.0.3 at port 53, of which only `transportMap` knows the real ports.
 *
 * @throws the system's error when no port can be opened; nothing is left open then
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { random = systemRandom } = options;
  const inputs = { ...(options.clock && { clock: options.clock }), random };
  const started: { close(): Promise<void> }[] = [];
  const keep = async <T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const service = await starting;
    started.push(service);
    return service;
  };
  const close = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((service) => service.close()));
  };
  try {
    const tsigKey = createTsigKey({ name: toDnsName('acme-update'), algorithm: 'hmac-sha256', secret: random(32) });
    const acmeDns = await keep(
      startAcmeDns({ ...options.acmeDns, ...inputs, domain: 'auth.example.test', publishedAddress: addresses.acmeDns }),
    );
    const acmeDnsAccount = acmeDns.register();
    const dns = await keep(
      startDnsServer({
        ...options.dns,
        ...(options.clock && { clock: options.clock }),
        zones: withMore(zones(acmeDnsAccount), options.zones ?? []),
        tsigKeys: [tsigKey],
        endpoints: 2,
      }),
    );
    const transportMap = new Map<string, DnsServer>([
      [`${addresses.ns1}:53`, dns.endpoints[0]!.server],
      [`${addresses.ns2}:53`, dns.endpoints[1]!.server],
      [`${addresses.acmeDns}:53`, acmeDns.dns],
    ]);
    const transport = mapTransport(systemTransport, transportMap);
    const hints = dns.endpoints.map((endpoint) => endpoint.server);
    const resolvers: SandboxResolver[] = [];
    for (const prefer of ['first', 'last'] as const)
      resolvers.push(await keep(startResolver({ hints, transport, prefer })));
    const servers = resolvers.map((resolver) => resolver.server);
    const ca = await keep(startAcmeCa({ ...options.ca, ...inputs, dns: { resolvers: servers, transport } }));
    return {
      ca,
      dns,
      acmeDns,
      tsigKey,
      acmeDnsAccount,
      resolvers: servers,
      transportMap,
      transport,
      manifests: () => sandboxManifests({ ca, dns, acmeDns, tsigKey, acmeDnsAccount }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const nameservers = ['ns1.example.test', 'ns2.example.test'];

const addresses = { ns1: '127.0.0.1', ns2: '127.0.0.2', acmeDns: '127.0.0.3' };

function zones(account: AcmeDnsAccount): readonly ZoneOptions[] {
  return [
    {
      name: 'example.test',
      nameservers,
      records: [
        { name: 'ns1.example.test', type: 'A', value: addresses.ns1 },
        { name: 'ns2.example.test', type: 'A', value: addresses.ns2 },
        { name: 'child.example.test', type: 'NS', value: 'ns1.example.test' },
        { name: 'child.example.test', type: 'NS', value: 'ns2.example.test' },
        { name: 'auth.example.test', type: 'NS', value: 'auth.example.test' },
        { name: 'auth.example.test', type: 'A', value: addresses.acmeDns },
        { name: '_acme-challenge.app.example.test', type: 'CNAME', value: account.fulldomain },
        { name: '_acme-challenge.alias.example.test', type: 'CNAME', value: 'alias-challenge.shop.test' },
      ],
    },
    { name: 'child.example.test', nameservers },
    { name: 'shop.test', nameservers },
  ];
}

function withMore(own: readonly ZoneOptions[], more: readonly string[]): readonly ZoneOptions[] {
  const all = [...own, ...more.map((name): ZoneOptions => ({ name, nameservers }))];
  return all.map((zone) => {
    const cuts = more.filter((name) => closest(all, name)?.name === zone.name);
    const delegations = cuts.flatMap((name) => nameservers.map((value): PlainRecord => ({ name, type: 'NS', value })));
    return { ...zone, records: [...(zone.records ?? []), ...delegations] };
  });
}

/** The zone right above this one. */
function closest(all: readonly ZoneOptions[], name: string): ZoneOptions | undefined {
  const above = all.filter((zone) => zone.name !== name && isWithin(toDnsName(name), toDnsName(zone.name)));
  return above.sort((a, b) => b.name.length - a.name.length)[0];
}
