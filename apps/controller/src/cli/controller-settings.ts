import type { SelfCheckMode, StartingServers } from '@zoneproof/core';
import { leaseDurations } from '../kubernetes/lease/index.ts';
import {
  type AllowedEndpoints,
  AllowedEndpointsError,
  type Cidr,
  CidrError,
  parseAllowedEndpoints,
  parseCidrs,
} from '../tenancy/index.ts';
import { UsageError } from './context.ts';
import { durationOf } from './duration-option.ts';
import { resolversOf } from './resolvers-option.ts';

/** The options of `zoneproof controller` as they are given. */
export interface ControllerOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly clusterResourceNamespace?: string;
  readonly dns01SelfCheckNameservers?: string;
  readonly dns01SelfCheckMode: SelfCheckMode;
  readonly metricsListen: string;
  readonly logFormat: 'text' | 'json';
  readonly pluginDir?: readonly string[];
  readonly issuerAmbientCredentials: boolean;
  readonly allowedEndpoints?: string;
  readonly deniedCidrs?: string;
  readonly watchSecrets: boolean;
  readonly secretResync: string;
  readonly leaseName: string;
  readonly leaseDuration: string;
  readonly shutdownTimeout: string;
}

/** What they mean. */
export interface ControllerSettings {
  /** Empty: all, and ClusterIssuers. */
  readonly namespaces: readonly string[];
  readonly resolvers: StartingServers;
  readonly selfCheckMode: SelfCheckMode;
  readonly ambientCredentials: boolean;
  readonly allowedEndpoints: AllowedEndpoints;
  readonly deniedCidrs: readonly Cidr[];
  readonly watchSecrets: boolean;
  readonly secretResyncMs: number;
  readonly leaseName: string;
  readonly leaseDurationMs: number;
  readonly shutdownTimeoutMs: number;
}

/** RFC 1123, as the API server has it. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** @throws UsageError that names the option */
export function controllerSettings(options: ControllerOptions): ControllerSettings {
  const namespaces = [...new Set(options.namespace)];
  for (const name of namespaces) checkNamespace('--namespace', name);
  const { clusterResourceNamespace, leaseName } = options;
  if (clusterResourceNamespace !== undefined) checkNamespace('--cluster-resource-namespace', clusterResourceNamespace);
  if (!subdomain.test(leaseName) || leaseName.length > 253)
    throw new UsageError(`--lease-name: "${leaseName}" is no name of an object.`);
  return {
    namespaces,
    resolvers: resolversOf(options.dns01SelfCheckNameservers),
    selfCheckMode: options.dns01SelfCheckMode,
    ambientCredentials: options.issuerAmbientCredentials,
    allowedEndpoints: parsed('--allowed-endpoints', () => parseAllowedEndpoints(options.allowedEndpoints ?? '')),
    deniedCidrs: parsed('--denied-cidrs', () => parseCidrs(options.deniedCidrs ?? '')),
    watchSecrets: options.watchSecrets,
    secretResyncMs: durationOf('--secret-resync', options.secretResync, { least: 10_000, most: 86_400_000 }),
    leaseName,
    leaseDurationMs: durationOf('--lease-duration', options.leaseDuration, leaseDurations),
    shutdownTimeoutMs: durationOf('--shutdown-timeout', options.shutdownTimeout, { least: 1_000, most: 3_600_000 }),
  };
}

function checkNamespace(option: string, name: string): void {
  if (!label.test(name)) throw new UsageError(`${option}: "${name}" is no name of a namespace.`);
}

function parsed<T>(option: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CidrError) && !(error instanceof AllowedEndpointsError)) throw error;
    throw new UsageError(`${option}: ${error.message}`);
  }
}
