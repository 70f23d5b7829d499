import { type CallContext, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { type Client, isRefusal } from './client.ts';
import { withoutEffect } from './errors.ts';
import { judgeLeftover, type OwnList } from './leftover.ts';
import { readSets } from './read-sets.ts';
import { editFor, isSameSet, missingIn, type SetEdit, type TxtSet, type WantedSet } from './record-set.ts';

/** What became of one set: the values that were changed, or why none was. */
export type SetResult = { readonly changed: ReadonlySet<string> } | { readonly error: ProviderError };

/** Writes sets that may be there already. */
export interface ChangeLists {
  /**
   * One change list: made, read from, filled with one edit a set, compared, submitted. It is bound to the version of
   * the zone that was active when it was made, so that a write in between refuses it (kind `conflict`).
   * https://techdocs.akamai.com/edge-dns/reference/use-change-lists
   *
   * @throws ProviderError when nothing was changed; `details.sent` when the submission has no answer
   */
  write(zone: DnsName, wanted: readonly WantedSet[], call: CallContext): Promise<ReadonlyMap<DnsName, SetResult>>;
}

/** Left for comparing and submitting what is staged. */
const reserveMs = 6_000;

export function createChangeLists(client: Client, host: ProviderHost): ChangeLists {
  const { providerName, clock } = host;
  const own = new Map<DnsName, OwnList>();

  function conflict(message: string, cause?: unknown): ProviderError {
    return new ProviderError({ kind: 'conflict', message: `${providerName}: ${message}`, sent: false, cause });
  }

  async function create(zone: DnsName, overwrite: 'none' | 'stale', call: CallContext): Promise<void> {
    try {
      own.set(zone, { ...(await client.createList(zone, overwrite, call)), unanswered: false });
    } catch (error) {
      if (isProviderError(error) && error.details.sent === true)
        own.set(zone, { unanswered: true, changeTag: undefined, zoneVersionId: undefined });
      throw error;
    }
  }

  /** An empty change list of ours, made or taken over. */
  async function open(zone: DnsName, wanted: readonly WantedSet[], call: CallContext): Promise<void> {
    try {
      return await create(zone, 'none', call);
    } catch (error) {
      // concurrentZoneModification says nothing about a list.
      if (!isRefusal(error, 409) || /concurrent/i.test(error.details.vendorCode ?? '')) throw error;
    }
    const list = await client.list(zone, call);
    const diff = list.stale ? undefined : await client.diff(zone, call);
    const now = clock.now();
    switch (judgeLeftover({ list, diff }, own.get(zone), wanted, now)) {
      case 'adopt':
        own.set(zone, { ...list, unanswered: false });
        return;
      case 'discard':
        await client.dropList(zone, call);
        return create(zone, 'none', call);
      case 'replace':
        return create(zone, 'stale', call);
      case 'busy': {
        const since = Number.isNaN(list.modifiedAt)
          ? ''
          : `, ${Math.max(0, Math.round((now - list.modifiedAt) / 1000))} s ago`;
        throw conflict(
          `another process or person with this API client is changing zone ${zone}${since}. It is tried again; an API client for zoneproof alone avoids the wait.`,
        );
      }
      case 'foreign': {
        const [first] = diff?.sets ?? [];
        const about = first === undefined ? 'settings of the zone' : `${first.name} ${first.type}`;
        const more = (diff?.sets.length ?? 0) > 1 ? ` and ${(diff?.sets.length ?? 0) - 1} more` : '';
        throw conflict(
          `the user of this API client has left a change list of zone ${zone} with other changes (${about}${more}). Submit or discard it in Akamai Control Center, or make an API client for zoneproof alone.`,
        );
      }
    }
  }

  /** Stages edits until the time is short. A set that is refused for what it is does not keep the others back. */
  async function stageAll(
    zone: DnsName,
    edits: readonly SetEdit[],
    call: CallContext,
  ): Promise<ReadonlyMap<DnsName, ProviderError>> {
    const refused = new Map<DnsName, ProviderError>();
    for (const [at, edit] of edits.entries()) {
      if (at > 0 && clock.now() > call.deadlineAt - reserveMs) {
        const message = `${providerName}: no time was left to change ${edit.name} with the others: Edge DNS takes one request for each set. It is asked again.`;
        refused.set(edit.name, new ProviderError({ kind: 'unavailable', message, sent: false }));
        continue;
      }
      try {
        await client.stage(zone, edit, call);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        if (error.kind === 'zone-not-found')
          throw conflict(`the change list of zone ${zone} was removed by somebody else. It is tried again.`, error);
        if (error.kind !== 'invalid' && error.kind !== 'quota') throw error;
        refused.set(edit.name, error);
      }
    }
    return refused;
  }

  /** With another tool at work under the same user, staged edits may have gone to a list of its own. */
  async function compare(zone: DnsName, edits: readonly SetEdit[], call: CallContext): Promise<void> {
    const staged = await client.diff(zone, call);
    const base = own.get(zone)?.zoneVersionId;
    const isSame =
      staged.settings === 0 &&
      staged.sets.length === edits.length &&
      (base === undefined || staged.base === undefined || staged.base === base) &&
      edits.every((edit) => {
        const found = staged.sets.find(({ name, type }) => name === edit.name && type === 'TXT');
        return found !== undefined && isSameSet(found.to, edit.op === 'DELETE' ? [] : edit.rdata);
      });
    if (!isSame)
      throw conflict(
        `something else changed the change list of zone ${zone} meanwhile, so it was not submitted. It is tried again; an API client for zoneproof alone avoids this.`,
      );
  }

  /** A list that is of no use any more; when that fails, the next call takes it over. */
  async function drop(zone: DnsName, call: CallContext): Promise<void> {
    await client.dropList(zone, call).catch(() => undefined);
  }

  return {
    async write(zone, wanted, call) {
      try {
        const { staged, results } = await prepare(zone, wanted, call);
        if (staged === 0) await drop(zone, call);
        else await client.submit(zone, call);
        return results;
      } catch (error) {
        if (isRefusal(error, 409) || isRefusal(error, 412)) await drop(zone, call);
        throw error;
      }
    },
  };

  /** All but the submission. @throws ProviderError, never with `sent`: of what was not submitted, nothing happened */
  async function prepare(zone: DnsName, wanted: readonly WantedSet[], call: CallContext) {
    try {
      await open(zone, wanted, call);
      const names = wanted.map(({ name }) => name);
      const current = await readSets(client, { in: 'changelists', zone }, names, call);
      const edits = wanted.flatMap((one) => editFor(current.get(one.name), one) ?? []);
      const refused = await stageAll(zone, edits, call);
      const staged = edits.filter(({ name }) => !refused.has(name));
      if (staged.length > 0) await compare(zone, staged, call);
      return { staged: staged.length, results: resultsOf(wanted, current, refused) };
    } catch (error) {
      throw withoutEffect(error);
    }
  }
}

function resultsOf(
  wanted: readonly WantedSet[],
  current: ReadonlyMap<DnsName, TxtSet>,
  refused: ReadonlyMap<DnsName, ProviderError>,
): ReadonlyMap<DnsName, SetResult> {
  return new Map(
    wanted.map((one): [DnsName, SetResult] => {
      const error = refused.get(one.name);
      return [one.name, error === undefined ? { changed: missingIn(current.get(one.name), one) } : { error }];
    }),
  );
}
