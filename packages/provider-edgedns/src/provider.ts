import {
  type CallContext,
  type ChangeOutcome,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type Zone,
} from '@zoneproof/core';
import { type Step, stepsFrom, stepsUnseen } from './changes.ts';
import { failedItem, goodItems } from './check.ts';
import { type BatchResult, createClient } from './client.ts';
import type { EdgednsConfig } from './config.ts';
import { type Row, toPost } from './rows.ts';
import { usableZones } from './zones.ts';

/**
 * Publishes values as TXT records, each a row of its own. New rows go out unseen; what shall go, and what Cloudflare
 * refuses for what stands in the zone, is looked up once before what is left to do is sent.
 */
export function createEdgednsProvider(config: EdgednsConfig, host: ProviderHost): DnsProvider {
  const { providerName } = host;
  const client = createClient(config, host);

  async function write(zone: Zone, steps: readonly Step[], call: CallContext): Promise<readonly ChangeOutcome[]> {
    const doomed = steps.flatMap((step) => (step.kind === 'delete' ? step.rows : []));
    const posts = steps.flatMap((step) => (step.kind === 'create' ? [toPost(step.row)] : []));
    if (doomed.length + posts.length === 0) return steps.map(() => ({ status: 'unchanged' }));
    try {
      const done = await client.batch(zone, { deletes: doomed.map(({ id }) => id), posts }, call);
      await putBack(zone, doomed, done, call);
      return steps.map((step) => outcomeOf(step, done, zone));
    } catch (error) {
      if (!isProviderError(error)) throw error;
      const status = error.details.sent === true ? 'unknown' : 'failed';
      return steps.map(({ kind }) => (kind === 'none' ? { status: 'unchanged' } : { status, error }));
    }
  }

  /** A batch deletes by id, whatever the record holds by then; the answer tells what it was. */
  async function putBack(
    zone: Zone,
    doomed: readonly Row[],
    { deleted }: BatchResult,
    call: CallContext,
  ): Promise<void> {
    const foreign = deleted.flatMap(({ id, held }) => {
      const read = doomed.find((row) => row.id === id);
      return held === undefined || (read?.name === held.name && read.value === held.value) ? [] : [held.again];
    });
    if (foreign.length === 0) return;
    const records = foreign.map(({ type, name, content }) => `${type} ${name} with the content ${content}`);
    const what = `somebody changed records of zone ${zone.name} just when they were removed: ${records.join(', ')}`;
    try {
      await client.batch(zone, { deletes: [], posts: foreign }, call);
      host.warn(`${providerName}: ${what}. They were put back, with other ids.`);
    } catch (error) {
      if (!isProviderError(error)) throw error;
      const why = [error.kind, error.details.httpStatus ?? ''].join(' ').trim();
      host.warn(`${providerName}: ${what}. They could not be put back (${why}): create them again.`);
    }
  }

  function outcomeOf(step: Step, { created, deleted }: BatchResult, zone: Zone): ChangeOutcome {
    if (step.kind === 'none') return { status: 'unchanged' };
    const isDone =
      step.kind === 'create'
        ? created.some(({ name, value }) => name === step.row.name && value === step.row.value)
        : step.rows.every(({ id }) => deleted.some((row) => row.id === id));
    if (isDone) return { status: 'changed' };
    const message = `${providerName}: Cloudflare took a batch for zone ${zone.name} and does not list a change of it as done. It is tried again.`;
    return { status: 'failed', error: new ProviderError({ kind: 'unavailable', message }) };
  }

  async function zones(call: CallContext): Promise<readonly Zone[]> {
    return usableZones(await client.zones(call), (message) => host.warn(`${providerName}: ${message}`));
  }

  return {
    async apply(zone, changes, call) {
      const unseen = stepsUnseen(changes);
      if (unseen !== undefined) {
        const outcomes = await write(zone, unseen, call);
        if (!outcomes.some((outcome) => outcome.status === 'failed' && outcome.error.kind === 'conflict'))
          return outcomes;
      }
      const names = changes.map(({ name }) => name);
      const rows = await client.rows(zone, names, call);
      return write(zone, stepsFrom(rows, changes), call);
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
