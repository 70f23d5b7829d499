import type { ProviderError } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { fromWireName } from './wire-names.ts';

/**
 * Why Route 53 refused one change of a batch:
 *
 * exists      a set of this name, type and identifier is there already
 * not-found   there is none
 * differs     there is one, and TTL or values are not those of the deletion
 * other-kind  a simple set beside multivalue sets, or the other way round
 * outside     the name is not one of this zone
 * other       anything else
 */
export type BlameReason = 'exists' | 'not-found' | 'differs' | 'other-kind' | 'outside' | 'other';

export interface Blame {
  readonly name: DnsName;
  readonly setIdentifier: string | undefined;
  readonly reason: BlameReason;
  /** In Route 53's words. */
  readonly text: string;
}

/** A batch that Route 53 refused for what some of its changes say; nothing of it was carried out. */
export class BatchRefused extends Error {
  readonly blames: readonly Blame[];
  /** For when none of the names is to blame. */
  readonly error: ProviderError;

  constructor(blames: readonly Blame[], error: ProviderError) {
    super(error.message);
    this.blames = blames;
    this.error = error;
  }
}

type Form = readonly [form: RegExp, reason: (words: string) => BlameReason];

// `name`, `id` and `words` are named groups. Forms as users quote them: external-dns#5939, cert-manager#5388 and #2011, moto#916;
// the second one is that of the API reference of ChangeResourceRecordSets.
const forms: readonly Form[] = [
  [
    /^Tried to (?:create|delete) resource record set \[name='(?<name>[^']*)', type='TXT'(?:, set-identifier='(?<id>.*)')?\] but (?<words>.*)$/s,
    stateOf,
  ],
  [/^Tried to (?:create|delete) resource record set (?<name>\S+) type TXT, ?but (?<words>.*)$/s, stateOf],
  [/^RRSet with DNS name (?<name>\S+) is not permitted in zone (?<words>.*)$/s, () => 'outside'],
  [
    /^RRSet with DNS name (?<name>\S+), type TXT(?:, SetIdentifier (?:null|"(?<id>.*)"))? cannot be created (?<words>.*)$/s,
    () => 'other-kind',
  ],
  [/^RRSet of type TXT with DNS name (?<name>\S+) is (?<words>.*)$/s, () => 'other'],
  [/invalid set of changes for a resource record set 'TXT (?<name>[^']+)'(?<words>)/s, () => 'other'],
];

/**
 * Who is to blame, from the messages of an InvalidChangeBatch: a list, or one text `[..., ...]`. Messages that name no
 * TXT set are left out. Pure.
 */
export function readBlames(messages: readonly string[]): readonly Blame[] {
  return messages.flatMap(split).flatMap((text): readonly Blame[] => {
    for (const [form, reasonOf] of forms) {
      const groups = form.exec(text)?.groups;
      const name = groups?.name === undefined ? undefined : fromWireName(groups.name);
      if (groups !== undefined && name !== undefined)
        return [{ name, setIdentifier: groups.id, reason: reasonOf(groups.words ?? ''), text }];
    }
    return [];
  });
}

function stateOf(words: string): BlameReason {
  if (words.includes('already exists')) return 'exists';
  if (words.includes('not found')) return 'not-found';
  return words.includes('do not match') ? 'differs' : 'other';
}

function split(message: string): readonly string[] {
  const list = message.startsWith('[') && message.endsWith(']') ? message.slice(1, -1) : message;
  return list.split(/, (?=Tried to |RRSet |Invalid |Duplicate |The request )/);
}
