import type { Issuer } from '../resources/types.ts';
import { condition } from './conditions.ts';
import { isHeld } from './issuer-release.ts';
import type { Problem } from './problem.ts';

/** Everything that the decision about an Issuer rests on. */
export interface SeenIssuer {
  readonly issuer: Issuer;
  /** The account key's RFC 7638 thumbprint; `missing`: no Secret; a Problem: there and unusable. */
  readonly key: { readonly thumbprint: string } | 'missing' | Problem;
  /** The last thing that stood in the way, until it is worth another try. */
  readonly obstacle: { readonly retryAt: number; readonly changes: number } | undefined;
  readonly changes: number;
  /** When the providers were last checked by this process, and for which generation. */
  readonly checked: { readonly at: number; readonly generation: number; readonly changes: number } | undefined;
}

export type IssuerStep =
  | { readonly do: 'create-key' }
  /** Before the first value is written with its credentials. */
  | { readonly do: 'hold' }
  | { readonly do: 'register' }
  | { readonly do: 'check-providers' }
  | { readonly do: 'show-problem'; readonly problem: Problem };

export interface IssuerPlan {
  readonly step: IssuerStep | undefined;
  readonly wakeAt?: number;
}

/** Credentials are proven again at this pace: quickly while one of them fails. */
const checkEveryMs = { ready: 3_600_000, failing: 60_000 } as const;

/** The account that holds for the server that the Issuer names now. */
export function accountOf({ spec, status }: Issuer): string | undefined {
  return status.acme?.server === spec.acme.server ? status.acme.accountURL : undefined;
}

/** What an Issuer needs next. Pure. One key is one account: registering again finds the account that is there. */
export function decideIssuer(seen: SeenIssuer, now: number): IssuerPlan {
  const { issuer, key, obstacle } = seen;
  const { acme } = issuer.status;
  if (obstacle !== undefined && obstacle.changes === seen.changes && obstacle.retryAt > now)
    return { step: undefined, wakeAt: obstacle.retryAt };
  if (key === 'missing') return { step: { do: 'create-key' } };
  if (!('thumbprint' in key)) return { step: { do: 'show-problem', problem: key } };
  if (!isHeld(issuer)) return { step: { do: 'hold' } };
  const isRegistered = accountOf(issuer) !== undefined && acme?.keyThumbprint === key.thumbprint;
  // What stood in the way is gone: whether the account is as it was, the CA tells.
  const wasStopped = condition(issuer.status.conditions, 'Ready')?.status === 'False';
  if (!isRegistered || wasStopped) return { step: { do: 'register' } };
  const { checked } = seen;
  if (checked === undefined || checked.generation !== issuer.metadata.generation || checked.changes !== seen.changes)
    return { step: { do: 'check-providers' } };
  const allReady = (issuer.status.providers ?? []).every(({ ready }) => ready);
  const nextAt = checked.at + (allReady ? checkEveryMs.ready : checkEveryMs.failing);
  return nextAt <= now ? { step: { do: 'check-providers' } } : { step: undefined, wakeAt: nextAt };
}
