import { isProviderError, type Receipt, type WriteOutcome } from '@zoneproof/core';
import { quietMs } from './disturbance.ts';
import type { FastTime } from './fast-time.ts';
import type { Life, WritingHost } from './host.ts';
import type { Claim, Place } from './place.ts';
import type { SeededRandom } from './random.ts';
import type { Witness } from './witness.ts';

/** What orders work with. */
export interface OrderLab {
  readonly time: FastTime;
  readonly random: SeededRandom;
  readonly witness: Witness;
  /** False when values are only taken away any more. */
  readonly isOpen: () => boolean;
  /** Epoch milliseconds, of the world. */
  readonly giveUpAt: () => number;
}

/** A value that an order wants at a name. */
export interface Wanted {
  readonly place: Place;
  readonly claim: Claim;
}

/** What came of an order. */
export interface OrderResult {
  /** Nothing of it is left. */
  readonly clean: boolean;
  /** Values that were held. */
  readonly held: number;
  /** Times a value had to be written again, since the other host's took its slot. */
  readonly evicted: number;
}

const tries = 4;
/** A longer wait than this, by the hosts' clock, is no use here. */
const longestWaitMs = 5_000;
/** Of the world, as the following. */
const beatMs = 100;
/** How long a value is kept. */
const holdMs = [quietMs, 4 * quietMs] as const;

/** Brings values in as one order of a controller does, keeps them for a while and takes them away, whatever happens. */
export class Order {
  readonly #host: WritingHost;
  readonly #owner: string;
  readonly #wanted: readonly Wanted[];
  readonly #lab: OrderLab;
  #evicted = 0;

  constructor(host: WritingHost, owner: string, wanted: readonly Wanted[], lab: OrderLab) {
    this.#host = host;
    this.#owner = owner;
    this.#wanted = wanted;
    this.#lab = lab;
  }

