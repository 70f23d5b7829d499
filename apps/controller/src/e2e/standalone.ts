import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createEgress,
  createRegistry,
  type ProviderPlugin,
  type ProviderRegistry,
  systemTimers,
} from '@zoneproof/core';
import type { DnsServer, DnsTransport } from '@zoneproof/dns';
import type { EffectHook } from '../effects/effects.ts';
import { loadManifests, showProblem } from '../manifests/index.ts';
import type { Report } from '../reconcile/services.ts';
import { type Controller, startController } from '../runtime/controller.ts';
import { FileStore } from '../store/index.ts';
import type { Tenancy } from '../tenancy/index.ts';

/** A whole standalone controller inside the test's process, over real files, sockets and servers. */
export interface Standalone {
  readonly directory: string;
  readonly stateDir: string;
  readonly store: FileStore;
  readonly controller: Controller;
  readonly reports: readonly Report[];
  /** Replaces the manifests, as an edit of the watched directory does. */
  apply(manifests: Readonly<Record<string, string>>): Promise<void>;
  /** Stops and starts again on the same state. */
  close(): Promise<void>;
  remove(): Promise<void>;
}

export interface StandaloneOptions {
  readonly manifests: Readonly<Record<string, string>>;
  readonly transport: DnsTransport;
  readonly resolvers: readonly DnsServer[];
  /** One of an earlier controller, to go on with. */
  readonly directory?: string;
  readonly hook?: EffectHook;
  readonly plugins: readonly ProviderPlugin[];
  /** As in Kubernetes, where Issuers are tenants'; absent: everything is allowed. */
  readonly tenancy?: Tenancy;
}

export function registryOf(plugins: readonly ProviderPlugin[]): ProviderRegistry {
  return createRegistry(
    plugins.map(({ key }) => ({ key, packageName: `@zoneproof/provider-${key}`, version: '0.0.0', directory: '' })),
    { importPlugin: async ({ key }) => ({ default: plugins.find((plugin) => plugin.key === key) }) },
  );
}

export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'zoneproof-e2e-')));
  const stateDir = join(directory, 'state');
  const registry = registryOf(options.plugins);
  const clock = { now: () => Date.now() };
  const reports: Report[] = [];
  const store = await FileStore.open({ stateDir, clock });
  const egress = createEgress({ dns: options.transport });
  const apply = async (manifests: Readonly<Record<string, string>>): Promise<void> => {
    const source = join(directory, 'manifests');
    await rm(source, { recursive: true, force: true });
    await mkdir(source, { recursive: true });
    await Promise.all(Object.entries(manifests).map(([file, text]) => writeFile(join(source, file), text)));
    const { objects, problems } = await loadManifests([source], { registry });
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Error(errors.map(showProblem).join('\n'));
    await store.applyManifests(objects);
  };
  await apply(options.manifests);
  const controller = startController({
    store,
    registry,
    egress,
    resolvers: () => options.resolvers,
    confirmAfterMs: 100,
    clock,
    timers: systemTimers,
    random: (length) => randomBytes(length),
    userAgent: 'zoneproof/test',
    report: (report) => reports.push(report),
    ...(options.hook === undefined ? {} : { hook: options.hook }),
    ...(options.tenancy === undefined ? {} : { tenancy: options.tenancy }),
  });
  const close = async (): Promise<void> => {
    await controller.stop();
    await store.close();
    await egress.close();
  };
  return {
    directory,
    stateDir,
    store,
    controller,
    reports,
    apply,
    close,
    remove: async () => {
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
