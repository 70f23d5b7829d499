import type { BrokenProvider } from './broken-provider.ts';
import { memoryProvider } from './memory-provider.ts';
import { token } from './memory-service.ts';
import { slotsProvider } from './slots-provider.ts';

export const brokenPlugins: readonly BrokenProvider[] = [
  {
    defect: 'has another key than its package',
    rejectedBy: 'P1',
    because: /marker/,
    plugin: memoryProvider(undefined, { key: 'other' }),
  },
  {
    defect: 'has an example that its schema refuses',
    rejectedBy: 'P1',
    because: /the example against the schema/,
    plugin: memoryProvider(undefined, { example: {} as never }),
  },
  {
    defect: 'takes a secret for the name of the account',
    rejectedBy: 'P2',
    because: /the account holds a secret/,
    plugin: memoryProvider(undefined, { account: () => token }),
  },
];

export const brokenZones: readonly BrokenProvider[] = [
  {
    defect: 'takes the first zone that ends alike',
    rejectedBy: 'Z1',
    because: /zone of _acme-challenge\.www\.sub\.example\.test/,
    plugin: memoryProvider((right) => ({ listZones: async (call) => (await right.listZones(call)).slice(0, 1) })),
  },
  {
    defect: 'is vague about what a person has to do first',
    rejectedBy: 'Z2',
    because: /the record is not in the message/,
    plugin: slotsProvider({ isVague: true }),
    slots: true,
  },
  {
    defect: 'ignores a page',
    rejectedBy: 'Z3',
    because: /1 requests for a list of several pages/,
    plugin: memoryProvider((right) => ({
      async send(request, what, call) {
        const answer = await right.send(request, what, call);
        const { next: _ignored, ...page } = JSON.parse(Buffer.from(answer.body).toString()) as { next?: number };
        return { ...answer, body: Buffer.from(JSON.stringify(page)) };
      },
    })),
  },
];

export const brokenSync: readonly BrokenProvider[] = [
  {
    defect: 'says synced at once',
    rejectedBy: 'S1',
    because: /synced, and no request was sent to see it/,
    plugin: memoryProvider(() => ({ syncState: () => Promise.resolve({ state: 'synced' }) })),
  },
  {
    defect: 'takes pending for synced',
    rejectedBy: 'S1',
    because: /synced, and not to be seen/,
    plugin: memoryProvider((right) => ({
      syncState: async (receipt, call) => ({ ...(await right.syncState(receipt, call)), state: 'synced' }),
    })),
  },
  {
    defect: 'gives no receipt',
    rejectedBy: 'S1',
    because: /changed, and no receipt/,
    plugin: memoryProvider((right) => ({
      apply: async (zone, changes, call) =>
        (await right.apply(zone, changes, call)).map((one) => (one.status === 'changed' ? { status: 'changed' } : one)),
    })),
  },
  {
    defect: 'waits for ever where looking is forbidden',
    rejectedBy: 'S1',
    because: /the state where looking is forbidden/,
    plugin: memoryProvider((right) => ({
      async syncState(receipt, call) {
        const seen = await right.syncState(receipt, call);
        return seen.state === 'unknown' ? { state: 'pending' } : seen;
      },
    })),
  },
];

export const brokenChecks: readonly BrokenProvider[] = [
  {
    defect: 'lets check throw',
    rejectedBy: 'C1',
    because: /did not answer to the list of zones/,
    plugin: memoryProvider((right) => ({
      check: async (call) => {
        await right.listZones(call);
        return [{ what: 'credentials', result: 'ok', detail: 'The token is accepted.' }];
      },
    })),
  },
  {
    defect: 'finds all well without asking',
    rejectedBy: 'C1',
    because: /nothing failed although no connection came about/,
    plugin: memoryProvider(() => ({
      check: () => Promise.resolve([{ what: 'credentials', result: 'ok', detail: 'The token is there.' }]),
    })),
  },
];
