import type { ObjectMeta } from './types.ts';

/**
 * On a Secret: `"true"` hands it over to the Certificate whose `secretName` it is. Whoever may write it says so; a
 * Certificate alone takes no Secret that zoneproof did not make.
 */
export const adoptAnnotation = 'zoneproof.dev/adopt';

/** Whether a Secret that no object of ours owns may be taken over. */
export function isHandedOver({ owner, annotations }: Pick<ObjectMeta, 'owner' | 'annotations'>): boolean {
  return owner === undefined && annotations?.[adoptAnnotation] === 'true';
}
