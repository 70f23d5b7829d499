import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type { Sandbox } from '@zoneproof/sandbox';
import { readState } from '../store/file-store.ts';
import type { Boundary } from './crash-process.ts';
import { type CrashWorld, startCrashWorld, wrongEnd } from './crash-world.ts';

jest.setTimeout(3_600_000);

const isSoak = process.env.ZONEPROOF_SOAK_SECONDS !== undefined;

/** Three Certificates share an account: two values fit into its slots, the third one has to wait. */
const domains = ['app.example.test', 'app2.example.test', 'app3.example.test'] as const;
const effects = ['order.record-values', 'order.present', 'order.respond', 'order.settle-values'] as const;
const boundaries = effects.flatMap((effect): Boundary[] => [`${effect} before`, `${effect} after`]);

let world: CrashWorld;
let guard: Guard;

afterEach(async () => {
  await world.close();
  await guard.close();
});

describe.each([
  ['its DNS side can be asked', true],
  ['its DNS side cannot be asked', false],
] as const)('an acme-dns account that three Orders share, when %s', (_title, isSeen) => {
  beforeEach(async () => {
    guard = await startGuard();
    world = await startCrashWorld({}, (sandbox) => manifests(sandbox, guard.url, isSeen));
    guard.watch(world.sandbox);
    for (const domain of domains.slice(1))
      world.sandbox.dns.set({
        name: `_acme-challenge.${domain}`,
        type: 'CNAME',
        value: world.sandbox.acmeDnsAccount.fulldomain,
      });
  });

  // At the second visit another Order has a value there already.
  const few = [['order.present after', 2] as const, ['order.respond after', 2] as const];
  const all = [1, 2, 3].flatMap((visit) => boundaries.map((boundary) => [boundary, visit] as const));

  test.each(isSoak ? all : few)(
    'killed at %s, visit %d: all are issued, and no live value is written over',
    async (...at) => {
      const [boundary, occurrence] = at;
      const stateDir = await world.newState();
      guard.judge(stateDir);
      const crashed = await world.run(stateDir, { killAt: { boundary, occurrence } }).ended;
      const ended = await world.run(stateDir).ended;
      // How often an effect is visited depends on which values travel together.
      if (occurrence === 1 || crashed.code !== 0)
        expect([crashed.signal, crashed.output]).toEqual(['SIGKILL', expect.any(String)]);
      expect(wrongEnd(ended)).toEqual([]);
      expect(guard.evictions).toEqual([]);
      expect(world.sandbox.ca.counts).toMatchObject({
        certificates: domains.length,
        failedValidations: 0,
        accounts: 1,
      });
      expect((await readState(stateDir)).orders.flatMap(({ status }) => status.ledger ?? [])).toEqual([]);
    },
  );
});

/** Stands before the API of acme-dns and sees which value each update writes over. */
interface Guard {
  readonly url: string;
  /** Values that were written over while the ledger of an Order held them, with the Order. */
  readonly evictions: readonly string[];
  watch(sandbox: Sandbox): void;
  judge(stateDir: string): void;
  close(): Promise<void>;
}

async function startGuard(): Promise<Guard> {
  let sandbox: Sandbox | undefined;
  let stateDir = '';
  const evictions: string[] = [];

  async function forward(request: IncomingMessage): Promise<{ readonly status: number; readonly body: string }> {
    const { url, acmeDns, acmeDnsAccount } = { url: request.url, ...(sandbox as Sandbox) };
    const live = () => acmeDns.values(acmeDnsAccount.fulldomain);
    const body = Buffer.concat(await request.toArray());
    const { orders } = await readState(stateDir);
    const before = live();
    const answer = await fetch(`${acmeDns.url}${url}`, {
      method: request.method as string,
      headers: Object.entries(request.headers).filter(([name]) => name.startsWith('x-api-')) as [string, string][],
      ...(request.method === 'POST' ? { body } : {}),
    });
    const gone = before.filter((value) => !live().includes(value));
    for (const { metadata, status } of orders)
      for (const { value } of status.ledger ?? [])
        if (gone.includes(value)) evictions.push(`${value} of ${metadata.name}`);
    return { status: answer.status, body: await answer.text() };
  }

  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    evictions,
    watch: (given) => {
      sandbox = given;
    },
    judge: (given) => {
      stateDir = given;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function manifests(sandbox: Sandbox, apiUrl: string, isSeen: boolean): Readonly<Record<string, string>> {
  const { 'issuer.yaml': issuer = '' } = sandbox.manifests();
  const account = JSON.stringify(Object.fromEntries(domains.map((domain) => [domain, sandbox.acmeDnsAccount])));
  const { address, port } = sandbox.acmeDns.dns;
  const nameserver = new RegExp(`\\n *nameserver: ${address}:${port}$`, 'm');
  const json = (objects: readonly object[]) => objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const header = { apiVersion: 'zoneproof.dev/v1alpha1', kind: 'Certificate' };
  return {
    ...sandbox.manifests(),
    'issuer.yaml': (isSeen ? issuer : issuer.replace(nameserver, '')).replace(sandbox.acmeDns.url, apiUrl),
    'secrets.yaml': json([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'rfc2136-tsig' },
        stringData: { secret: Buffer.from(sandbox.tsigKey.secret).toString('base64') },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'acmedns-account' },
        stringData: { 'acmedns.json': account },
      },
    ]),
    'certificates.yaml': json(
      domains.map((domain, index) => ({
        ...header,
        metadata: { name: `app${index + 1}` },
        spec: {
          secretName: `app${index + 1}-tls`,
          issuerRef: { name: 'sandbox' },
          dnsNames: [domain],
          dns01: [{ provider: 'acmedns', domains: [domain] }],
        },
      })),
    ),
  };
}
