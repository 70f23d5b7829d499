import { type CallContext, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChangeListDiff, ChangeListInfo, StagedDiff } from './answers.ts';
import { type Client, isConcurrent, isRefusal } from './client.ts';
import { abandonedAfterMs, judgeLeftover } from './leftover.ts';
import { isSameRdata, type SetEdit, type TxtSet, type WantedSet } from './record-set.ts';

/** One set to change: as it was read, and what to make of it. */
export interface PlannedEdit {
  readonly current: TxtSet | undefined;
  readonly edit: SetEdit;
}

/** Writes sets that may be there already. */
export interface ChangeLists {
  /**
   * One change list: made, filled with one edit a set, compared, submitted. It is bound to the version of the zone that
   * was active when it was made, and the comparison shows that the sets of that version are those that were read: a
   * write in between ends in kind `conflict`. https://techdocs.akamai.com/edge-dns/reference/use-change-lists
   *
   * Resolves to the sets that were refused for what they are, or for which no time was left; the others are written.
   *
   * @throws ProviderError when nothing was written; with `details.sent` when a write has no answer
   */
  write(
    zone: DnsName,
    planned: readonly PlannedEdit[],
    wanted: readonly WantedSet[],
    call: CallContext,
  ): Promise<ReadonlyMap<DnsName, ProviderError>>;
}

/** Left for comparing and submitting what is staged. */
const reserveMs = 6_000;

