import {
  type Clock,
  createPreflight,
  createSelfCheck,
  listedServers,
  type Preflight,
  type PreflightOptions,
  parseNameserverList,
  type SelfCheck,
  type SelfCheckOptions,
  type StartingServers,
} from '@zoneproof/core';
import type { Issuer, SelfCheckSpec } from '../resources/types.ts';
import { DividedDns, type Tenancy } from '../tenancy/index.ts';

/** The DNS as one way of asking shows it. */
export interface DnsView {
  readonly selfCheck: SelfCheck;
  readonly preflight: Preflight;
}

/** What a spec leaves out, and the ways to servers. */
export type DnsViewOptions = Omit<SelfCheckOptions, 'transport'> &
  Pick<PreflightOptions, 'onFinding'> & { readonly tenancy: Tenancy };

/** Specs of Issuers that are remembered; the oldest go first. */
const maxSpecs = 100;

/**
 * A view for each way that Issuers want to ask; Issuers that want the same share one, with what it knows of zones and
 * its rounds.
 *
 * Servers that an Issuer lists are asked by its own rights, those that the process is started with by the right of
 * whoever runs it, and those that are found in the DNS as `tenancy.foundDns` has it.
 */
export function createDnsViews({
  tenancy,
  ...defaults
}: DnsViewOptions): (spec: SelfCheckSpec | undefined, kind: Issuer['kind']) => DnsView {
  const made = new Map<string, DnsView>();
  return (spec = {}, kind) => {
    const { mode, nameservers, finalResolvers } = spec;
    const whose = nameservers === undefined && finalResolvers === undefined ? '' : kind;
    const key = JSON.stringify([mode, nameservers, finalResolvers, whose]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const dns = new DividedDns(tenancy.foundDns);
    const own = (list: readonly string[]): StartingServers =>
      dns.lead(serversOf(list, defaults.clock), tenancy.of(kind).egress.dns);
    const options = {
      ...defaults,
      transport: dns,
      ...(mode === undefined ? {} : { mode }),
      resolvers:
        nameservers === undefined
          ? dns.lead(defaults.resolvers, tenancy.of('ClusterIssuer').egress.dns)
          : own(nameservers),
      ...(finalResolvers === undefined ? {} : { finalResolvers: own(finalResolvers) }),
    };
    const selfCheck = createSelfCheck(options);
    const view = { selfCheck, preflight: createPreflight({ ...options, selfCheck }) };
    made.set(key, view);
    const [oldest] = made.keys();
    if (made.size > maxSpecs && oldest !== undefined) made.delete(oldest);
    return view;
  };
}

function serversOf(list: readonly string[], clock: Clock): StartingServers {
  return listedServers(parseNameserverList(list.join(',')), clock);
}
