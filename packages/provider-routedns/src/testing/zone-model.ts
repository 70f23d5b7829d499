import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { Blame, BlameReason } from '../batch-refusal.ts';
import type { Answer, Ending, Rung } from '../ladder.ts';
import { valuesOf } from '../record-sets.ts';

/** The TXT sets of one name under Route 53's rules: batches are transactions, deletions exact, simple sets stand alone. */
export class ZoneModel {
  sets: readonly ResourceRecordSet[];
  readonly sent: (readonly Change[])[] = [];
  reads = 0;

  constructor(sets: readonly ResourceRecordSet[]) {
    this.sets = sets;
  }

  get values(): readonly string[] {
    return this.sets.flatMap(valuesOf).sort();
  }

  /** Climbs to the end. `before` is called before each request, as another writer may come in between. */
  run(
    ladder: Generator<Rung, Ending, Answer>,
    answers: (rung: 'read') => Answer,
    before?: (write: number) => void,
  ): Ending {
    for (let step = ladder.next(); ; ) {
      if (step.done === true) return step.value;
      if (step.value === 'read') {
        this.reads++;
        step = ladder.next(answers('read'));
      } else {
        before?.(this.sent.length);
        step = ladder.next(this.#write(step.value.send));
      }
    }
  }

  #write(changes: readonly Change[]): Answer {
    this.sent.push(changes);
    let after = [...this.sets];
    const blames: Blame[] = [];
    for (const { Action, ResourceRecordSet: set } of changes) {
      if (set === undefined) throw new Error('a change without a set');
      const known = after.find((other) => other.SetIdentifier === set.SetIdentifier);
      const reason = reasonOf(Action === 'CREATE', set, known, after);
      if (reason !== undefined) blames.push(blame(set, reason));
      else if (Action === 'CREATE') after.push(set);
      else after = after.filter((other) => other !== known);
    }
    if (blames.length > 0) return { kind: 'refused', blames };
    this.sets = after;
    return { kind: 'done', receipt: { kind: 'model', token: String(this.sent.length) } };
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
  return sets.some((other) => other.SetIdentifier === undefined || set.SetIdentifier === undefined)
    ? 'other-kind'
    : undefined;
}

function textOf({ TTL, ResourceRecords = [] }: ResourceRecordSet): string {
  return JSON.stringify([TTL, ResourceRecords.map(({ Value }) => Value).sort()]);
}

function blame(set: ResourceRecordSet, reason: BlameReason): Blame {
  return { name: 'model' as Blame['name'], setIdentifier: set.SetIdentifier, reason, text: reason };
}
