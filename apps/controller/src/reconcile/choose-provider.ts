import { type DnsName, DnsNameError, isWithin, toDnsName } from '@zoneproof/dns';
import type { CertificateSpec, ProviderSpec } from '../resources/types.ts';

/**
 * The providers that may serve `domain`, best first: the certificate's own mapping; else those whose selector matches
 * most specifically; else those without a selector. Several are left when only their zones can tell.
 */
export function candidateProviders<P extends { readonly spec: ProviderSpec }>(
  providers: readonly P[],
  mapping: CertificateSpec['dns01'],
  domain: DnsName,
): readonly P[] {
  const mapped = mapping?.find((entry) => entry.domains.some((name) => baseName(name) === domain));
  if (mapped !== undefined) return providers.filter(({ spec }) => spec.name === mapped.provider);
  const ranked = providers.map((provider) => ({ provider, rank: selectorRank(provider.spec, domain) }));
  const best = Math.max(...ranked.map(({ rank }) => rank), -1);
  return best < 0 ? [] : ranked.filter(({ rank }) => rank === best).map(({ provider }) => provider);
}

/** -1: the selector excludes the name; 0: there is no selector; else the more the more specific. */
function selectorRank(spec: ProviderSpec, domain: DnsName): number {
  if (spec.selector === undefined) return 0;
  const { dnsNames = [], dnsZones = [] } = spec.selector;
  if (readable(dnsNames).includes(domain)) return Number.MAX_SAFE_INTEGER;
  const zones = readable(dnsZones).filter((zone) => isWithin(domain, zone));
  return zones.length === 0 ? -1 : 1 + Math.max(...zones.map((zone) => zone.length));
}

/** Without those that are no names: the Issuer's own condition tells of them. */
function readable(names: readonly string[]): readonly DnsName[] {
  return names.flatMap((name) => {
    try {
      return [baseName(name)];
    } catch (error) {
      if (error instanceof DnsNameError) return [];
      throw error;
    }
  });
}

/** `*.example.com` is proven at the same name as `example.com` (RFC 8555 7.1.3). */
export function baseName(name: string): DnsName {
  return toDnsName(name.startsWith('*.') ? name.slice(2) : name);
}
