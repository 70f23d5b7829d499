import { randomBytes } from 'node:crypto';
import {
  type CallContext,
  createEgress,
  type DnsProvider,
  type Egress,
  ProviderError,
  SecretValue,
  type TxtChange,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { Secrets } from '@zoneproof/provider-testkit';
import type { ClouddnsConfig } from '../config.ts';
import { createClouddnsProvider } from '../provider.ts';

/** What a test may set of the host that a provider runs in. */
export interface BenchOptions {
  readonly secrets?: () => Secrets;
  readonly egress?: Egress;
  readonly now?: () => number;
}

/** A provider outside a controller, and the permits that it took. */
export interface Bench {
  readonly provider: DnsProvider;
  /** Names of buckets; `api` where none was named. */
  readonly permits: readonly string[];
  call(signal?: AbortSignal): CallContext;
  close(): Promise<void>;
}

export function startBench(config: ClouddnsConfig, options: BenchOptions = {}): Bench {
  const { secrets = (): Secrets => ({}), now = Date.now } = options;
  const own = options.egress ? undefined : createEgress();
  const egress = options.egress ?? (own as Egress);
  const permits: string[] = [];
  const provider = createClouddnsProvider(config, {
    providerName: 'clouddns "bench" (Google Cloud DNS)',
    egress,
    dns: egress.dns,
    clock: { now },
    random: (length) => randomBytes(length),
    secret: (ref) => ({
      get: async () => {
        const text = secrets()[ref.name]?.[ref.key];
        if (text !== undefined) return new SecretValue(Buffer.from(text));
        throw new ProviderError({ kind: 'auth', message: `Secret "${ref.name}" has no entry "${ref.key}"` });
      },
    }),
    warn: () => undefined,
  });
  return {
    provider,
    permits,
    call: (signal = AbortSignal.timeout(10_000)) => ({
      signal,
      deadlineAt: Date.now() + 10_000,
      permit: async (bucket = 'api') => {
        signal.throwIfAborted();
        permits.push(bucket);
      },
    }),
    close: async () => own?.close(),
  };
}

/** A change as the writer asks for it. */
export function wanted(
  state: 'present' | 'absent',
  domain: string,
  value: string,
  held: readonly string[] = [],
): TxtChange {
  const name = toDnsName(`_acme-challenge.${domain}`);
  return { state, name, value, ttl: 60, held: { values: held, ttl: held.length > 0 ? 60 : undefined } };
}
