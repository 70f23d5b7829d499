import { NameserverListError } from '@zoneproof/core';
import { UsageError } from './context.ts';
import { selfCheckResolvers } from './standalone.ts';

/** The servers of `--dns01-self-check-nameservers`, or those of the system. @throws UsageError for a list that is none */
export function resolversOf(list: string | undefined): ReturnType<typeof selfCheckResolvers> {
  try {
    return selfCheckResolvers(list);
  } catch (error) {
    if (!(error instanceof NameserverListError)) throw error;
    throw new UsageError(`--dns01-self-check-nameservers: ${error.problems.join('; ')}`);
  }
}
