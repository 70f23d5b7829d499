import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { DnsName } from '@zoneproof/dns';
import type { Blame, BlameReason } from '../batch-refusal.ts';
import type { Answer, Climb, Ending } from '../ladder.ts';
import { valuesOf } from '../record-sets.ts';

/**
 * How much a refusal tells: every change to blame, the first of them, of simple sets what nobody understands, or of all
 * sets.
 */
export type Telling = 'all' | 'first' | 'nothing of simple sets' | 'nothing';

/**
 * The TXT sets of one name under Route 53's rules: batches are transactions, deletions exact, and sets of different
 * routing policies exclude each other.
 */
export class ZoneModel {
  sets: readonly ResourceRecordSet[];
  readonly sent: (readonly Change[])[] = [];
  reads = 0;
  readonly #telling: Telling;

  constructor(sets: readonly ResourceRecordSet[], telling: Telling = 'all') {
    this.sets = sets;
    this.#telling = telling;
  }

  get values(): readonly string[] {
    return this.sets.flatMap(valuesOf).sort();
  }

  /** Climbs to the end. `before` is called before each write, as another writer may come in between. */
  run(ladder: Climb, answers: (rung: 'read') => Answer, before?: (write: number) => void): Ending {
    for (let step = ladder.next(); ; ) {
      if (step.done === true) return step.value;
      if (step.value === 'read') {
        this.reads++;
        step = ladder.next(answers('read'));
      } else {
        before?.(this.sent.length);
        step = ladder.next(this.write(step.value.send));
      }
    }
  }

  write(changes: readonly Change[]): Answer {
    this.sent.push(changes);
    let after = [...this.sets];
    const blames: Blame[] = [];
    for (const { Action, ResourceRecordSet: set } of changes) {
      if (set === undefined) throw new Error('a change without a set');
      const known = after.find((other) => other.SetIdentifier === set.SetIdentifier);
      const reason = reasonOf(Action === 'CREATE', set, known, after);
      if (reason !== undefined) blames.push(this.#blame(set, reason));
      else if (Action === 'CREATE') after.push(set);
      else after = after.filter((other) => other !== known);
    }
    if (blames.length > 0) return { kind: 'refused', blames: this.#telling === 'first' ? blames.slice(0, 1) : blames };
    this.sets = after;
    return { kind: 'done', receipt: { kind: 'model', token: String(this.sent.length) } };
  }

  #blame({ SetIdentifier }: ResourceRecordSet, reason: BlameReason): Blame {
    const name = 'model' as DnsName;
    const isSimple = SetIdentifier === undefined;
    if (this.#telling === 'nothing' || (isSimple && this.#telling === 'nothing of simple sets'))
      return { name, reason: 'unclear', text: 'no' };
    return { name, reason, text: `${reason} SetIdentifier ${SetIdentifier ?? 'null'}` };
  }
}

function reasonOf(
  creates: boolean,
  set: ResourceRecordSet,
  known: ResourceRecordSet | undefined,
  sets: readonly ResourceRecordSet[],
): BlameReason | undefined {
  if (!creates && known === undefined) return 'not-found';
  if (!creates) return textOf(set) === textOf(known as ResourceRecordSet) ? undefined : 'differs';
  if (known !== undefined) return 'exists';
  return sets.some((other) => policyOf(other) !== policyOf(set) || policyOf(set) === 'simple')
    ? 'other-kind'
    : undefined;
}

function policyOf({ SetIdentifier, MultiValueAnswer }: ResourceRecordSet): 'simple' | 'multivalue' | 'other' {
  if (SetIdentifier === undefined) return 'simple';
  return MultiValueAnswer === true ? 'multivalue' : 'other';
}

function textOf({ TTL, AliasTarget, Weight, MultiValueAnswer, ResourceRecords = [] }: ResourceRecordSet): string {
  const values = ResourceRecords.map(({ Value }) => Value).sort();
  return JSON.stringify([TTL, AliasTarget, Weight, MultiValueAnswer, values]);
}
