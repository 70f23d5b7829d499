import type { Egress, ProviderBlock, ProviderPlugin } from '@zoneproof/core';
import type { DnsTransport } from '@zoneproof/dns';
import type { Issuer } from '../resources/types.ts';
import { type BlockRules, blockProblem } from './block-problem.ts';

/** What the Issuers of one kind may reach and use. */
export interface Rights {
  /** The way to the CA and to the servers of `selfCheck` that the Issuer names. */
  readonly egress: Egress;
  /** The way of a provider. @throws Problem when the block asks for what such an Issuer may not have */
  egressOf(plugin: ProviderPlugin, block: ProviderBlock): Egress;
}

/**
 * Who may do what. A ClusterIssuer is written by whoever runs the cluster; an Issuer by whoever has its namespace, and must
 * not lead the controller to where its writer could not go, nor lend it credentials that are not theirs.
 */
export interface Tenancy {
  of(kind: Issuer['kind']): Rights;
  /**
   * The way to name servers found in the DNS. Whoever has a Certificate names the zone, and the zone names its servers, also
   * where the Issuer is a ClusterIssuer.
   */
  readonly foundDns: DnsTransport;
}

/** Everybody may do everything: standalone, where whoever writes manifests runs the process. */
export function everythingAllowed(egress: Egress): Tenancy {
  const rights: Rights = { egress, egressOf: () => egress };
  return { of: () => rights, foundDns: egress.dns };
}

export interface TenancyOptions extends BlockRules {
  /** Free of any rule. */
  readonly egress: Egress;
  /** One more, which asks the address rule; connections are not shared between the two. */
  readonly ruledEgress: Egress;
}

/** Kubernetes: Issuers of namespaces are tenants. Closes neither egress. */
export function createTenancy({ egress, ruledEgress, ...rules }: TenancyOptions): Tenancy {
  const operator: Rights = { egress, egressOf: () => egress };
  const tenant: Rights = {
    egress: ruledEgress,
    egressOf(plugin, block) {
      const problem = blockProblem(plugin, block, rules);
      if (problem !== undefined) throw problem;
      // Such credentials come from loopback, link-local and metadata addresses, which the process's surroundings name; the
      // block itself can name no host but one that is allowed.
      return plugin.ambient?.(block.config as never) === true ? egress : ruledEgress;
    },
  };
  return { of: (kind) => (kind === 'ClusterIssuer' ? operator : tenant), foundDns: ruledEgress.dns };
}
