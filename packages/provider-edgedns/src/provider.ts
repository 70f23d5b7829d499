import {
  type CallContext,
  type ChangeOutcome,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type TxtChange,
  type Zone,
} from '@zoneproof/core';
import { type Step, stepsFrom, stepsUnseen } from './changes.ts';
import { failedItem, goodItems } from './check.ts';
import { type BatchResult, createClient } from './client.ts';
import type { EdgednsConfig } from './config.ts';
import { createRowIds } from './row-ids.ts';
import { usableZones } from './zones.ts';

/**
 * Publishes values as TXT records, each a row of its own. A batch goes out unseen when all its ids are known: new rows
 * need none, and rows that this process made were answered with theirs. Otherwise, and when Cloudflare refuses for what
 * stands in the zone, the rows at the names are read once and what is left to do is sent.
 */
export function createEdgednsProvider(config: EdgednsConfig, host: ProviderHost): DnsProvider {
  const { providerName } = host;
  const client = createClient(config, host);
  const rowIds = createRowIds();

  async function write(
    zone: Zone,
    changes: readonly TxtChange[],
    steps: readonly Step[],
    call: CallContext,
  ): Promise<readonly ChangeOutcome[]> {
    const deletes = steps.flatMap((step) => (step.kind === 'delete' ? step.ids : []));
    const posts = steps.flatMap((step) => (step.kind === 'create' ? [step.row] : []));
    if (deletes.length + posts.length === 0) return steps.map(() => ({ status: 'unchanged' }));
    try {
      const done = await client.batch(zone, { deletes, posts }, call);
      forgetAbsent(zone, changes);
      for (const { name, value, id } of done.created) rowIds.keep(zone, name, value, id);
      return steps.map((step) => outcomeOf(step, done, zone));
    } catch (error) {
      if (!isProviderError(error)) throw error;
      if (error.kind === 'conflict') forgetAbsent(zone, changes);
      const status = error.details.sent === true ? 'unknown' : 'failed';
      return steps.map(({ kind }) => (kind === 'none' ? { status: 'unchanged' } : { status, error }));
    }
  }

  function outcomeOf(step: Step, { created, deleted }: BatchResult, zone: Zone): ChangeOutcome {
    if (step.kind === 'none') return { status: 'unchanged' };
    const isDone =
      step.kind === 'create'
        ? created.some(({ name, value }) => name === step.row.name && value === step.row.value)
        : step.ids.every((id) => deleted.includes(id));
    if (isDone) return { status: 'changed' };
    const message = `${providerName}: Cloudflare took a batch for zone ${zone.name} and does not list a change of it as done. It is tried again.`;
    return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message }) };
  }

  function forgetAbsent(zone: Zone, changes: readonly TxtChange[]): void {
    for (const { state, name, value } of changes) if (state === 'absent') rowIds.forget(zone, name, value);
  }

  async function zones(call: CallContext): Promise<readonly Zone[]> {
    return usableZones(await client.zones(call), (message) => host.warn(`${providerName}: ${message}`));
  }

  return {
    async apply(zone, changes, call) {
      const unseen = stepsUnseen(changes, ({ name, value }) => rowIds.find(zone, name, value));
      if (unseen !== undefined) {
        const outcomes = await write(zone, changes, unseen, call);
        if (!outcomes.some((outcome) => outcome.status === 'failed' && outcome.error.kind === 'conflict'))
          return outcomes;
      }
      const names = changes.map(({ name }) => name);
      const rows = await client.rows(zone, names, call);
      return write(zone, changes, stepsFrom(rows, changes), call);
    },

    listZones: zones,

    async check(call) {
      try {
        return goodItems(await zones(call), config, providerName);
      } catch (error) {
        return [failedItem(error, providerName)];
      }
    },
  };
}
