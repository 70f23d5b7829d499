import {
  type CallContext,
  type ChangeOutcome,
  createApiRequests,
  defineProvider,
  isProviderError,
  ProviderError,
  type ProviderPlugin,
  Type,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';

/** What may be wrong with it. */
export interface SlotDefects {
  readonly sendsLiveValues?: boolean;
  readonly clearsSlots?: boolean;
  readonly isVague?: boolean;
}

/** A provider for the service with two slots a name: right unless it has a defect. */
export function slotsProvider({ sendsLiveValues, clearsSlots, isVague }: SlotDefects = {}): ProviderPlugin {
  return defineProvider({
    key: 'memory',
    displayName: 'Memory',
    schema: Type.Object({}, { additionalProperties: false }),
    capabilities: {
      model: 'slots',
      maxValuesPerName: 2,
      batch: { maxChanges: 2, atomic: false },
      writeScope: 'name',
      compareAndSet: false,
      ttl: { min: 1, max: 1, default: 1 },
      sync: false,
      buckets: [],
    },
    example: {},
    account: () => 'memory',
    create(_config, host) {
      const requests = createApiRequests(host);
      const ask = async (name: string, call: CallContext, value?: string): Promise<readonly string[]> => {
        const url = `https://slots.test/${name}`;
        const request = value === undefined ? { method: 'GET' as const } : { method: 'POST' as const, body: value };
        const { body } = await requests.send({ ...request, url }, `the slots of ${name}`, call);
        return JSON.parse(Buffer.from(body).toString()) as string[];
      };
      return {
        async findZone({ name }) {
          if (name.includes('unlinked')) {
            const target = toDnsName('_acme-challenge.slots.test');
            throw new ProviderError({
              kind: 'action-required',
              message: isVague
                ? `${host.providerName}: ${name} is not set up.`
                : `${host.providerName}: create ${name} CNAME ${target}.`,
              action: { kind: 'create-cname', name, target },
            });
          }
          return name.endsWith('.example.test') ? { id: name, name } : undefined;
        },
        async apply(zone, changes, call) {
          const outcomes: ChangeOutcome[] = [];
          for (const { state, value } of changes) {
            try {
              if (state === 'absent' && clearsSlots) await ask(zone.name, call, '');
              const isDone = state === 'absent' || (await ask(zone.name, call)).includes(value);
              if (!isDone || sendsLiveValues) await ask(zone.name, call, value);
              outcomes.push({ status: isDone && !sendsLiveValues ? 'unchanged' : 'changed' });
            } catch (error) {
              if (!isProviderError(error)) throw error;
              outcomes.push({ status: error.details.sent ? 'unknown' : 'failed', error });
            }
          }
          return outcomes;
        },
        check: () => Promise.resolve([{ what: 'reachable', result: 'unknown', detail: 'Nothing is asked.' }]),
      };
    },
  }) as unknown as ProviderPlugin;
}
