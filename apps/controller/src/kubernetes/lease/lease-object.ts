import type { Instant, LeaseRecord, Terms } from './election.ts';

/** A coordination.k8s.io/v1 Lease as the API server sent it: what we do not know of it is written back as it was. */
export interface LeaseObject {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: LeaseSpec;
}

/** Times are RFC 3339 with microseconds. They are for people: nothing is decided by another machine's clock. */
interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** @throws TypeError when it is no Lease */
export function readLease(json: unknown): LeaseObject {
  const { metadata, spec } = (json ?? {}) as { readonly metadata?: unknown; readonly spec?: unknown };
  if (typeof metadata !== 'object' || metadata === null) throw new TypeError('the API server answered with no Lease');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: metadata as LeaseObject['metadata'],
    spec: typeof spec === 'object' && spec !== null ? spec : {},
  };
}

export function recordOf({ metadata, spec }: LeaseObject): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds } = spec;
  return {
    version: String(metadata.resourceVersion),
    holder: holderIdentity ?? '',
    durationMs: leaseDurationSeconds === undefined ? undefined : leaseDurationSeconds * 1000,
  };
}

export function newLease(namespace: string, name: string): LeaseObject {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec: {} };
}

/** The Lease with us as its holder, from now on or still. */
export function heldLease(lease: LeaseObject, { me, durationMs }: Terms, now: Instant): LeaseObject {
  const { spec } = lease;
  const time = microTime(now);
  const still = spec.holderIdentity === me;
  return {
    ...lease,
    spec: {
      ...spec,
      holderIdentity: me,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: still ? (spec.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (spec.leaseTransitions ?? 0) + (still || spec.holderIdentity === undefined ? 0 : 1),
    },
  };
}

/** Given back, as client-go does it: no holder, and for those who look at the duration alone, one second. */
export function releasedLease(lease: LeaseObject, now: Instant): LeaseObject {
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(now) },
  };
}

function microTime({ wall }: Instant): string {
  return new Date(wall).toISOString().replace('Z', '000Z');
}
