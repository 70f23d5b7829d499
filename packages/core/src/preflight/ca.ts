import type { Verdict } from './finding.ts';

/** What a CA's directory and our account there say. */
export interface CaFacts {
  /** Names that a CAA record has to hold for this CA. */
  readonly identities: readonly string[];
  readonly termsOfService?: string;
  /** The terms that the account agreed to, as far as it is known. */
  readonly agreedTerms?: string;
  readonly externalAccountRequired: boolean;
  /** We have a key of the CA's own account to bind ours to. */
  readonly hasExternalAccount: boolean;
  /** `missing`: the account is made by the first issuance. */
  readonly account:
    | { readonly url: string; readonly status: 'valid' | 'deactivated' | 'revoked' }
    | 'missing'
    | { readonly problem: string };
  /** The one that is wanted. */
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, string>>;
  /** How far the clock of this machine is ahead of the CA's, by the Date of its answers. */
  readonly clockAheadMs?: number;
}

/** One CA as a preflight asks it. `look` reads the directory and the account, and throws an error fit to show. */
export interface PreflightCa {
  /** The directory's URL or another name for messages. */
  readonly name: string;
  look(signal: AbortSignal): Promise<CaFacts>;
}

/** Pure, as all below. */
export function judgeDirectory(name: string, ca: CaFacts): Verdict {
  const facts = { identities: ca.identities, externalAccountRequired: ca.externalAccountRequired };
  return {
    result: 'ok',
    detail: `${name} answers with its directory${ca.identities.length === 0 ? ' and does not tell its names for CAA' : ` and goes by ${ca.identities.join(', ')} in CAA records`}`,
    facts,
  };
}

/** Changed terms are agreed to by a person, and some CAs refuse until then (RFC 8555 7.3.3). */
export function judgeTerms(name: string, { termsOfService, agreedTerms, account }: CaFacts): Verdict {
  if (termsOfService === undefined) return { result: 'skipped', detail: `${name} has no terms of service`, facts: {} };
  const facts = { termsOfService, agreedTerms: agreedTerms ?? null };
  if (agreedTerms !== undefined && agreedTerms !== termsOfService)
    return {
      result: 'warning',
      detail: `the terms of ${name} are ${termsOfService} now, and the account agreed to ${agreedTerms}; read them, since going on with the account means to agree where the CA does not ask`,
      facts,
    };
  if (agreedTerms === undefined && account === 'missing')
    return { result: 'ok', detail: `the new account will agree to ${termsOfService}`, facts };
  return { result: 'ok', detail: `the terms in force are ${termsOfService}`, facts };
}

export function judgeAccount(name: string, ca: CaFacts): Verdict {
  const { account, externalAccountRequired, hasExternalAccount } = ca;
  if (account === 'missing') {
    if (externalAccountRequired && !hasExternalAccount)
      return {
        result: 'failed',
        detail: `${name} takes only accounts bound to one of its own, and there is none yet; get a key id and an HMAC key there and set externalAccountBinding`,
        facts: { externalAccountRequired },
      };
    return { result: 'ok', detail: `there is no account at ${name} yet; the first issuance makes it`, facts: {} };
  }
  if ('problem' in account) return { result: 'failed', detail: account.problem, facts: {} };
  const facts = { url: account.url, status: account.status };
  if (account.status === 'valid') return { result: 'ok', detail: `the account ${account.url} is valid`, facts };
  return {
    result: 'failed',
    detail: `the account ${account.url} is ${account.status}; name another Secret in privateKeySecretRef to get a new one`,
    facts,
  };
}

export function judgeProfile(name: string, { profile, profiles }: CaFacts): Verdict {
  const offered = Object.keys(profiles);
  const facts = { profile: profile ?? null, offered };
  if (profile === undefined) return { result: 'skipped', detail: `no profile is asked for`, facts };
  if (offered.includes(profile)) return { result: 'ok', detail: `${name} has the profile ${profile}`, facts };
  const list = offered.length === 0 ? 'it has none' : `it has ${offered.join(', ')}`;
  return {
    result: 'failed',
    detail: `${name} has no profile "${profile}" (${list}); correct or remove profile`,
    facts,
  };
}

/** Signed requests of DNS services stand 5 minutes, TSIG as much; the Date of an answer is exact to a second. */
const slightMs = 5_000;

export function judgeClock(name: string, { clockAheadMs }: CaFacts): Verdict {
  if (clockAheadMs === undefined) return { result: 'skipped', detail: `${name} does not tell the time`, facts: {} };
  const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
  const facts = { aheadSeconds: Math.round(clockAheadMs / 1000) };
  if (Math.abs(clockAheadMs) <= slightMs)
    return { result: 'ok', detail: `the clock here and that of ${name} agree to ${seconds} s`, facts };
  return {
    result: 'warning',
    detail: `the clock of this machine is ${seconds} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} that of ${name}; set it right (NTP): certificates, TSIG and the APIs of DNS services depend on it`,
    facts,
  };
}