export function createChangeLists(client: Client, { providerName, clock }: ProviderHost): ChangeLists {
  /** The list that this process made last in each zone; losing it costs a wait. */
  const own = new Map<DnsName, { readonly zoneVersionId: string | undefined; readonly madeAt: number }>();

  function conflict(message: string, cause?: unknown): ProviderError {
    return new ProviderError({ kind: 'conflict', message: `${providerName}: ${message}`, sent: false, cause });
  }

  async function create(zone: DnsName, overwrite: 'none' | 'stale', call: CallContext): Promise<void> {
    const madeAt = clock.now();
    try {
      const { zoneVersionId } = await client.createList(zone, overwrite, call);
      own.set(zone, { zoneVersionId, madeAt });
    } catch (error) {
      // Refused: the earlier one is still there. Otherwise nobody knows whose is there now.
      if (!isRefusal(error, 409)) own.delete(zone);
      throw error;
    }
  }

  /** Until then nobody else takes it over, and what is bound to the same version is the same list. */
  function isMine(zone: DnsName, { zoneVersionId }: ChangeListInfo): boolean {
    const mine = own.get(zone);
    if (mine === undefined || mine.zoneVersionId === undefined) return false;
    return mine.zoneVersionId === zoneVersionId && clock.now() - mine.madeAt < abandonedAfterMs;
  }

  /** An empty change list of ours. */
  async function open(zone: DnsName, wanted: readonly WantedSet[], call: CallContext): Promise<void> {
    try {
      return await create(zone, 'none', call);
    } catch (error) {
      if (!isRefusal(error, 409) || isConcurrent(error)) throw error;
    }
    const list = await client.list(zone, call);
    const diff = await client.diff(zone, call);
    switch (judgeLeftover(list, diff, isMine(zone, list), wanted)) {
      case 'discard':
        own.delete(zone);
        await client.dropList(zone, call);
        return create(zone, 'none', call);
      case 'replace':
        return create(zone, 'stale', call);
      case 'busy': {
        const seconds = Math.max(0, Math.round((list.ageMs ?? 0) / 1000));
        throw conflict(
          `another process or person with this API client is changing zone ${zone}, last ${seconds} s ago. It is tried again; an API client for zoneproof alone avoids the wait.`,
        );
      }
      case 'foreign':
        throw new ProviderError({
          kind: 'unavailable',
          message: `${providerName}: the user of this API client has left a change list of zone ${zone} with other changes (${summary(diff)}). Submit or discard it in Akamai Control Center, or make an API client for zoneproof alone: there can be one list only.`,
          retryAfterMs: abandonedAfterMs,
          sent: false,
        });
    }
  }

  /** Stages edits until the time is short. A set that is refused for what it is does not keep the others back. */
  async function stage(
    zone: DnsName,
    planned: readonly PlannedEdit[],
    call: CallContext,
  ): Promise<ReadonlyMap<DnsName, ProviderError>> {
    const refused = new Map<DnsName, ProviderError>();
    for (const [at, { edit }] of planned.entries()) {
      if (at > 0 && clock.now() > call.deadlineAt - reserveMs) {
        const message = `${providerName}: no time was left to change ${edit.name} with the others: Edge DNS takes a request for each set. It is asked again.`;
        refused.set(edit.name, new ProviderError({ kind: 'unavailable', message, sent: false }));
        continue;
      }
      try {
        await client.stage(zone, edit, call);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        if (error.kind === 'zone-not-found')
          throw conflict(
            `zone ${zone} and its change list are not as they were when ${edit.name} was read. It is tried again.`,
            error,
          );
        if (error.kind !== 'invalid' && error.kind !== 'quota') throw error;
        refused.set(edit.name, error);
      }
    }
    return refused;
  }

  /** @throws ProviderError of kind `conflict` unless the list changes what was read into what is meant, and nothing else */
  async function compare(zone: DnsName, planned: readonly PlannedEdit[], call: CallContext): Promise<void> {
    const { base, sets, settings } = await client.diff(zone, call);
    const ours = own.get(zone)?.zoneVersionId;
    if (settings > 0 || sets.length !== planned.length || (ours !== undefined && base !== undefined && ours !== base))
      throw conflict(
        `something else changed the change list of zone ${zone} meanwhile, so it was not submitted. It is tried again; an API client for zoneproof alone avoids this.`,
      );
    const other = planned.find((one) => !sets.some((set) => isAsRead(set, one) && isAsMeant(set, one)));
    if (other !== undefined)
      throw conflict(`somebody else changed the TXT set ${other.edit.name} meanwhile. It is tried again.`);
  }

  /**
   * Removes the list when it is of no use any more, unless it has become somebody else's. Where that cannot be told or
   * done, the next call judges it.
   */
  async function drop(zone: DnsName, planned: readonly PlannedEdit[], call: CallContext): Promise<void> {
    try {
      const { sets, settings } = await client.diff(zone, call);
      own.delete(zone);
      if (settings === 0 && sets.every((set) => planned.some((one) => isAsMeant(set, one))))
        await client.dropList(zone, call);
    } catch (error) {
      if (!isProviderError(error)) throw error;
    }
  }

  return {
    async write(zone, planned, wanted, call) {
      await open(zone, wanted, call);
      try {
        const refused = await stage(zone, planned, call);
        const staged = planned.filter(({ edit }) => !refused.has(edit.name));
        if (staged.length === 0) await drop(zone, planned, call);
        else {
          await compare(zone, staged, call);
          await client.submit(zone, call);
          own.delete(zone);
        }
        return refused;
      } catch (error) {
        if (isProviderError(error) && error.kind === 'conflict') await drop(zone, planned, call);
        throw error;
      }
    },
  };
}

function isAsRead({ from }: StagedDiff, { current }: PlannedEdit): boolean {
  if (from === undefined) return false;
  return isSameRdata(from.rdata, current?.rdata ?? []) && (from.ttl === undefined || from.ttl === current?.ttl);
}

function isAsMeant({ name, type, to }: StagedDiff, { edit }: PlannedEdit): boolean {
  if (name !== edit.name || type !== 'TXT' || to === undefined) return false;
  return isSameRdata(to.rdata, edit.op === 'DELETE' ? [] : edit.rdata);
}

/** `www.example.com A and 2 more` */
function summary({ sets }: ChangeListDiff): string {
  const [first] = sets;
  if (first === undefined) return 'settings of the zone';
  return `${first.name} ${first.type}${sets.length > 1 ? ` and ${sets.length - 1} more` : ''}`;
}
