import { type Clock, pause, type RandomBytes, randomShare, type Timers } from '@zoneproof/core';
import {
  decide,
  type Election,
  type Instant,
  leadsForMs,
  longestMs,
  mayAct,
  observed,
  postponed,
  renewed,
  retryEveryMs,
  type Terms,
} from './election.ts';
import { heldLease, type LeaseObject, recordOf, releasedLease } from './lease-object.ts';
import { type LeaseApi, type LeaseRequests, leaseRequests, statusOf } from './lease-requests.ts';

/** Whether this process is the one that works. */
export interface Leadership {
  /** Resolves when we lead. Asks for as long as it takes. @throws the reason of `signal` */
  acquired(signal: AbortSignal): Promise<void>;
  /** Aborts when the Lease is lost or given back; the reason is a LeaseLost. */
  readonly signal: AbortSignal;
  /**
   * Cheap; to be called right before each effect, each request of the egress and each write to the API server.
   *
   * @throws LeaseLost when it is not certain that nobody else leads at this instant
   */
  assertLeading(): void;
  /** True while `assertLeading` passes. */
  readonly leading: boolean;
  /**
   * Gives the Lease back, so that another takes over within a second. Nothing passes `assertLeading` from now on. Not
   * while `acquired` is pending: end that first.
   */
  release(): Promise<void>;
}

export interface LeadershipOptions {
  readonly api: LeaseApi;
  readonly namespace: string;
  readonly name: string;
  /** Another one for each process, also for one that is started again in the same Pod. */
  readonly identity: string;
  /** Whole seconds. */
  readonly durationMs: number;
  readonly clock: Clock;
  /** Runs on while the process is stopped, and is never set: `performance.now()`. */
  readonly monotonic: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  /** Told once when another holder is seen, and when the Lease cannot be read or written. */
  readonly report: (news: { readonly holder: string } | { readonly problem: string }) => void;
}

export class LeaseLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LeaseLost';
  }
}

/** The least and the most that may be chosen as duration, milliseconds. */
export const leaseDurations = { least: 2_000, most: longestMs / 2 } as const;

/** Leader election on one Lease, with optimistic concurrency. Nothing is asked before `acquired` is called. */
export function createLeadership(options: LeadershipOptions): Leadership {
  return new LeaseLeadership(options);
}

class LeaseLeadership implements Leadership {
  readonly #options: LeadershipOptions;
  readonly #terms: Terms;
  readonly #requests: LeaseRequests;
  readonly #over = new AbortController();
  /** Ends what is under way at the API server; giving back lets it finish, since the version is needed. */
  readonly #lost = new AbortController();
  #election: Election = {};
  #lease: LeaseObject | undefined;
  #deadline: unknown;
  #renewing: Promise<void> = Promise.resolve();
  #told = '';

