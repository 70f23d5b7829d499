import type { Capabilities, DnsProvider, ProviderHost, ProviderPlugin } from '../contract/index.ts';
import type { ProviderBlock } from './ledger.ts';

/** A provider block together with the code that serves it. */
export interface BoundProvider {
  readonly block: ProviderBlock;
  /** For messages: `rfc2136 "lab"`. */
  readonly displayName: string;
  /** `key:account(config)`: what shares it shares limits and queues. */
  readonly account: string;
  readonly capabilities: Capabilities;
  readonly provider: DnsProvider;
}

/** Constructs the provider of one block. The block's config must have been validated. */
export function bindProvider(plugin: ProviderPlugin, block: ProviderBlock, host: ProviderHost): BoundProvider {
  // The registry has held the config against the plugin's own schema: here its type is known only as `object`.
  const config = block.config as Parameters<ProviderPlugin['create']>[0];
  return {
    block,
    displayName: `${block.key} "${block.name}"`,
    account: `${block.key}:${plugin.account(config)}`,
    capabilities: plugin.capabilities,
    provider: plugin.create(config, host),
  };
}
