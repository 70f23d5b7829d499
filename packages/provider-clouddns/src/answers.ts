import { ProviderError } from '@zoneproof/core';
import type { Asked } from './errors.ts';
import { parseObject } from './service-account.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A body of a 2xx as the SDK can digest it: an object whose lists hold only what has a name. The SDK throws, in a
 * callback of its own, over what lacks one.
 *
 * @throws ProviderError `unavailable` for what is no answer of the API: a page of a proxy, a list that is none
 */
export function readAnswer(body: string, { at, what, isWrite }: Asked): object {
  const answer = parseObject(body);
  const lists = (['managedZones', 'rrsets'] as const).filter((member) => answer?.[member] !== undefined);
  if (answer === undefined || !lists.every((member) => Array.isArray(answer[member]))) {
    const message = `${at}: the answer to ${what} is none of Cloud DNS. Check endpoint and the proxies on the way.`;
    throw new ProviderError({ kind: 'unavailable', message, ...(isWrite && { sent: true }) });
  }
  const whole = (item: unknown): item is Fields => {
    const { name, type } = (typeof item === 'object' && item !== null ? item : {}) as Fields;
    return typeof name === 'string' && name !== '' && (type === undefined || typeof type === 'string');
  };
  const typed = ({ type }: Fields) => type !== undefined;
  return {
    ...answer,
    ...(answer.managedZones !== undefined && { managedZones: (answer.managedZones as unknown[]).filter(whole) }),
    ...(answer.rrsets !== undefined && { rrsets: (answer.rrsets as unknown[]).filter(whole).filter(typed) }),
  };
}
