import { type EmulatedZones, type EmulatorServer, startEmulatorServer } from '../emulator/index.ts';
import type { SyncRule } from './changes.ts';
import type { NewHostedZone } from './hosted-zones.ts';
import type { Role } from './identities.ts';
import { type AccessPolicy, writingPolicy } from './policy.ts';
import type { RecordSet } from './record-set.ts';
import { type ArrangedRefusal, AwsAccount } from './service.ts';

export interface Route53Options {
  /** Names of public zones, or zones in full. */
  readonly zones?: readonly (string | NewHostedZone)[];
  /** What the access key may do; default {@link writingPolicy}. */
  readonly policy?: AccessPolicy;
  /** Default: in sync at once. */
  readonly sync?: SyncRule;
  /** What the credential scope has to name; default us-east-1, as in the partition `aws`. */
  readonly signingRegion?: string;
  /** How another client stores what it plants where nothing stands yet; default `simple`. */
  readonly plantAs?: 'simple' | 'multivalue';
}

/** Route 53 and STS of one account, at one origin. */
export interface Route53Emulator extends EmulatorServer, EmulatedZones {
  /** Of a user with the policy of the options. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Answers the zone's id. */
  addZone(zone: NewHostedZone): string;
  removeZone(id: string): void;
  /** Of the zone with this name that was made first. */
  zoneIdOf(name: string): string;
  /** All sets of a zone, other types too. */
  recordSets(zoneId: string): readonly RecordSet[];
  /** Stores a set past the API. */
  putRecordSet(zoneId: string, set: RecordSet): void;
  /** While it is on, every identity has this policy; undefined takes it back. */
  setPolicy(policy: AccessPolicy | undefined): void;
  addRole(role: Role): void;
  /** Refuses the next requests of an action. */
  refuse(refusal: ArrangedRefusal): void;
  /** How far AWS's clock is ahead of this one. */
  setSkewMs(skewMs: number): void;
  setSync(rule: SyncRule): void;
  /** All changes so far reach the name servers. */
  settleChanges(): void;
  /** A refused batch names no more than so many of its changes. */
  setMaxMessages(count: number): void;
  setMaxRecordsPerZone(count: number): void;
}

const accessKeyId = 'AKIAEMULATED00000001';
const secretAccessKey = 'emulated/Secret+Key/of40characters0123456';

export async function startRoute53(options: Route53Options = {}): Promise<Route53Emulator> {
  const { policy = writingPolicy, sync = { afterPolls: 0 }, plantAs = 'simple' } = options;
  const account = new AwsAccount(options.signingRegion ?? 'us-east-1', sync);
  account.identities.addKey(accessKeyId, {
    secretAccessKey,
    arn: 'arn:aws:iam::123456789012:user/zoneproof',
    policy,
  });
  for (const zone of options.zones ?? []) account.zones.add(typeof zone === 'string' ? { name: zone } : zone);
  const server = await startEmulatorServer(account);
  return {
    ...server,
    accessKeyId,
    secretAccessKey,
    addZone: (zone) => account.zones.add(zone),
    removeZone: (id) => account.zones.remove(id),
    zoneIdOf(name) {
      const zone = account.zones.sorted().find((one) => one.name === name);
      if (zone === undefined) throw new Error(`there is no zone ${name}`);
      return zone.id;
    },
    recordSets: (zoneId) => [...account.zones.get(zoneId).sets.values()],
    putRecordSet(zoneId, set) {
      account.zones.put(zoneId, set);
    },
    setPolicy(other) {
      account.policy = other;
    },
    addRole: (role) => account.identities.addRole(role),
    refuse: (refusal) => void account.refusals.push({ refusal, left: refusal.times ?? 1 }),
    setSkewMs(skewMs) {
      account.skewMs = skewMs;
    },
    setSync(rule) {
      account.changes.rule = rule;
    },
    settleChanges: () => account.changes.settleAll(),
    setMaxMessages(count) {
      account.maxMessages = count;
    },
    setMaxRecordsPerZone(count) {
      account.maxRecordsPerZone = count;
    },
    published: (name) => account.zones.published(name),
    plant(name, value, ttl) {
      account.zones.plant(name, value, ttl, plantAs);
      for (const listener of account.listeners) listener(account.zones.published(name));
    },
    onPublish: (listener) => void account.listeners.push(listener),
  };
}
