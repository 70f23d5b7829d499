import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { type ChangeOutcome, isProviderError, type ProviderError, type Receipt, type TxtChange } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { BatchRefused } from './batch-refusal.ts';
import { toBatches } from './batches.ts';
import { toWanted } from './guesses.ts';
import { type Answer, climb, type Ending, mostWrites, type Rung } from './ladder.ts';

/** The two requests of an apply, and the words for how it can end. */
export interface ZoneWriter {
  /** One transactional batch. @throws BatchRefused, ProviderError */
  change(changes: readonly Change[]): Promise<Receipt | undefined>;
  /** The TXT sets at these names. @throws ProviderError */
  read(names: readonly DnsName[]): Promise<ReadonlyMap<DnsName, readonly ResourceRecordSet[]>>;
  errorOf(ending: Exclude<Ending, { kind: 'done' }> | { readonly kind: 'unsettled' }, name: DnsName): ProviderError;
}

/**
 * Climbs the ladder of every name at the same pace, so that the next rungs of all names leave in one batch. Names that
 * were refused once go in batches of their own: what is right goes through whatever becomes of them.
 */
export async function applyTogether(
  changes: readonly TxtChange[],
  writer: ZoneWriter,
): Promise<readonly ChangeOutcome[]> {
  const climbers = [...new Set(changes.map(({ name }) => name))].map(
    (name) =>
      new Climber(
        name,
        changes.filter((change) => change.name === name),
      ),
  );
  const open = () => climbers.filter(({ ending }) => ending === undefined);
  try {
    for (let writes = 0; writes < mostWrites && open().length > 0; ) {
      const senders = open().filter(({ rung }) => rung !== 'read');
      if (senders.length === 0) {
        await readAll(open(), writer);
        continue;
      }
      writes++;
      for (const part of [senders.filter(({ refused }) => !refused), senders.filter(({ refused }) => refused)])
        for (const batch of toBatches(part, changesOf)) await sendBatch(batch, writer);
    }
  } catch (error) {
    if (!isProviderError(error)) throw error;
    for (const climber of open()) climber.stop(error);
  }
  return changes.map((change) => climbers.find(({ name }) => name === change.name)!.outcomeOf(change, writer));
}

async function sendBatch(batch: readonly Climber[], writer: ZoneWriter): Promise<void> {
  try {
    const receipt = await writer.change(batch.flatMap(changesOf));
    for (const climber of batch) climber.next({ kind: 'done', receipt });
  } catch (error) {
    if (error instanceof BatchRefused) return blame(batch, error);
    if (isProviderError(error) && error.details.sent === true) for (const climber of batch) climber.lose(error);
    throw error;
  }
}

function blame(batch: readonly Climber[], { blames, error }: BatchRefused): void {
  const guilty = batch.filter(({ name }) => blames.some((one) => one.name === name));
  if (guilty.length === 0) for (const climber of batch) climber.stop(error);
  for (const climber of guilty) {
    climber.refused = true;
    climber.next({ kind: 'refused', blames: blames.filter((one) => one.name === climber.name) });
  }
}

async function readAll(climbers: readonly Climber[], writer: ZoneWriter): Promise<void> {
  try {
    const sets = await writer.read(climbers.map(({ name }) => name));
    for (const climber of climbers) climber.next({ kind: 'sets', sets: sets.get(climber.name) ?? [] });
  } catch (error) {
    if (!isProviderError(error)) throw error;
    for (const climber of climbers) climber.next({ kind: 'unreadable', error });
    // Missing permission is a state of things; after anything else no more is sent.
    if (error.kind !== 'permission') throw error;
  }
}

function changesOf({ rung }: Climber): readonly Change[] {
  return rung === 'read' ? [] : rung.send;
}

type Stopped = { readonly kind: 'stopped' | 'lost'; readonly error: ProviderError };

/** One name on its way. */
class Climber {
  readonly name: DnsName;
  rung: Rung = 'read';
  refused = false;
  ending: Ending | Stopped | undefined;
  readonly #ladder: Generator<Rung, Ending, Answer>;

  constructor(name: DnsName, changes: readonly TxtChange[]) {
    this.name = name;
    this.#ladder = climb(toWanted(name, changes));
    this.#take(this.#ladder.next());
  }

  next(answer: Answer): void {
    this.#take(this.#ladder.next(answer));
  }

  /** Certainly not written. */
  stop(error: ProviderError): void {
    this.ending = { kind: 'stopped', error };
  }

  /** Perhaps written. */
  lose(error: ProviderError): void {
    this.ending = { kind: 'lost', error };
  }

  outcomeOf({ state, value }: TxtChange, writer: ZoneWriter): ChangeOutcome {
    const { ending = { kind: 'unsettled' as const }, name } = this;
    switch (ending.kind) {
      case 'done': {
        const changed = ending.before.includes(value) === (state === 'absent');
        if (!changed) return { status: 'unchanged' };
        return { status: 'changed', ...(ending.receipt && { receipt: ending.receipt }) };
      }
      case 'lost':
        return { status: 'unknown', error: ending.error };
      case 'stopped':
        return { status: 'failed', error: ending.error };
      default:
        return { status: 'failed', error: writer.errorOf(ending, name) };
    }
  }

  #take(step: IteratorResult<Rung, Ending>): void {
    if (step.done === true) this.ending = step.value;
    else this.rung = step.value;
  }
}
