import { isIP } from 'node:net';
import type { AddressRule } from '@zoneproof/core';
import type { AllowedEndpoints } from './allowed-endpoints.ts';
import { type Cidr, inCidr } from './cidr.ts';
import { deniedNames, deniedRanges } from './denied-ranges.ts';
import { embeddedAddresses } from './embedded-address.ts';

export interface AddressRuleOptions {
  /** `--denied-cidrs`. */
  readonly deniedCidrs: readonly Cidr[];
  /** Hosts that are free whatever they stand for: whoever runs the controller named them. */
  readonly allowed: AllowedEndpoints;
  /** Where the API server is now: its name and its addresses. */
  readonly apiServer: () => ReadonlySet<string>;
}

/**
 * What may be connected to for an Issuer of a namespace. Judged is the address that is connected to; an IPv6 address also
 * by the IPv4 address that it may be translated to.
 */
export function addressRule({ deniedCidrs, allowed, apiServer }: AddressRuleOptions): AddressRule {
  const ranges = [
    ...deniedRanges.map((range) => ({ contains: inCidr(range), because: `it is ${range.because}` })),
    ...deniedCidrs.map((range) => ({
      contains: inCidr(range),
      because: `${range.network}/${range.bits} is denied to Issuers of namespaces here`,
    })),
  ];
  const whyDenied = (address: string): string | undefined => {
    if (apiServer().has(address)) return 'the API server is there';
    return ranges.find(({ contains }) => contains(address))?.because;
  };
  return (address, host) => {
    if (allowed.allowsHost(host)) return undefined;
    if (address === '') return whyNameDenied(host, apiServer());
    for (const one of [address, ...embeddedAddresses(address)]) {
      // A range of the other family, or a form that none of the parsers takes: nothing is known of it, nothing is sent.
      if (isIP(one) === 0) return 'it is no address';
      const because = whyDenied(one);
      if (because !== undefined) return one === address ? because : `it leads to ${one}: ${because}`;
    }
    return undefined;
  };
}

function whyNameDenied(host: string, apiServer: ReadonlySet<string>): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (apiServer.has(name)) return 'it is the name of the API server';
  if (name.endsWith('.localhost')) return 'it is the name of this machine';
  const [, because] = deniedNames.find(([denied]) => denied === name) ?? [];
  return because && `it is the name of ${because}`;
}
