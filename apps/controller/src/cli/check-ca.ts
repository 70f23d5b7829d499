import { AcmeProblem } from '@zoneproof/acme';
import type { CaFacts, PreflightCa } from '@zoneproof/core';
import { Problem } from '../reconcile/problem.ts';
import type { IssuerSession, Sessions } from '../reconcile/services.ts';
import type { Issuer } from '../resources/types.ts';
import type { WatchedClocks } from './check-clock.ts';
import { createProbeSession } from './check-session.ts';

/** The CA of an Issuer: its directory, and the account of the key as the CA knows it. Registers nothing. */
export function createCa(
  issuer: Issuer,
  sessions: Pick<Sessions, 'open' | 'externalAccount'>,
  clocks: WatchedClocks,
): PreflightCa {
  const { server, profile } = issuer.spec.acme;
  return {
    name: server,
    async look(signal): Promise<CaFacts> {
      const opened = await openSession(issuer, sessions);
      const acme = 'session' in opened ? opened.session.acme : await createProbeSession(issuer, clocks.egress);
      const { meta } = await acme.directory(signal);
      const account = 'session' in opened ? await findAccount(opened.session, signal) : opened.account;
      const eab = await hasExternalAccount(issuer, sessions);
      const aheadMs = clocks.aheadOf(server);
      const known = issuer.status.acme;
      const agreed = known?.server === server ? known.termsOfService : undefined;
      return {
        identities: meta.caaIdentities,
        externalAccountRequired: meta.externalAccountRequired,
        hasExternalAccount: eab === true,
        account: typeof eab === 'string' && account === 'missing' ? { problem: eab } : account,
        profiles: meta.profiles,
        ...(profile !== undefined && { profile }),
        ...(meta.termsOfService !== undefined && { termsOfService: meta.termsOfService }),
        ...(agreed !== undefined && { agreedTerms: agreed }),
        ...(aheadMs !== undefined && { clockAheadMs: aheadMs }),
      };
    },
  };
}

type Opened = { readonly session: IssuerSession } | { readonly account: CaFacts['account'] };

async function openSession(issuer: Issuer, sessions: Pick<Sessions, 'open'>): Promise<Opened> {
  try {
    return { session: await sessions.open(issuer) };
  } catch (error) {
    if (error instanceof Problem && error.reason === 'KeyMissing') return { account: 'missing' };
    return { account: { problem: (error as Error).message } };
  }
}

/** Asks for the account of the key without making one (RFC 8555 7.3.1). */
async function findAccount({ acme }: IssuerSession, signal: AbortSignal): Promise<CaFacts['account']> {
  try {
    const { url, status } = await acme.ensureAccount({ termsOfServiceAgreed: false, onlyReturnExisting: true }, signal);
    return { url, status };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AcmeProblem && error.type === 'accountDoesNotExist') return 'missing';
    return { problem: (error as Error).message };
  }
}

/** True, false, or why the key for it cannot be had. */
async function hasExternalAccount(
  issuer: Issuer,
  sessions: Pick<Sessions, 'externalAccount'>,
): Promise<boolean | string> {
  try {
    return (await sessions.externalAccount(issuer)) !== undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
