import { type CallContext, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { SetResource } from './answers.ts';
import type { ClouddnsConfig } from './config.ts';
import type { SetChange, TxtSet } from './rrset.ts';
import { createSdk } from './sdk.ts';

/** The requests of the Cloud DNS API that are used; https://cloud.google.com/dns/docs/reference/rest/v1 */
export interface Client {
  /** managedZones.list, every page; managedZones.get for a block that names its zone. */
  zones(call: CallContext): Promise<readonly ZoneResource[]>;
  /** changes.create; the change's id, where the answer has one. */
  createChange(zone: string, sets: readonly SetChange[], call: CallContext): Promise<string | undefined>;
  /** resourceRecordSets.list: the TXT sets of these names (final dot), as far as they exist. */
  txtSets(zone: string, names: readonly string[], call: CallContext): Promise<ReadonlyMap<string, TxtSet>>;
  /** changes.get: `pending` or `done`. */
  changeStatus(zone: string, change: string, call: CallContext): Promise<unknown>;
  /** By how much this machine's clock is off; '' when it is right, or nothing was answered yet. */
  clock(): string;
}

/** https://cloud.google.com/dns/docs/reference/rest/v1/managedZones; only what is used, and any of it may be missing. */
export interface ZoneResource {
  readonly name?: unknown;
  readonly dnsName?: unknown;
  readonly visibility?: unknown;
  readonly nameServers?: unknown;
  readonly forwardingConfig?: unknown;
  readonly peeringConfig?: unknown;
}

const pageSize = 1_000;
const fewNames = 2;

export function createClient(config: ClouddnsConfig, host: ProviderHost): Client {
  const sdk = createSdk(config, host);
  const { project, managedZone } = config;

  /** Page after page, as the SDK gives out the query of the next one. */
  async function* pages<Item>(
    what: string,
    list: (query: Query) => Promise<readonly [readonly Item[], ...unknown[]]>,
  ): AsyncGenerator<readonly Item[]> {
    const seen = new Set<string | undefined>();
    for (let query: Query | null = { autoPaginate: false, maxResults: pageSize }; query; ) {
      if (seen.has(query.pageToken)) {
        const message = `${host.providerName}: ${what} comes back to a page that it has given already. It is asked again later.`;
        throw new ProviderError({ kind: 'unavailable', message });
      }
      seen.add(query.pageToken);
      const [items, next]: readonly [readonly Item[], ...unknown[]] = await list(query);
      yield items;
      query = next as Query | null;
    }
  }

  return {
    async zones(call) {
      if (managedZone !== undefined) {
        const what = `the question for managed zone ${managedZone} of project ${project}`;
        const dns = await sdk.open({ what, permission: 'dns.managedZones.get', answer: 'zone' }, call);
        const [zone] = await dns.zone(managedZone).getMetadata();
        return [zone as ZoneResource];
      }
      const what = `the list of managed zones of project ${project}`;
      const dns = await sdk.open({ what, permission: 'dns.managedZones.list', answer: 'zones' }, call);
      const zones: ZoneResource[] = [];
      for await (const page of pages(what, (query) => dns.getZones(query)))
        zones.push(...page.map(({ metadata }) => metadata));
      return zones;
    },

    async createChange(zone, sets, call) {
      const what = `a change of ${setsOf(sets)} in managed zone ${zone}`;
      const managed = (await sdk.open({ what, permission: writePermissions(sets), answer: 'change' }, call)).zone(zone);
      const record = ({ name, ttl, rrdatas }: TxtSet) => managed.record('TXT', { name, ttl, rrdatas: [...rrdatas] });
      const [{ id }] = await managed.createChange({
        add: sets.flatMap(({ addition }) => (addition ? [record(addition)] : [])),
        delete: sets.flatMap(({ deletion }) => (deletion ? [record(deletion)] : [])),
      });
      return typeof id === 'string' && id !== '' ? id : undefined;
    },

    async txtSets(zone, names, call) {
      const what = `the list of record sets in managed zone ${zone}`;
      const found = new Map<string, TxtSet>();
      const missing = () => names.filter((name) => !found.has(name));
      const keep = (records: readonly { readonly metadata: object }[]) => {
        const wanted = new Set(missing());
        for (const set of records.flatMap(({ metadata }) => readTxtSet(metadata)))
          if (wanted.has(set.name)) found.set(set.name, set);
      };
      const managed = (await sdk.open({ what, permission: 'dns.resourceRecordSets.list', answer: 'sets' }, call)).zone(
        zone,
      );
      // Whichever takes fewer requests: the zone in pages, or name by name, since the API filters by one name only.
      if (names.length > fewNames) {
        let pagesLeft = names.length;
        for await (const page of pages(what, (query) => managed.getRecords(query))) {
          keep(page);
          pagesLeft--;
          if (pagesLeft === 0) break;
        }
        if (pagesLeft > 0) return found;
      }
      for (const name of missing())
        for await (const page of pages(what, (query) => managed.getRecords({ ...query, name, type: 'TXT' })))
          keep(page);
      return found;
    },

    async changeStatus(zone, change, call) {
      const what = `the question for change ${change} in managed zone ${zone}`;
      const dns = await sdk.open({ what, permission: 'dns.changes.get', answer: 'change' }, call);
      const [metadata] = await dns.zone(zone).change(change).getMetadata();
      return (metadata as { readonly status?: unknown }).status;
    },

    clock: () => sdk.clock(),
  };
}

interface Query {
  readonly autoPaginate: boolean;
  readonly maxResults: number;
  readonly pageToken?: string;
}

function setsOf(sets: readonly SetChange[]): string {
  const name = (sets[0]?.addition ?? sets[0]?.deletion)?.name.replace(/\.$/, '');
  return sets.length === 1 ? `the TXT set ${name}` : `${sets.length} TXT sets`;
}

/** https://cloud.google.com/dns/docs/access-control#permissions */
function writePermissions(sets: readonly SetChange[]): string {
  const rights = new Set(
    sets.map(({ addition, deletion }) => (addition ? (deletion ? 'update' : 'create') : 'delete')),
  );
  return ['dns.changes.create', ...[...rights].map((right) => `dns.resourceRecordSets.${right}`)].join(' and ');
}

function readTxtSet(metadata: object): TxtSet[] {
  const { name, type, ttl, rrdatas, routingPolicy } = metadata as SetResource;
  if (type !== 'TXT') return [];
  return [
    routingPolicy === undefined
      ? { name: name.toLowerCase(), ttl, rrdatas }
      : { name: name.toLowerCase(), ttl, rrdatas: [], isRouted: true },
  ];
}
