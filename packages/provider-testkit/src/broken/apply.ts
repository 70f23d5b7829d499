import { type ChangeOutcome, isProviderError, type TxtChange } from '@zoneproof/core';
import type { BrokenProvider } from './broken-provider.ts';
import { memoryProvider } from './memory-provider.ts';
import { slotsProvider } from './slots-provider.ts';

const present = (changes: readonly TxtChange[]): string[] =>
  changes.filter(({ state }) => state === 'present').map(({ value }) => value);

export const brokenApply: readonly BrokenProvider[] = [
  {
    defect: 'removes the whole set',
    rejectedBy: 'A1',
    because: /values at .* after one value took the place of another/,
    plugin: memoryProvider((right) => ({
      nextValues: (stored, changes) =>
        changes.some(({ state }) => state === 'absent') ? present(changes) : right.nextValues(stored, changes),
    })),
  },
  {
    defect: 'drops the sibling value',
    rejectedBy: 'A1',
    because: /values at .* after the first value/,
    plugin: memoryProvider((right) => ({
      nextValues: (stored, changes) =>
        present(changes).length > 0 ? present(changes).slice(-1) : right.nextValues(stored, changes),
    })),
  },
  {
    defect: "puts its own TTL on somebody else's set",
    rejectedBy: 'A1',
    because: /TTL of the foreign RRset/,
    plugin: memoryProvider(() => ({ nextTtl: (_stored, changes) => (changes[0] as TxtChange).ttl })),
  },
  {
    defect: 'says changed whatever was there',
    rejectedBy: 'A2',
    because: /outcomes: changed/,
    plugin: memoryProvider((right) => ({
      apply: async (zone, changes, call) =>
        (await right.apply(zone, changes, call)).map((outcome) =>
          outcome.status === 'unchanged' ? { status: 'changed' } : outcome,
        ),
    })),
  },
  {
    defect: 'says failed of a write whose answer was lost',
    rejectedBy: 'A2',
    because: /after a lost answer: failed/,
    plugin: memoryProvider((right) => ({
      apply: async (zone, changes, call) =>
        (await right.apply(zone, changes, call)).map((outcome) =>
          outcome.status === 'unknown' ? { status: 'failed', error: outcome.error } : outcome,
        ),
    })),
  },
  {
    defect: 'gives the outcomes in another order',
    rejectedBy: 'A3',
    because: /outcomes: unchanged, changed/,
    plugin: memoryProvider((right) => ({
      apply: async (zone, changes, call) => (await right.apply(zone, changes, call)).toReversed(),
    })),
  },
  {
    defect: 'never sees that somebody else wrote',
    rejectedBy: 'A4',
    because: /values at .* after four writers at once|unchanged|failed/,
    plugin: memoryProvider(() => ({ ifMatch: () => '*' })),
  },
  {
    defect: 'keeps what belongs to a call in the instance, and so is unsafe when called concurrently',
    rejectedBy: 'A4',
    because: /values at .* after four calls at once of one instance/,
    plugin: memoryProvider((right) => {
      let current: readonly TxtChange[] = [];
      return {
        writeName(name, changes, call, tries) {
          current = changes;
          return right.writeName(name, changes, call, tries);
        },
        nextValues: (stored) => right.nextValues(stored, current),
      };
    }),
  },
  {
    defect: 'writes again and again',
    rejectedBy: 'A5',
    because: /[3-9] writes of one value beside a busy writer/,
    plugin: memoryProvider((right) => ({
      async apply(zone, changes, call) {
        let outcomes = await right.apply(zone, changes, call);
        for (let more = 3; more > 0 && outcomes.some(({ status }) => status === 'failed'); more--)
          outcomes = await right.apply(zone, changes, call);
        return outcomes;
      },
    })),
  },
  {
    defect: 'writes each value by itself and twice over',
    rejectedBy: 'A5',
    because: /[3-9] writes for 3 values at one name/,
    plugin: memoryProvider((right) => ({
      async writeName(name, changes, call, tries) {
        const outcomes: ChangeOutcome[] = [];
        for (const change of changes) outcomes.push(...(await right.writeName(name, [change], call, tries)));
        return outcomes;
      },
    })),
  },
  {
    defect: 'forgets at a restart what it wrote',
    rejectedBy: 'A6',
    because: /outcomes: unchanged/,
    plugin: memoryProvider((right) => {
      const mine = new Set<string>();
      return {
        nextValues(stored, changes) {
          for (const value of present(changes)) mine.add(value);
          return right.nextValues(
            stored,
            changes.filter(({ value }) => mine.has(value)),
          );
        },
      };
    }),
  },
  {
    defect: 'believes a yes',
    rejectedBy: 'A7',
    because: /answers as done and does not do: changed/,
    plugin: memoryProvider(() => ({ readBack: () => Promise.resolve(undefined) })),
  },
  {
    defect: 'writes over a live slot',
    rejectedBy: 'A8',
    because: /writes of live values|outcomes: changed/,
    plugin: slotsProvider({ sendsLiveValues: true }),
    slots: true,
  },
  {
    defect: 'fills a slot to remove a value',
    rejectedBy: 'A8',
    because: /requests of absent|outcomes: changed/,
    plugin: slotsProvider({ clearsSlots: true }),
    slots: true,
  },
  {
    defect: 'overwrites what a foreign writer added in between',
    rejectedBy: 'A9',
    because: /values at .* after a foreign writer came in between/,
    plugin: memoryProvider((right) => {
      let refused = false;
      return {
        // After a refusal it writes what it meant to, whatever is there now.
        ifMatch: (stored) => (refused ? '*' : right.ifMatch(stored)),
        async writeName(name, changes, call, tries) {
          const outcomes = await right.writeName(name, changes, call, Math.min(tries, 1));
          refused = outcomes.some((one) => one.status === 'failed' && isProviderError(one.error));
          return refused && tries > 1 ? right.writeName(name, changes, call, 1) : outcomes;
        },
      };
    }),
  },
];
