import { DnsNameError, isWithin } from '@zoneproof/dns';
import { type Certificate, type Issuer, objectTitle } from '../resources/index.ts';
import { baseName } from './choose-provider.ts';
import type { Reason } from './reasons.ts';

/**
 * Why an Issuer does not serve a Certificate, going by `allowedNamespaces` and `allowedDomains` of a ClusterIssuer;
 * undefined when it does. What is left out is not repeated to whoever asks: the lists may name other tenants. Pure.
 */
export function whyNotAllowed(
  issuer: Pick<Issuer, 'kind' | 'spec'> & { readonly metadata: { readonly name: string } },
  namespace: string,
  dnsNames: Certificate['spec']['dnsNames'],
): { readonly reason: Reason; readonly message: string } | undefined {
  if (issuer.kind !== 'ClusterIssuer') return undefined;
  const { allowedNamespaces, allowedDomains } = issuer.spec;
  const title = objectTitle({ kind: issuer.kind, namespace: '', name: issuer.metadata.name });
  if (allowedNamespaces !== undefined && !allowedNamespaces.includes(namespace))
    return {
      reason: 'NamespaceNotAllowed',
      message: `${title} does not serve namespace ${namespace}. Name another Issuer, or have ${namespace} added to its allowedNamespaces.`,
    };
  const left = allowedDomains === undefined ? [] : dnsNames.filter((name) => !isBelowOne(name, allowedDomains));
  if (left.length === 0) return undefined;
  const [first, ...more] = left;
  const told = more.length === 0 ? first : `${first} and ${more.length} more`;
  return {
    reason: 'DomainNotAllowed',
    message: `${title} is not for ${told}. Name another Issuer, or have the domain added to its allowedDomains.`,
  };
}

/** A name that cannot be read is below nothing. */
function isBelowOne(name: string, domains: readonly string[]): boolean {
  return domains.some((domain) => {
    try {
      return isWithin(baseName(name), baseName(domain));
    } catch (error) {
      if (error instanceof DnsNameError) return false;
      throw error;
    }
  });
}
