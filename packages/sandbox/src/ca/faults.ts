import { Problem, type ProblemType } from './problem.ts';

/** A call of the client, or `validation` (the look at the DNS) and `issuance` (what comes after a good finalize). */
export type FaultPoint =
  | 'directory'
  | 'newNonce'
  | 'newAccount'
  | 'account'
  | 'newOrder'
  | 'order'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate'
  | 'validation'
  | 'issuance';

export interface Fault {
  readonly at: FaultPoint;
  /**
   * The problem to answer with; `unavailable` is a 503 page of HTML as a load balancer sends it; `dropped` does what
   * was asked and then closes the connection, so that the client cannot know.
   */
  readonly problem: ProblemType | 'unavailable' | 'dropped';
  readonly detail?: string;
  readonly status?: number;
  /** Seconds or an HTTP date, sent as it is. */
  readonly retryAfter?: number | string;
  /** Only when this name (with `*.` if it has one) is concerned: for `newOrder`, `validation` and `issuance`. */
  readonly name?: string;
  /** How many calls it spoils; 1 unless said, `Infinity` until cleared. */
  readonly times?: number;
}

/** The switches that make the CA misbehave. */
export interface Faults {
  /** Adds a fault and returns what takes it away again. */
  add(fault: Fault): () => void;
  clear(): void;
}

/** The CA's own side of {@link Faults}: `take` counts the fault it returns as used. */
export interface FaultSwitches extends Faults {
  take(at: FaultPoint, names?: readonly string[]): Fault | undefined;
}

export function createFaults(): FaultSwitches {
  const active = new Map<Fault, number>();
  return {
    add(fault) {
      const own = { ...fault };
      active.set(own, fault.times ?? 1);
      return () => void active.delete(own);
    },
    clear: () => active.clear(),
    take(at, names = []) {
      for (const [fault, left] of active) {
        if (fault.at !== at || (fault.name !== undefined && !names.includes(fault.name))) continue;
        if (left <= 1) active.delete(fault);
        else active.set(fault, left - 1);
        return fault;
      }
      return undefined;
    },
  };
}

/** The problem a fault stands for; `unavailable` and `dropped` have none of their own and read as serverInternal. */
export function faultProblem(fault: Fault): Problem {
  const type = fault.problem === 'unavailable' || fault.problem === 'dropped' ? 'serverInternal' : fault.problem;
  return new Problem(type, fault.detail ?? `fault switched on at ${fault.at}: ${type}`, {
    ...(fault.status !== undefined && { status: fault.status }),
    ...(fault.retryAfter !== undefined && { headers: { 'retry-after': String(fault.retryAfter) } }),
  });
}
