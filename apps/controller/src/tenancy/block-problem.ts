import type { ProviderBlock, ProviderPlugin } from '@zoneproof/core';
import { Problem } from '../reconcile/problem.ts';
import type { AllowedEndpoints } from './allowed-endpoints.ts';

export interface BlockRules {
  /** `--issuer-ambient-credentials`. */
  readonly ambientCredentials: boolean;
  /** `--allowed-endpoints`. */
  readonly allowedEndpoints: AllowedEndpoints;
}

/** What of a provider's block an Issuer of a namespace may not have; undefined when there is no such thing. Pure. */
export function blockProblem(
  plugin: Pick<ProviderPlugin, 'ambient'>,
  { key, name, config }: Pick<ProviderBlock, 'key' | 'name' | 'config'>,
  { ambientCredentials, allowedEndpoints }: BlockRules,
): Problem | undefined {
  const at = `${key} "${name}"`;
  const { endpoint, caBundle, host } = config as Readonly<Record<string, unknown>>;
  if (!ambientCredentials && plugin.ambient?.(config as never) === true)
    return new Problem(
      'AmbientCredentialsNotAllowed',
      `${at}: it names no Secret, and the controller's own credentials are not for Issuers of namespaces. Name a Secret, use a ClusterIssuer, or have --issuer-ambient-credentials set.`,
      'change',
    );
  if (endpoint !== undefined && !isAllowed(endpoint, allowedEndpoints))
    return new Problem(
      'EndpointNotAllowed',
      `${at}: endpoint ${hostOf(endpoint)} is not one that Issuers of namespaces may name. Leave it out, use a ClusterIssuer, or have the host added to --allowed-endpoints.`,
      'change',
    );
  // What a CA bundle is for: the host that the block names.
  const trusted = endpoint ?? host;
  if (caBundle !== undefined && !isAllowed(trusted, allowedEndpoints))
    return new Problem(
      'EndpointNotAllowed',
      `${at}: caBundle is for ${trusted === undefined ? 'the service itself' : hostOf(trusted)}, which is not among the hosts that Issuers of namespaces may give one for. Leave it out, use a ClusterIssuer, or have the host added to --allowed-endpoints.`,
      'change',
    );
  return undefined;
}

function isAllowed(url: unknown, allowed: AllowedEndpoints): boolean {
  return typeof url === 'string' && allowed.allowsUrl(url);
}

/** Nothing but the host: what else stands in a URL may be a secret. */
function hostOf(url: unknown): string {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : 'that is no URL';
}
