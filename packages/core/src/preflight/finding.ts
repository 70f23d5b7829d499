/**
 * ok       nothing stands in the way
 * warning  issuance works, and a person should look
 * failed   issuance would fail
 * unknown  it could not be found out; says nothing about issuance
 * skipped  does not apply here, or something above it failed
 */
export type FindingResult = 'ok' | 'warning' | 'failed' | 'unknown' | 'skipped';

/** Every check with the title that people see. The ids are stable: programs may rely on them. */
export const checkTitles = {
  'provider-credentials': 'Credentials',
  'provider-reachable': 'DNS service',
  'provider-zones': "Provider's zones",
  'provider-delegation': "Provider's delegation",
  'provider-clock': "Clock and the provider's",
  'ca-directory': 'CA',
  'ca-terms': 'Terms of service',
  'ca-account': 'Account',
  'ca-profile': 'Profile',
  'ca-clock': "Clock and the CA's",
  'challenge-name': 'Challenge name',
  wildcard: 'Wildcard',
  leftovers: 'Values there already',
  'provider-zone': 'Zone at the provider',
  delegation: 'Delegation',
  servers: 'Name servers',
  serials: 'Serials',
  'negative-ttl': 'Negative TTL',
  dnssec: 'DNSSEC',
  caa: 'CAA',
  write: 'Probe value',
} as const;

export type CheckId = keyof typeof checkTitles;

/** What a finding is about: `{kind: 'zone', name: 'example.com'}`. */
export interface Subject {
  /** `name` is one of the names of a certificate, `provider` and `ca` are called as in messages. */
  readonly kind: 'name' | 'zone' | 'provider' | 'ca';
  readonly name: string;
}

/** JSON. */
export type Facts = { readonly [member: string]: Fact };
type Fact = string | number | boolean | null | readonly Fact[] | Facts;

/** What one check found. */
export interface Verdict {
  readonly result: FindingResult;
  /** One sentence: what was seen, on which server, zone or name, and unless ok what to do. */
  readonly detail: string;
  /** What the sentence rests on, for programs. */
  readonly facts: Facts;
}

/** A verdict with its place; the sentence ends with a full stop. */
export interface Finding extends Verdict {
  readonly id: CheckId;
  readonly title: string;
  readonly about: Subject;
}

export function finding(id: CheckId, about: Subject, { result, detail, facts }: Verdict): Finding {
  return { id, title: checkTitles[id], about, result, detail: /[.?!]$/.test(detail) ? detail : `${detail}.`, facts };
}

const rank: Readonly<Record<FindingResult, number>> = { failed: 0, unknown: 1, warning: 2, ok: 3, skipped: 4 };

/** Worst first; findings of one result keep their order. */
export function worstFirst<T extends { readonly result: FindingResult }>(findings: readonly T[]): readonly T[] {
  return [...findings].sort((one, other) => rank[one.result] - rank[other.result]);
}

/** The worst of several results; `skipped` of none. */
export function worstOf(results: readonly FindingResult[]): FindingResult {
  return results.reduce((worst, result) => (rank[result] < rank[worst] ? result : worst), 'skipped');
}
