import { type DnsName, DnsNameError, toDnsName } from '@zoneproof/dns';
import type { Zone } from '../contract/index.ts';
import type { Location } from '../selfcheck/types.ts';
import type { BoundProvider } from '../writer/index.ts';
import type { PreflightCa } from './ca.ts';
import type { ProbeWriter } from './write-probe.ts';

/** What shall be issued, by whom, and through which providers. What is left out is not looked at. */
export interface PreflightTarget {
  /** Names of a certificate: `www.example.com`, `*.example.com`. */
  readonly names: readonly string[];
  readonly ca?: PreflightCa;
  /** Names that a CAA record has to hold, where no `ca` tells them: `['letsencrypt.org']`. */
  readonly caaIdentities?: readonly string[];
  readonly providers?: readonly BoundProvider[];
  /** Chooses the provider of a domain; default: the first of `providers`, by its own zones. */
  readonly route?: (
    domain: DnsName,
    location: Location,
    signal: AbortSignal,
  ) => Promise<{ readonly provider: BoundProvider; readonly zone: Zone }>;
  /**
   * The challenge name of the domain is known to be an alias: where nobody but resolvers can be asked, they may be asked
   * for that. Default: where there is no `route` and the first provider is one that names have to be delegated to.
   */
  readonly isDelegated?: (domain: DnsName) => boolean;
  /** Writes a probe value for each domain, and removes it. */
  readonly probe?: ProbeWriter;
}

/** Apex and wildcard are proven at one name. @throws DnsNameError */
export function domainsOf({ names }: Pick<PreflightTarget, 'names'>): readonly DnsName[] {
  return [...new Set(names.map(domainOf))];
}

/** The names that one domain proves, in A-labels: `example.com`, `*.example.com`. */
export function namesOf({ names }: Pick<PreflightTarget, 'names'>, domain: DnsName): readonly string[] {
  const own = names.filter((name) => domainOf(name) === domain);
  return [...new Set(own.map((name) => (name.startsWith('*.') ? `*.${domain}` : domain)))];
}

function domainOf(name: string): DnsName {
  const domain = toDnsName(name.startsWith('*.') ? name.slice(2) : name);
  if (domain === '') throw new DnsNameError(name, 'it is empty');
  return domain;
}
