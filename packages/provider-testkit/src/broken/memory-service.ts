import {
  type Egress,
  EgressError,
  type HttpAnswer,
  type HttpRequest,
  type RecordTarget,
  refuseAllEgress,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import type { Fixture } from '../conformance/fixture.ts';
import { memoryBadDays } from './memory-bad-days.ts';

export interface StoredRrset {
  readonly ttl: number;
  readonly values: readonly string[];
  readonly version: number;
}

/** What the service does to the next request, once. */
export interface MemoryFault {
  readonly on: 'any' | 'write';
  /** Another writer comes first. */
  before?(name: DnsName): void;
  /** Instead of the answer that was made; nothing is carried out when `refuses`. */
  answer?(made: HttpAnswer | undefined): HttpAnswer;
  readonly refuses?: boolean;
  /** Carried out, and the answer does not come back. */
  readonly lost?: boolean;
}

export interface MemoryService extends Fixture {
  fault: MemoryFault | undefined;
  readonly zoneList: Zone[];
}

export const token = 'a-token-that-nobody-may-see';
const pageSize = 3;

/**
 * A DNS service in memory with a small API of its own:
 *
 *   GET /zones?page=1            {"zones": [...], "next": 2}
 *   GET /txt/NAME                {"ttl": 60, "values": [...], "version": 1} or 404
 *   PUT /txt/NAME if-match: 1    {"change": "c1"} or 412; 0 for what is not there, `*` for any
 *   GET /changes/c1              {"state": "pending"}, from the third look on "synced"
 *
 * `slow`: what was written is published when its change is synced.
 */
export function startMemoryService({ slow = false } = {}): MemoryService {
  const stored = new Map<string, StoredRrset>();
  const published = new Map<string, StoredRrset>();
  const looks = new Map<string, { left: number; readonly name: string }>();
  let count = 0;
  let pretend = false;
  let forbidden = false;

  function put(name: string, rrset: Omit<StoredRrset, 'version'>, at = published): void {
    const next = { ...rrset, version: (stored.get(name)?.version ?? 0) + 1 };
    stored.set(name, next);
    at.set(name, next);
  }

  function write(name: string, { headers = {}, body }: HttpRequest): HttpAnswer {
    if (name.endsWith('away.example.test')) return json(422, { error: 'delegated', cut: 'away.example.test' });
    if (name.includes('refused')) return json(422, { error: 'refused-value' });
    const match = headers['if-match'] ?? '0';
    const version = stored.get(name)?.version ?? 0;
    if (match !== '*' && Number(match) !== version) return json(412, { error: 'changed' });
    const change = `c${looks.size + 1}`;
    looks.set(change, { left: slow ? 2 : 0, name });
    if (!pretend) put(name, JSON.parse(String(body)) as StoredRrset, slow ? new Map<string, StoredRrset>() : published);
    return json(200, { change });
  }

  function look(change: string): HttpAnswer {
    if (forbidden) return json(403, { error: 'forbidden', action: 'changes:get' });
    const known = looks.get(change);
    if (!known) return json(404, {});
    if (known.left-- > 0) return json(200, { state: 'pending' });
    const rrset = stored.get(known.name);
    if (rrset) published.set(known.name, rrset);
    return json(200, { state: 'synced' });
  }

  function answer(request: HttpRequest): HttpAnswer {
    const { pathname, searchParams } = new URL(request.url);
    const [, kind, id = ''] = pathname.split('/');
    if (request.headers?.authorization !== `Bearer ${token}`) return json(401, { error: 'unauthorized' });
    if (kind === 'changes') return look(id);
    if (kind === 'txt') {
      if (request.method === 'PUT') return write(id, request);
      const rrset = stored.get(id);
      return json(rrset ? 200 : 404, rrset ?? {});
    }
    const page = Number(searchParams.get('page') ?? '1');
    const zones = service.zoneList.slice((page - 1) * pageSize, page * pageSize);
    return json(200, { zones, ...(service.zoneList.length > page * pageSize && { next: page + 1 }) });
  }

  async function http(request: HttpRequest): Promise<HttpAnswer> {
    const { fault } = service;
    if (!fault || (fault.on === 'write' && request.method === 'GET')) return answer(request);
    service.fault = undefined;
    fault.before?.(toDnsName(request.url.split('/').at(-1) as string));
    const made = fault.refuses ? undefined : answer(request);
    if (fault.lost) throw new EgressError('reset', 'memory.test: closed before its answer', true);
    return fault.answer?.(made) ?? (made as HttpAnswer);
  }

  const egress: Egress = { ...refuseAllEgress(), http, withCaBundle: () => egress };
  const service: MemoryService = {
    fault: undefined,
    zoneList: ['example.test', 'sub.example.test'].map((name) => ({ id: `id-${name}`, name: toDnsName(name) })),
    config: { tokenSecretRef: { name: 'api', key: 'token' } },
    secrets: { api: { token } },
    wrongSecrets: { api: { token: 'another-token-to-be-kept' } },
    newTarget: () => Promise.resolve(targetOf(`host${++count}.example.test`)),
    observe: (name) => Promise.resolve({ values: published.get(name)?.values ?? [], ttl: published.get(name)?.ttl }),
    plant(name, value, ttl) {
      put(name, { ttl: stored.get(name)?.ttl ?? ttl, values: [...(stored.get(name)?.values ?? []), value] });
      return Promise.resolve();
    },
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('www.sub.example.test'), zone: 'sub.example.test' },
      { target: targetOf('badexample.test'), zone: undefined },
    ],
    pretendWrites(on) {
      pretend = on;
    },
    manyZones() {
      for (let at = 1; at <= 5; at++) service.zoneList.unshift({ id: `m${at}`, name: toDnsName(`many${at}.test`) });
      return Promise.resolve(() => void service.zoneList.splice(0, 5));
    },
    forbidSync() {
      forbidden = true;
      return () => {
        forbidden = false;
      };
    },
    get badDays() {
      return memoryBadDays(service);
    },
    egress,
    close: () => Promise.resolve(),
  };
  return service;
}

export function targetOf(domain: string): RecordTarget {
  const challengeName = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName, name: challengeName };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}
