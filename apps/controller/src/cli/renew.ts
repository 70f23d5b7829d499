import { requestControl } from '../store/control-socket.ts';
import { readState } from '../store/file-store.ts';
import { type CommandContext, CommandError } from './context.ts';

/** `zoneproof renew`: hands the wish to the process that holds the state directory. */
export async function renew(
  name: string,
  { namespace, state }: { readonly namespace: string; readonly state: string },
  context: CommandContext,
): Promise<number> {
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
  context.out.write(
    `Certificate ${namespace}/${name} is being renewed. Watch it with: zoneproof status ${name} -n ${namespace} --state ${state} --watch\n`,
  );
  return 0;
}
