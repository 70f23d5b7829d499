import type { BoundProvider } from '../writer/index.ts';
import {
  type CaFacts,
  judgeAccount,
  judgeClock,
  judgeDirectory,
  judgeProfile,
  judgeTerms,
  type PreflightCa,
} from './ca.ts';
import type { CheckContext } from './context.ts';
import { type Finding, finding, type Subject } from './finding.ts';
import { checkProvider } from './provider.ts';

/** Providers and CAs, each looked at once a minute however many names have to do with it. */
export interface PartyChecks {
  provider(bound: BoundProvider, signal: AbortSignal): Promise<readonly Finding[]>;
  ca(ca: PreflightCa, signal: AbortSignal): Promise<CaView>;
}

export interface CaView {
  readonly findings: readonly Finding[];
  /** Absent when the CA could not be asked. */
  readonly facts?: CaFacts;
}

export function createPartyChecks(context: CheckContext): PartyChecks {
  const { clock, checkTimeoutMs, tell, within } = context;
  const known = new WeakMap<object, { readonly until: number; readonly work: Promise<unknown> }>();

  function once<T>(party: object, work: () => Promise<T>): Promise<T> {
    const before = known.get(party);
    if (before !== undefined && clock.now() < before.until) return before.work as Promise<T>;
    const begun = work();
    known.set(party, { until: clock.now() + keepMs, work: begun });
    begun.catch(() => known.delete(party));
    return begun;
  }

  return {
    provider: (bound, signal) =>
      once(bound, async () => {
        const { displayName } = bound;
        const about: Subject = { kind: 'provider', name: displayName };
        const found = await within<readonly Finding[]>(
          signal,
          (ends) => checkProvider(bound, clock.now() + checkTimeoutMs, ends),
          (problem) => [
            finding('provider-reachable', about, {
              result: 'unknown',
              detail: `${displayName}: ${problem}`,
              facts: {},
            }),
          ],
        );
        return found.map((one) => tell(one.id, one.about, one));
      }),
    ca: (ca, signal) =>
      once(ca, () =>
        within<CaView>(
          signal,
          async (ends) => {
            const facts = await ca.look(ends);
            const about: Subject = { kind: 'ca', name: ca.name };
            const findings = [
              tell('ca-directory', about, judgeDirectory(ca.name, facts)),
              tell('ca-terms', about, judgeTerms(ca.name, facts)),
              tell('ca-account', about, judgeAccount(ca.name, facts)),
              tell('ca-profile', about, judgeProfile(ca.name, facts)),
              tell('ca-clock', about, judgeClock(ca.name, facts)),
            ];
            return { findings, facts };
          },
          (problem) => ({
            findings: [
              tell('ca-directory', { kind: 'ca', name: ca.name }, { result: 'failed', detail: problem, facts: {} }),
            ],
          }),
        ),
      ),
  };
}

const keepMs = 60_000;
