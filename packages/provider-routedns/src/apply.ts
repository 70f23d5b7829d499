import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { type ChangeOutcome, isProviderError, type ProviderError, type Receipt, type TxtChange } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { BatchRefused, type Blame, readBlames } from './batch-refusal.ts';
import { toBatches } from './batches.ts';
import { type Answer, type Climb, climb, type Ending, mostWrites, type Rung } from './ladder.ts';
import { toWanted } from './wanted.ts';

/** The two requests of an apply, and the words for how it can end. */
export interface ZoneWriter {
  /** One transactional batch. @throws BatchRefused, ProviderError */
  change(changes: readonly Change[]): Promise<Receipt | undefined>;
  /** The TXT sets at these names. @throws ProviderError */
  read(names: readonly DnsName[]): Promise<ReadonlyMap<DnsName, readonly ResourceRecordSet[]>>;
  errorOf(ending: FailedEnding, name: DnsName): ProviderError;
}

/** `unsettled`: the writes that a call may make were used up, most likely by other names of its batches. */
export type FailedEnding = Exclude<Ending, { kind: 'done' }> | { readonly kind: 'unsettled' };

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
    for (const climber of open()) climber.end({ kind: 'failed', error });
  }
  return changes.map((change) => climbers.find(({ name }) => name === change.name)!.outcomeOf(change, writer));
}

async function sendBatch(batch: readonly Climber[], writer: ZoneWriter): Promise<void> {
  try {
    const receipt = await writer.change(batch.flatMap(changesOf));
    for (const climber of batch) climber.next({ kind: 'done', receipt });
  } catch (error) {
    if (error instanceof BatchRefused) return refuse(batch, error);
    if (isProviderError(error) && error.details.sent === true)
      for (const climber of batch) climber.end({ kind: 'unknown', error });
    throw error;
  }
}

function refuse(batch: readonly Climber[], { messages, error }: BatchRefused): void {
  const blames = blamesOf(batch, messages);
  // Nobody knows who is to blame: the host cuts such a batch in halves.
  if (blames.length === 0) for (const climber of batch) climber.end({ kind: 'failed', error });
  for (const climber of batch) {
    const own = blames.filter(({ name }) => name === climber.name);
    if (own.length === 0) continue;
    climber.refused = true;
    climber.next({ kind: 'refused', blames: own });
  }
}

function blamesOf(batch: readonly Climber[], messages: readonly string[]): readonly Blame[] {
  const blames = readBlames(messages, new Set(batch.map(({ name }) => name)));
  const [only] = batch;
  if (blames.length > 0 || only === undefined || batch.length > 1) return blames;
  return [{ name: only.name, reason: 'unclear', text: messages.join(', ') }];
}

async function readAll(climbers: readonly Climber[], writer: ZoneWriter): Promise<void> {
  try {
    const sets = await writer.read(climbers.map(({ name }) => name));
    for (const climber of climbers) climber.next({ kind: 'sets', sets: sets.get(climber.name) ?? [] });
  } catch (error) {
    // Missing permission is a state of things; after anything else no more is sent.
    if (!isProviderError(error) || error.kind !== 'permission') throw error;
    for (const climber of climbers) climber.next({ kind: 'unreadable', error });
  }
}

function changesOf({ rung }: Climber): readonly Change[] {
  return rung === 'read' ? [] : rung.send;
}

/** `failed`: certainly not written. `unknown`: perhaps written. */
type Stopped = { readonly kind: 'failed' | 'unknown'; readonly error: ProviderError };

/** One name on its way. */
class Climber {
  readonly name: DnsName;
  rung: Rung = 'read';
  refused = false;
  ending: Ending | Stopped | undefined;
  readonly #ladder: Climb;

  constructor(name: DnsName, changes: readonly TxtChange[]) {
    this.name = name;
    this.#ladder = climb(toWanted(name, changes));
    this.#take(this.#ladder.next());
  }

  next(answer: Answer): void {
    this.#take(this.#ladder.next(answer));
  }

  end(stopped: Stopped): void {
    this.ending = stopped;
  }

  outcomeOf({ state, value }: TxtChange, writer: ZoneWriter): ChangeOutcome {
    const { ending = { kind: 'unsettled' as const }, name } = this;
    switch (ending.kind) {
      case 'done': {
        const changed = ending.before.includes(value) === (state === 'absent');
        if (!changed) return { status: 'unchanged' };
        return { status: 'changed', ...(ending.receipt && { receipt: ending.receipt }) };
      }
      case 'failed':
      case 'unknown':
        return { status: ending.kind, error: ending.error };
      default:
        return { status: 'failed', error: writer.errorOf(ending, name) };
    }
  }

  #take(step: IteratorResult<Rung, Ending>): void {
    if (step.done === true) this.ending = step.value;
    else this.rung = step.value;
  }
}
