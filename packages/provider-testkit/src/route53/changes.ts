import { randomBytes } from 'node:crypto';
import { Refusal } from './refusal.ts';

/**
 * When a change is on all name servers: after so many GetChange have said PENDING, or when the test says so.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_GetChange.html
 */
export type SyncRule = { readonly afterPolls: number } | 'manual';

interface ChangeState {
  readonly submittedAt: number;
  readonly reached: () => void;
  polls: number;
  inSync: boolean;
}

export interface ChangeInfo {
  readonly id: string;
  readonly status: 'PENDING' | 'INSYNC';
  readonly submittedAt: number;
}

export class ChangeLog {
  rule: SyncRule;
  readonly #changes = new Map<string, ChangeState>();

  constructor(rule: SyncRule) {
    this.rule = rule;
  }

  /** The answer to a write says PENDING whatever the rule. */
  submit(now: number, reached: () => void): ChangeInfo {
    const id = `C0${randomBytes(9).toString('hex').toUpperCase()}`;
    const change: ChangeState = { submittedAt: now, reached, polls: 0, inSync: false };
    this.#changes.set(id, change);
    if (this.rule !== 'manual' && this.rule.afterPolls === 0) settle(change);
    return { id, status: 'PENDING', submittedAt: now };
  }

  /** @throws Refusal NoSuchChange */
  poll(id: string): ChangeInfo {
    const change = this.#changes.get(id);
    if (change === undefined) throw new Refusal(404, 'NoSuchChange', `A change with id ${id} does not exist.`);
    if (this.rule !== 'manual' && change.polls++ >= this.rule.afterPolls) settle(change);
    return { id, status: change.inSync ? 'INSYNC' : 'PENDING', submittedAt: change.submittedAt };
  }

  /** All changes so far reach the name servers. */
  settleAll(): void {
    for (const change of this.#changes.values()) settle(change);
  }
}

function settle(change: ChangeState): void {
  if (change.inSync) return;
  change.inSync = true;
  change.reached();
}
