import { systemRandom, systemTimers } from '@zoneproof/core';
import {
  connectKubeApi,
  type EndedRequest,
  isKubeApiError,
  type KubeApi,
  KubeConfigError,
} from '../kubernetes/index.ts';
import { kindsProblem } from '../kubernetes/served-kinds.ts';
import { type CommandContext, CommandError } from './context.ts';
import { packageVersion } from './program.ts';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** @throws CommandError when there is no cluster, it does not answer, or it does not serve our kinds */
export async function connectCluster(
  { kubeconfig, context: name }: ClusterOptions,
  context: CommandContext,
  { signal, onRequest }: { readonly signal: AbortSignal; readonly onRequest: (request: EndedRequest) => void },
): Promise<KubeApi> {
  const api = await connectKubeApi({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(name !== undefined && { context: name }),
    clock: context.clock,
    timers: systemTimers,
    random: systemRandom,
    userAgent: `zoneproof/${packageVersion()}`,
    onRequest,
  }).catch(rethrow);
  try {
    const problem = await kindsProblem(api, signal);
    if (problem !== undefined) throw new CommandError(problem);
    return api;
  } catch (error) {
    api.close();
    return rethrow(error);
  }
}

/** What the cluster refuses is for whoever runs it to cure, and no fault of the program. */
export function rethrow(error: unknown): never {
  if (error instanceof KubeConfigError) throw new CommandError(error.message);
  if (isKubeApiError(error, 'NoAnswer'))
    throw new CommandError(`${error.message} Check that it runs, and that the kubeconfig names the right one.`);
  if (isKubeApiError(error)) throw new CommandError(error.message);
  throw error;
}
