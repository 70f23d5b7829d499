import { requestControl } from '../store/control-socket.ts';
import { readState } from '../store/file-store.ts';
import type { FromCluster } from './cluster-status.ts';
import { type CommandContext, CommandError } from './context.ts';

interface Options extends FromCluster {
  readonly namespace: string;
  readonly state: string;
}

/** `zoneproof renew`: hands the wish to the process that holds the state directory, or to the cluster. */
export async function renew(name: string, options: Options, context: CommandContext): Promise<number> {
  const { namespace, state } = options;
  if (options.fromCluster) {
    const { requestRenewal, withCluster } = await import('./cluster-status.ts');
    await withCluster(options, context, (api, signal) =>
      requestRenewal(api, namespace, name, context.clock.now(), signal),
    );
    tell(name, namespace, '--from-cluster', context);
    return 0;
  }
  const answer = await requestControl(state, { do: 'renew', namespace, name });
  if (answer === 'not-running') {
    const { certificates } = await readState(state);
    if (certificates.length === 0)
      throw new CommandError(`${state} holds no certificates. Give the directory of zoneproof run with --state.`);
    throw new CommandError(
      `no zoneproof process is running on ${state}. Start one with zoneproof run; what is due is renewed by itself.`,
    );
  }
  if (!answer.ok)
    throw new CommandError(`${answer.message} zoneproof status --state ${state} lists the certificates there are.`);
  tell(name, namespace, `--state ${state}`, context);
  return 0;
}

function tell(name: string, namespace: string, where: string, context: CommandContext): void {
  context.out.write(
    `Certificate ${namespace}/${name} is being renewed. Watch it with: zoneproof status ${name} -n ${namespace} ${where} --watch\n`,
  );
}