  /**
   * `contested`: at a name with two slots where the other host writes too, a value is kept by nothing. There it has to
   * be seen once after its `done`, as by a self check, and is written again until it is.
   */
  async live({ contested }: { readonly contested: boolean }): Promise<OrderResult> {
    let open: readonly Wanted[] = this.#wanted;
    await this.#atOneTime();
    for (let left = tries; left > 0 && open.length > 0 && this.#lab.isOpen(); left--) open = await this.#bringIn(open);
    const there = this.#wanted.filter((one) => !open.includes(one));
    if (contested) for (const one of there) await this.#untilSeen(one);
    else {
      for (const { claim } of there) claim.state = 'held';
      await new Promise((resolve) => setTimeout(resolve, this.#lab.random.between(...holdMs)));
    }
    await this.#atOneTime();
    // What is given up may still be under way.
    if (open.length > 0) await new Promise((resolve) => setTimeout(resolve, quietMs));
    for (const { claim } of this.#wanted) claim.state = 'leaving';
    return { clean: await this.takeOut(), held: there.length, evicted: this.#evicted };
  }

  /**
   * Asks again until all is gone. While values are still written it leaves off after some refusals that only a person
   * can do something about, and is to be called again at the end.
   */
  async takeOut(): Promise<boolean> {
    let open = this.#wanted.filter(({ claim }) => claim.state !== 'gone');
    for (let left = tries; open.length > 0; ) {
      const life = await this.#host.life();
      const outcomes = await this.#write(life, 'absent', open);
      const receipts = open
        .map((_one, at) => outcomes[at])
        .flatMap((one) => (one?.status === 'done' ? [one.receipt] : []));
      for (const receipt of receipts) await this.#isPublished(receipt);
      open.forEach(({ claim }, at) => {
        if (outcomes[at]?.status === 'done') claim.state = 'gone';
      });
      open = open.filter(({ claim }) => claim.state !== 'gone');
      if (open.length === 0) break;
      const [refusal] = outcomes.filter((one) => one.status === 'failed');
      const isForPerson = refusal !== undefined && refusal.retryAt === undefined && refusal.error.kind !== 'aborted';
      if (this.#lab.isOpen() && isForPerson && --left === 0) return false;
      if (Date.now() > this.#lab.giveUpAt()) {
        this.#lab.witness.tell(`${this.#host.name} could not take its values away: ${refusal?.error.message}`);
        break;
      }
      await this.#wait(life, outcomes);
    }
    return open.length === 0;
  }

  /** Half of all writes of both hosts wait for the same instants: only then do they come between each other. */
  async #atOneTime(): Promise<void> {
    if (!this.#lab.isOpen() || this.#lab.random.chance(0.5)) return;
    await new Promise((resolve) => setTimeout(resolve, beatMs - (performance.now() % beatMs)));
  }

  /** One request for all that is open; returns what is still open. */
  async #bringIn(open: readonly Wanted[]): Promise<readonly Wanted[]> {
    const life = await this.#host.life();
    const outcomes = await this.#write(life, 'present', open);
    const written = open.flatMap((one, at) => {
      const outcome = outcomes[at];
      return outcome?.status === 'done' ? [{ one, receipt: outcome.receipt }] : [];
    });
    const published: Wanted[] = [];
    for (const { one, receipt } of written) if (await this.#isPublished(receipt)) published.push(one);
    const left = open.filter((one) => !published.includes(one));
    if (left.length > 0) await this.#wait(life, outcomes);
    return left;
  }

  /** Keeps a value in a contested slot until it is seen. */
  async #untilSeen(one: Wanted): Promise<void> {
    const { witness, random, isOpen } = this.#lab;
    for (let left = 3 * tries; left > 0; left--) {
      await new Promise((resolve) => setTimeout(resolve, random.between(0, quietMs)));
      const values = await witness.look(one.place);
      if (values.includes(one.claim.value) || !isOpen()) return;
      this.#evicted++;
      await this.#bringIn([one]);
    }
    witness.tell(
      `${one.place.target.name} ${one.claim.value}: never seen, though ${this.#host.name} wrote it again and again`,
    );
  }

  async #write(life: Life, state: 'present' | 'absent', wanted: readonly Wanted[]): Promise<readonly WriteOutcome[]> {
    const [first] = wanted;
    if (first === undefined) return [];
    let outcomes: readonly WriteOutcome[];
    try {
      const zone = await life.zoneOf(first.place.target);
      const records = wanted.map(({ place, claim }) => ({ name: place.target.name, value: claim.value }));
      const { signal, bound } = life;
      outcomes = await life.writer.write({ owner: this.#owner, provider: bound, zone, state, records, signal });
    } catch (error) {
      if (!isProviderError(error)) throw error;
      if (error.kind === 'zone-not-found') life.forgetZones();
      outcomes = wanted.map(() => ({ status: 'failed', error }));
    }
    for (const outcome of outcomes) if (outcome.status === 'failed') this.#lab.witness.hear(outcome.error);
    return outcomes;
  }

  /** Follows a change until it has reached the name servers; false when nobody can tell. */
  async #isPublished(receipt: Receipt | undefined): Promise<boolean> {
    if (receipt === undefined) return true;
    while (Date.now() < this.#lab.giveUpAt()) {
      const life = await this.#host.life();
      const look = await life.look(receipt);
      if (look.state === 'synced') return true;
      if (look.state === 'unknown') return false;
      await this.#lab.time.wait(Math.min(longestWaitMs, Math.max(1, look.nextLookAt - this.#lab.time.now())));
    }
    return false;
  }

  /** Until asking again makes sense. */
  async #wait(life: Life, outcomes: readonly WriteOutcome[]): Promise<void> {
    const { time } = this.#lab;
    const later = outcomes.flatMap((outcome) =>
      outcome.status === 'failed' && outcome.retryAt !== undefined ? [outcome.retryAt - time.now()] : [],
    );
    const pause = time.wait(Math.min(longestWaitMs, Math.max(500, ...later)));
    await (outcomes.some(({ status }) => status === 'waiting')
      ? Promise.race([pause, life.slotFree(this.#owner)])
      : pause);
  }
}
