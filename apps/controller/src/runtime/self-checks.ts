import {
  createSelfCheck,
  listedServers,
  parseNameserverList,
  type SelfCheck,
  type SelfCheckOptions,
} from '@zoneproof/core';
import type { SelfCheckSpec } from '../resources/types.ts';

/** Specs of Issuers that are remembered; the oldest go first. */
const maxSpecs = 100;

/**
 * A self check for each way that Issuers want it; Issuers that want the same share one, with what it knows of zones
 * and its rounds.
 *
 * @param defaults for what a spec leaves out
 */
export function createSelfChecks(defaults: SelfCheckOptions): (spec: SelfCheckSpec | undefined) => SelfCheck {
  const made = new Map<string, SelfCheck>();
  return (spec = {}) => {
    const { mode, nameservers, finalResolvers } = spec;
    const key = JSON.stringify([mode, nameservers, finalResolvers]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const selfCheck = createSelfCheck({
      ...defaults,
      ...(mode === undefined ? {} : { mode }),
      ...(nameservers === undefined ? {} : { resolvers: serversOf(nameservers, defaults) }),
      ...(finalResolvers === undefined ? {} : { finalResolvers: serversOf(finalResolvers, defaults) }),
    });
    made.set(key, selfCheck);
    const [oldest] = made.keys();
    if (made.size > maxSpecs && oldest !== undefined) made.delete(oldest);
    return selfCheck;
  };
}

function serversOf(list: readonly string[], { clock }: SelfCheckOptions) {
  return listedServers(parseNameserverList(list.join(',')), clock);
}
