import type { Capabilities, DnsProvider, ProviderHost, ProviderPlugin } from '../contract/index.ts';
import type { ProviderBlock } from './ledger.ts';

/** A provider block together with the code that serves it. */
export interface BoundProvider {
  readonly block: ProviderBlock;
  /** For messages: see {@link providerTitle}. */
  readonly displayName: string;
  /** `key:account(config)`: what shares it shares limits and queues. */
  readonly account: string;
  readonly capabilities: Capabilities;
  readonly provider: DnsProvider;
  /** See ProviderPlugin.zoneField. */
  readonly zoneField?: string;
}

/**
 * How messages call a provider: `edgedns "prod" (Cloudflare)`. The vendor is left out where the key tells it already:
 * `acmedns "delegated"`.
 */
export function providerTitle({ key, displayName }: ProviderPlugin, name: string): string {
  const isTold = displayName
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .startsWith(key.toLowerCase());
  return isTold ? `${key} "${name}"` : `${key} "${name}" (${displayName})`;
}

/** Constructs the provider of one block. The block's config must have been validated. */
export function bindProvider(
  plugin: ProviderPlugin,
  block: ProviderBlock,
  host: Omit<ProviderHost, 'providerName'>,
): BoundProvider {
  // The registry has held the config against the plugin's own schema: here its type is known only as `object`.
  const config = block.config as Parameters<ProviderPlugin['create']>[0];
  const displayName = providerTitle(plugin, block.name);
  return {
    block,
    displayName,
    account: `${block.key}:${plugin.account(config, namespaceOf(block))}`,
    capabilities: plugin.capabilities,
    provider: plugin.create(config, { ...host, providerName: displayName }),
    ...(plugin.zoneField === undefined ? {} : { zoneField: plugin.zoneField }),
  };
}

/** Where the Secrets of a block are; '' for a ClusterIssuer, whose Secrets are all in one place. */
export function namespaceOf({ issuer }: ProviderBlock): string {
  return issuer.split('/')[1] ?? '';
}
