import {
  createEgress,
  type Egress,
  type EgressOptions,
  listedServers,
  type ProviderRegistry,
  parseNameserverList,
  type SelfCheckMode,
  type StartingServers,
  systemClock,
  systemRandom,
  systemServers,
  systemTimers,
} from '@zoneproof/core';
import { effectRunner } from '../effects/effects.ts';
import { loadManifests, type ManifestObject, type ManifestProblem } from '../manifests/index.ts';
import type { Report } from '../reconcile/services.ts';
import { type Controller, startController } from '../runtime/controller.ts';
import type { Observer } from '../runtime/observer.ts';
import { FileStore, type OnWrite } from '../store/index.ts';
import type { CommandContext } from './context.ts';
import { runOnIssued } from './on-issued.ts';
import { packageVersion } from './program.ts';

export interface StandaloneOptions {
  readonly paths: readonly string[];
  readonly stateDir: string;
  readonly secretsDir?: string;
  readonly registry: ProviderRegistry;
  readonly resolvers: StartingServers;
  readonly selfCheckMode?: SelfCheckMode;
  readonly report: (report: Report) => void;
  /** Absent: nobody measures. */
  readonly observer?: Observer & { readonly storeWrite: OnWrite };
}

/** A controller on a directory of manifests. */
export interface Standalone {
  readonly store: FileStore;
  readonly controller: Controller;
  /** Reads the manifests again and puts them to use unless one is broken. */
  reload(): Promise<readonly ManifestProblem[]>;
  stop(): Promise<void>;
}

/** Raised before anything was opened or sent. */
export class ManifestsError extends Error {
  readonly problems: readonly ManifestProblem[];

  constructor(problems: readonly ManifestProblem[]) {
    super('the manifests are invalid');
    this.name = 'ManifestsError';
    this.problems = problems;
  }
}

/** @throws ManifestsError when a manifest is broken; StateDirError when the state directory cannot be used */
export async function startStandalone(
  options: StandaloneOptions,
  context: CommandContext,
): Promise<Standalone & { readonly problems: readonly ManifestProblem[] }> {
  const { paths, secretsDir, registry, observer } = options;
  const load = (): ReturnType<typeof loadManifests> =>
    loadManifests(paths, { registry, ...(secretsDir === undefined ? {} : { secretsDir }) });
  const { objects, problems } = await load();
  if (hasErrors(problems)) throw new ManifestsError(problems);

  const store = await FileStore.open({
    stateDir: options.stateDir,
    ...(secretsDir === undefined ? {} : { secretsDir }),
    clock: context.clock,
    ...(observer === undefined ? {} : { onWrite: observer.storeWrite }),
  });
  const egress = openEgress(context);
  const run = effectRunner(context.inputs.hook);
  const apply = (manifests: readonly ManifestObject[]): Promise<void> =>
    run('manifests.store', () => store.applyManifests(manifests));
  let controller: Controller | undefined;
  const stop = async (): Promise<void> => {
    await controller?.stop();
    await store.close();
    await egress.close();
  };
  try {
    await apply(objects);
    const running = startController({
      store,
      registry,
      egress,
      resolvers: options.resolvers,
      ...(options.selfCheckMode === undefined ? {} : { selfCheckMode: options.selfCheckMode }),
      clock: context.clock,
      timers: systemTimers,
      random: systemRandom,
      userAgent: `zoneproof/${packageVersion()}`,
      report: options.report,
      onIssued: (certificate) => runOnIssued(certificate, options.stateDir, options.report, context),
      ...(observer === undefined ? {} : { observer }),
      ...(context.inputs.hook === undefined ? {} : { hook: context.inputs.hook }),
    });
    controller = running;
    store.control.handle(async (request) => {
      if (request.do !== 'renew') return { ok: false, message: 'This zoneproof does not know the request.' };
      const refusal = await running.renew(request.namespace, request.name);
      return refusal === undefined ? { ok: true } : { ok: false, message: refusal };
    });
    let applied: readonly ManifestObject[] = objects;
    const reload = async (): Promise<readonly ManifestProblem[]> => {
      const next = await load();
      if (hasErrors(next.problems)) return next.problems;
      applied = next.objects;
      await apply(applied);
      running.reload();
      return next.problems;
    };
    return { store, controller: running, problems, reload, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Where the self check starts: the listed servers, or those of /etc/resolv.conf as it is at each use.
 *
 * @throws NameserverListError
 */
export function selfCheckResolvers(list: string | undefined): StartingServers {
  return list === undefined ? systemServers() : listedServers(parseNameserverList(list), systemClock);
}

/** The one way out of the process, with the proxy settings of the environment. */
export function openEgress(
  { env, inputs }: CommandContext,
  options: Pick<EgressOptions, 'addressRule' | 'beforeSend'> = {},
): Egress {
  const httpsProxy = env.HTTPS_PROXY ?? env.https_proxy;
  const httpProxy = env.HTTP_PROXY ?? env.http_proxy;
  const noProxy = env.NO_PROXY ?? env.no_proxy;
  return createEgress({
    proxy: { ...(httpsProxy && { httpsProxy }), ...(httpProxy && { httpProxy }), ...(noProxy && { noProxy }) },
    ...(inputs.transport === undefined ? {} : { dns: inputs.transport }),
    userAgent: `zoneproof/${packageVersion()}`,
    ...options,
  });
}

function hasErrors(problems: readonly ManifestProblem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}
