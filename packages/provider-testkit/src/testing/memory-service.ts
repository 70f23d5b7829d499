import { type Egress, EgressError, type HttpAnswer, type HttpRequest } from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import type { Fixture } from '../conformance/fixture.ts';

export interface StoredRrset {
  readonly ttl: number;
  readonly values: readonly string[];
  readonly version: number;
}

export const token = 'a-token-that-nobody-may-see';
const zones = [toDnsName('example.test'), toDnsName('sub.example.test')];

/** A DNS service in memory with a small API of its own: GET /zones, GET and PUT /rrsets/NAME; a PUT holds for
 * the version in if-match, or for any (`*`). */
export function startMemoryService(): Fixture {
  const rrsets = new Map<string, StoredRrset>();
  let count = 0;
  let pretend = false;

  function answer({ method, url, headers = {}, body }: HttpRequest): HttpAnswer {
    const { pathname } = new URL(url);
    if (headers.authorization !== `Bearer ${token}`) return json(401, { error: 'unauthorized' });
    if (pathname === '/zones') return json(200, zones);
    const name = pathname.replace('/rrsets/', '');
    const stored = rrsets.get(name);
    if (method === 'GET') return json(stored ? 200 : 404, stored ?? {});
    const match = headers['if-match'] ?? '0';
    if (match !== '*' && Number(match) !== (stored?.version ?? 0)) return json(412, { error: 'changed' });
    if (pretend) return json(200, {});
    const wanted = JSON.parse(String(body)) as { readonly ttl: number; readonly values: readonly string[] };
    rrsets.set(name, { ...wanted, version: (stored?.version ?? 0) + 1 });
    return json(200, {});
  }

  const unused = (): never => {
    throw new EgressError('denied', 'not for this service', false);
  };
  const egress: Egress = {
    http: (request) => Promise.resolve(answer(request)),
    dispatcher: undefined as unknown as Egress['dispatcher'],
    fetch: unused,
    httpsAgent: undefined as unknown as Egress['httpsAgent'],
    dns: { udp: unused, tcp: unused },
    withCaBundle: () => egress,
    close: () => Promise.resolve(),
  };
  const target = (domain: string) => {
    const challengeName = toDnsName(`_acme-challenge.${domain}`);
    return { domain: toDnsName(domain), challengeName, name: challengeName };
  };
  return {
    config: { tokenSecretRef: { name: 'api', key: 'token' } },
    secrets: { api: { token } },
    wrongSecrets: { api: { token: 'another-token-to-be-kept' } },
    newTarget: () => Promise.resolve(target(`host${++count}.example.test`)),
    observe: (name) => Promise.resolve({ values: rrsets.get(name)?.values ?? [], ttl: rrsets.get(name)?.ttl }),
    plant(name: DnsName, value, ttl) {
      const stored = rrsets.get(name);
      rrsets.set(name, { ttl, values: [...(stored?.values ?? []), value], version: (stored?.version ?? 0) + 1 });
      return Promise.resolve();
    },
    zones: [
      { target: target('www.example.test'), zone: 'example.test' },
      { target: target('www.sub.example.test'), zone: 'sub.example.test' },
      { target: target('badexample.test'), zone: undefined },
    ],
    pretendWrites(on) {
      pretend = on;
    },
    egress,
    close: () => Promise.resolve(),
  };
}

function json(status: number, body: unknown): HttpAnswer {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}
