import type { ProviderError } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { fromWireName } from './wire-names.ts';

/**
 * Why Route 53 refused one change of a batch:
 *
 * exists      a set of this name, type and identifier is there already
 * not-found   there is none
 * differs     there is one, and TTL or values are not those of the deletion
 * other-kind  sets of another routing policy stand there: simple, multivalue, weighted sets exclude each other
 * outside     the name is not one of this zone
 * cname       a CNAME stands there
 * unclear     anything else
 */
export type BlameReason = 'exists' | 'not-found' | 'differs' | 'other-kind' | 'outside' | 'cname' | 'unclear';

export interface Blame {
  readonly name: DnsName;
  readonly reason: BlameReason;
  /** In Route 53's words. */
  readonly text: string;
}

/** A batch that Route 53 refused for what its changes say; nothing of it was carried out. */
export class BatchRefused extends Error {
  /** A list, or one text `[..., ...]`. */
  readonly messages: readonly string[];
  /** For when none of the names is to blame. */
  readonly error: ProviderError;

  constructor(messages: readonly string[], error: ProviderError) {
    super(error.message);
    this.messages = messages;
    this.error = error;
  }
}

// As users quote them: kubernetes-sigs/external-dns issues 5939, 4345, 3945, 3203, hashicorp/terraform-provider-aws 37806,
// cert-manager/cert-manager 5388, getmoto/moto 916, hashicorp/terraform 9732. The API reference shows none but the first.
const reasons: readonly (readonly [text: RegExp, reason: BlameReason])[] = [
  [/^Tried to create .*but it already exists$/s, 'exists'],
  [/^Tried to delete .*but it was not found$/s, 'not-found'],
  [/^Tried to delete .*but the values provided do not match the current values$/s, 'differs'],
  [/^RRSet .* cannot be created (?:as|because) .*with the same name[ ,]/s, 'other-kind'],
  [/^RRSet .* is not permitted in zone /s, 'outside'],
  [/^RRSet .* is not permitted because a conflicting RRSet of type\s+CNAME /s, 'cname'],
];

/**
 * Which of the names of a batch are to blame, and for what. Words that are not known make a reason `unclear`, and a
 * message that holds none of the names is left out. Pure.
 */
export function readBlames(messages: readonly string[], names: ReadonlySet<DnsName>): readonly Blame[] {
  return messages.flatMap(split).flatMap((text): readonly Blame[] => {
    const words = text.split(/[\s'",[\]]+/).map((word) => fromWireName(word));
    // The first one: what follows may be the zone.
    const name = words.find((word) => word !== undefined && names.has(word));
    const reason = reasons.find(([form]) => form.test(text.replace(/[.\s]+$/, '')))?.[1] ?? 'unclear';
    return name === undefined ? [] : [{ name, reason, text }];
  });
}

function split(message: string): readonly string[] {
  const list = message.startsWith('[') && message.endsWith(']') ? message.slice(1, -1) : message;
  return list.split(/,\s+(?=Tried to |RRSet |Invalid |Duplicate |The request )/);
}
