import {
  createPreflight,
  createSelfCheck,
  listedServers,
  type Preflight,
  type PreflightOptions,
  parseNameserverList,
  type SelfCheck,
  type SelfCheckOptions,
} from '@zoneproof/core';
import type { SelfCheckSpec } from '../resources/types.ts';

/** The DNS as one way of asking shows it. */
export interface DnsView {
  readonly selfCheck: SelfCheck;
  readonly preflight: Preflight;
}

/** Specs of Issuers that are remembered; the oldest go first. */
const maxSpecs = 100;

/**
 * A view for each way that Issuers want to ask; Issuers that want the same share one, with what it knows of zones and
 * its rounds.
 *
 * @param defaults for what a spec leaves out
 */
export function createDnsViews(
  defaults: SelfCheckOptions & Pick<PreflightOptions, 'onFinding'>,
): (spec: SelfCheckSpec | undefined) => DnsView {
  const made = new Map<string, DnsView>();
  return (spec = {}) => {
    const { mode, nameservers, finalResolvers } = spec;
    const key = JSON.stringify([mode, nameservers, finalResolvers]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const options = {
      ...defaults,
      ...(mode === undefined ? {} : { mode }),
      ...(nameservers === undefined ? {} : { resolvers: serversOf(nameservers, defaults) }),
      ...(finalResolvers === undefined ? {} : { finalResolvers: serversOf(finalResolvers, defaults) }),
    };
    const selfCheck = createSelfCheck(options);
    const view = { selfCheck, preflight: createPreflight({ ...options, selfCheck }) };
    made.set(key, view);
    const [oldest] = made.keys();
    if (made.size > maxSpecs && oldest !== undefined) made.delete(oldest);
    return view;
  };
}

function serversOf(list: readonly string[], { clock }: SelfCheckOptions) {
  return listedServers(parseNameserverList(list.join(',')), clock);
}
