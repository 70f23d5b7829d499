import {
  type CallContext,
  type ChangeOutcome,
  type CheckItem,
  checkFailure,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { type Account, type Accounts, accountAt, accountOf, readAccounts } from './accounts.ts';
import { createClient } from './client.ts';
import type { AcmednsConfig } from './config.ts';
import { cnameError } from './errors.ts';
import { createLiveValues } from './live-values.ts';
import { judgeSlots, planSlots } from './slots.ts';

/**
 * Publishes values in the accounts of a credentials document. The zone of a target is the account's `fulldomain`.
 *
 * acme-dns keeps two values an account, writes each new one over the older, tells nothing over its API and deletes
 * nothing. So `apply` asks its DNS side first what is live, sends what is not, one after the other, and asks again:
 * see {@link planSlots} for what is sent when the DNS side cannot be reached.
 */
export function createAcmednsProvider(config: AcmednsConfig, host: ProviderHost): DnsProvider {
  const { providerName } = host;
  const ref = config.accountSecretRef;
  const secret = host.secret(ref);
  const client = createClient(config, host);
  const liveValues = createLiveValues(config, host);

  async function accounts(): Promise<Accounts> {
    const read = readAccounts((await secret.get()).text());
    const problem = read.problems.find(({ severity }) => severity === 'error');
    if (read.accounts.size > 0 || !problem) return read.accounts;
    throw new ProviderError({
      kind: 'auth',
      message: `${providerName}: entry "${ref.key}" of Secret "${ref.name}": ${problem.message}.`,
    });
  }

  async function accountFor(zone: DnsName): Promise<Account> {
    const account = accountAt(await accounts(), zone);
    if (account) return account;
    throw new ProviderError({
      kind: 'auth',
      message: `${providerName}: no account in entry "${ref.key}" of Secret "${ref.name}" publishes at ${zone}. Put it back, or let the CNAME lead to one that is there.`,
    });
  }

  /** The values in turn: acme-dns picks the older slot, so that two at once could pick the same. */
  async function send(
    account: Account,
    values: readonly string[],
    call: CallContext,
  ): Promise<Map<string, ChangeOutcome>> {
    const refused = new Map<string, ChangeOutcome>();
    for (const value of values) {
      try {
        await client.update(account, value, call);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        refused.set(value, { status: error.details.sent ? 'unknown' : 'failed', error });
        // A lost request may still arrive: what follows it would not know which slot is the older one.
        const rest = values.slice(values.indexOf(value) + 1);
        for (const unsent of rest) refused.set(unsent, { status: 'failed', error });
        break;
      }
    }
    return refused;
  }

  return {
    async apply(zone, changes, call) {
      if (changes.every(({ state }) => state === 'absent')) return changes.map(() => ({ status: 'unchanged' }));
      const at = `${providerName}: ${zone.name}`;
      try {
        const account = await accountFor(zone.name);
        const before = await liveValues(zone.name, call);
        if (call.signal.aborted) throw new ProviderError({ kind: 'aborted', message: `${at}: stopped before writing` });
        const steps = planSlots(changes, before, at);
        const values = changes.flatMap(({ value }, index) => (steps[index] === 'send' ? [value] : []));
        const refused = await send(account, values, call);
        const after = before && refused.size < values.length ? await liveValues(zone.name, call) : undefined;
        return judgeSlots(changes, steps, refused, { before, after }, at);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        return changes.map(({ state }) => (state === 'absent' ? { status: 'unchanged' } : { status: 'failed', error }));
      }
    },

    async findZone(target) {
      const known = await accounts();
      if (accountAt(known, target.name)) return { id: target.name, name: target.name };
      const account = accountOf(known, target.domain);
      if (account) throw cnameError(target, account, providerName);
      return undefined;
    },

    async check(call) {
      return [await checkDocument(), await checkApi(call)];
    },
  };

  async function checkDocument(): Promise<CheckItem> {
    try {
      const { size } = await accounts();
      const detail = `${providerName}: ${size} ${size === 1 ? 'domain' : 'domains'} in the credentials document; whether the passwords are right, the first update will tell.`;
      return { what: 'credentials', result: 'unknown', detail };
    } catch (error) {
      return { what: 'credentials', ...checkFailure(error, providerName) };
    }
  }

  async function checkApi(call: CallContext): Promise<CheckItem> {
    try {
      if (await client.health(call))
        return { what: 'reachable', result: 'ok', detail: `${providerName}: ${config.host} is healthy.` };
      const detail = `${providerName}: ${config.host} answers, but has no /health; acme-dns has it from version 1.1 on.`;
      return { what: 'reachable', result: 'unknown', detail };
    } catch (error) {
      return { what: 'reachable', ...checkFailure(error, providerName) };
    }
  }
}