  constructor(options: LeadershipOptions) {
    const { api, namespace, name, identity, durationMs } = options;
    this.#options = options;
    this.#terms = { me: identity, durationMs };
    this.#requests = leaseRequests(api, namespace, name, durationMs / 4);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get leading(): boolean {
    return !this.signal.aborted && mayAct(this.#election, this.#terms, this.#now());
  }

  assertLeading(): void {
    if (this.leading) return;
    if (this.#election.held === undefined) throw new LeaseLost(`${this.#title} is not held by this process`);
    this.#stepDown();
    throw this.signal.reason;
  }

  async acquired(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      this.signal.throwIfAborted();
      const waitMs = await this.#stand(signal);
      if (this.leading) break;
      // Taken, but so slowly that it may have run out: the next look takes it again.
      const { held: _late, ...election } = this.#election;
      this.#election = election;
      await pause(this.#options.timers, waitMs, signal);
    }
    this.#armDeadline();
    this.#renewing = this.#lead();
  }

  async release(): Promise<void> {
    const held = this.leading;
    this.#end(`${this.#title} is given back`);
    await this.#renewing;
    if (!held) return;
    try {
      await this.#giveBack();
    } catch (error) {
      // It runs out by itself.
      if (statusOf(error) !== 409) this.#tellProblem(error);
    }
  }

  async #giveBack(): Promise<void> {
    const signal = AbortSignal.timeout(releaseMs);
    let lease: LeaseObject | 'absent' = this.#lease as LeaseObject;
    try {
      await this.#requests.update(releasedLease(lease, this.#now()), signal);
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
      // The answer to our last renewal was lost, or another one holds it by now.
      lease = await this.#requests.read(signal);
      if (lease === 'absent' || recordOf(lease).holder !== this.#terms.me) return;
      await this.#requests.update(releasedLease(lease, this.#now()), signal);
    }
  }

  /** One look as a candidate. @returns how long to wait before the next one */
  async #stand(signal: AbortSignal): Promise<number> {
    try {
      const lease = await this.#requests.read(signal);
      this.#see(lease);
      const step = this.#decide();
      if (step.do === 'look') {
        this.#tellHolder();
        return step.ms;
      }
      // Finished also when the process ends meanwhile: what was taken can then be given back.
      if (step.do === 'create') await this.#write((held, lost) => this.#requests.create(held, lost));
      if (step.do === 'take' && lease !== 'absent')
        await this.#write((held, lost) => this.#requests.update(held(lease), lost));
      return 0;
    } catch (error) {
      signal.throwIfAborted();
      // Another candidate was faster.
      if (statusOf(error) !== 409) this.#tellProblem(error);
      return retryEveryMs(this.#terms, this.#share());
    }
  }

  async #lead(): Promise<void> {
    while (!this.signal.aborted) {
      const step = this.#decide();
      if (step.do === 'rest') await pause(this.#options.timers, Math.ceil(step.ms), this.signal);
      else if (step.do === 'renew') await this.#renew(this.#lease as LeaseObject);
      else this.#stepDown();
    }
  }

  async #renew(lease: LeaseObject): Promise<void> {
    try {
      // A process that was stopped while the connection was made must not take back what it lost.
      const beforeSend = () => this.#assertInTime();
      await this.#write((held, lost) => this.#requests.update(held(lease), lost, beforeSend));
      this.#armDeadline();
    } catch (error) {
      const status = statusOf(error);
      if (status === 409 || status === 404) await this.#lookAgain();
      else this.#postpone(error);
    }
  }

  #assertInTime(): void {
    if (!mayAct(this.#election, this.#terms, this.#now())) throw new LeaseLost(`${this.#title} ran out`);
  }

  /** Somebody else wrote, or it was us and the answer was lost: then the next attempt has the right version. */
  async #lookAgain(): Promise<void> {
    if (this.signal.aborted) return;
    try {
      this.#see(await this.#requests.read(this.#lost.signal));
    } catch (error) {
      this.#postpone(error);
    }
  }

  #postpone(error: unknown): void {
    if (this.signal.aborted) return;
    this.#tellProblem(error);
    this.#election = postponed(this.#election, this.#terms, this.#now(), this.#share());
  }

  /** The instant is taken before anything is sent: from then on others may have seen it. */
  async #write(
    send: (held: (lease: LeaseObject) => LeaseObject, lost: AbortSignal) => Promise<LeaseObject>,
  ): Promise<void> {
    const from = this.#now();
    const lease = await send((before) => heldLease(before, this.#terms, from), this.#lost.signal);
    this.#lease = lease;
    this.#election = renewed(recordOf(lease), from, this.#now(), this.#terms, this.#share());
    this.#told = '';
  }

  #see(lease: LeaseObject | 'absent'): void {
    if (lease !== 'absent') this.#lease = lease;
    const record = lease === 'absent' ? 'absent' : recordOf(lease);
    this.#election = observed(this.#election, record, this.#terms, this.#now());
  }

  #decide(): ReturnType<typeof decide> {
    return decide(this.#election, this.#terms, this.#now(), this.#share());
  }

  /** A request that hangs must not hide that the time is over. */
  #armDeadline(): void {
    const { timers } = this.#options;
    const { held } = this.#election;
    timers.clearTimeout(this.#deadline);
    if (held === undefined || this.signal.aborted) return;
    const ms = held.from.monotonic + leadsForMs(this.#terms) - this.#now().monotonic;
    this.#deadline = timers.setTimeout(() => {
      if (!this.leading) this.#stepDown();
      else this.#armDeadline();
    }, Math.ceil(ms));
  }

  #stepDown(): void {
    if (this.signal.aborted) return;
    const step = this.#decide();
    const why = step.do === 'step-down' ? step.why : 'its time was over for a moment';
    this.#end(`${this.#title} is lost: ${why}`);
    this.#lost.abort(this.signal.reason);
  }

  #end(message: string): void {
    this.#options.timers.clearTimeout(this.#deadline);
    this.#over.abort(new LeaseLost(message));
  }

  #tellHolder(): void {
    const record = this.#election.seen?.record;
    if (record === undefined || record === 'absent' || this.#told === record.holder) return;
    this.#told = record.holder;
    this.#options.report({ holder: record.holder });
  }

  #tellProblem(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (this.#told === problem) return;
    this.#told = problem;
    this.#options.report({ problem });
  }

  get #title(): string {
    return `Lease ${this.#options.namespace}/${this.#options.name}`;
  }

  #now(): Instant {
    return { monotonic: this.#options.monotonic.now(), wall: this.#options.clock.now() };
  }

  #share(): number {
    return randomShare(this.#options.random);
  }
}

/** Longer is of no use: the Lease runs out by itself. */
const releaseMs = 2_000;
