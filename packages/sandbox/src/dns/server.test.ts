import { createSocket } from 'node:dgram';
import { createConnection } from 'node:net';
import {
  createTsigKey,
  decodeMessage,
  encodeMessage,
  encodeQuery,
  exchange,
  sendUpdate,
  systemTransport,
  type TsigKey,
  toDnsName,
  tsigAlgorithms,
  tsigErrors,
  type UpdateRecord,
  type UpdateReply,
} from '@zoneproof/dns';
import fc from 'fast-check';
import { type SandboxDns, startDnsServer } from './server.ts';

const key = tsigKey('update', 'hmac-sha256', 1);
const transport = systemTransport;
const name = toDnsName('_acme-challenge.example.test');
let now = 0;
let dns: SandboxDns;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 21, 12);
  dns = await startDnsServer({
    zones: [
      { name: 'example.test' },
      { name: 'open.test', updates: 'unsigned' },
      { name: 'fixed.test', updates: 'refused' },
    ],
    tsigKeys: tsigAlgorithms.map((algorithm, index) => tsigKey(`key${index}`, algorithm, index)).concat(key),
    endpoints: 2,
    clock: { now: () => now },
  });
});
afterEach(() => dns.close());

describe('updates and TSIG (RFC 8945 5.2, as BIND 9.18 answers)', () => {
  test.each(tsigAlgorithms.map((algorithm, index) => [algorithm, index] as const))('%s', async (algorithm, index) => {
    const reply = await update([add('v')], tsigKey(`key${index}`, algorithm, index));
    expect([reply.rcode, reply.tsig?.status, tsigError(reply)]).toEqual(['NOERROR', 'verified', 0]);
    expect(dns.values(name)).toEqual(['v']);
  });

  test.each([
    ['an unknown key', () => update([add('v')], tsigKey('nobody', 'hmac-sha256', 1)), 'NOTAUTH', tsigErrors.BADKEY],
    [
      'a known key with another algorithm',
      () => update([add('v')], tsigKey('update', 'hmac-sha512', 1)),
      'NOTAUTH',
      tsigErrors.BADKEY,
    ],
    ['a wrong secret', () => update([add('v')], tsigKey('update', 'hmac-sha256', 2)), 'NOTAUTH', tsigErrors.BADSIG],
    ['a zone that is not here, with a good MAC', () => update([add('v')], key, 'elsewhere.test'), 'NOTAUTH', 0],
    ['a zone where nobody may update', () => update([add('v')], key, 'fixed.test'), 'REFUSED', 0],
    ['a name outside the zone', () => update([{ ...add('v'), name: toDnsName('x.open.test') }], key), 'NOTZONE', 0],
    ['no signature', () => update([add('v')], undefined), 'REFUSED', undefined],
  ])('%s', async (_title, send, rcode, error) => {
    const reply = await send();
    expect([reply.rcode, tsigError(reply)]).toEqual([rcode, error]);
    expect(dns.values(name)).toEqual([]);
    expect([dns.serial('example.test'), dns.updateCounts.messages]).toEqual([1, 0]);
  });

  test('a clock far off: BADTIME, signed, with the server’s time; the client’s second try passes', async () => {
    dns.skewMs = 3_600_000;
    const reply = await update([add('v')], key);
    expect(reply.rcode).toBe('NOERROR');
    expect(dns.updates.map((entry) => entry.rcode)).toEqual(['NOTAUTH', 'NOERROR']);
    expect(dns.values(name)).toEqual(['v']);
  });

  test('a zone configured without a key takes unsigned updates', async () => {
    const owner = toDnsName('x.open.test');
    expect((await update([{ ...add('v'), name: owner }], undefined, 'open.test')).rcode).toBe('NOERROR');
    expect(dns.values(owner)).toEqual(['v']);
  });

  test('the log tells zone, records, key and outcome; the counts only what was done', async () => {
    await update([add('a'), add('b')], key);
    await update([add('c')], undefined);
    expect(dns.updates).toEqual([
      { zone: 'example.test', records: 2, rcode: 'NOERROR', key: 'update' },
      { zone: 'example.test', records: 1, rcode: 'REFUSED', key: undefined },
    ]);
    expect(dns.updateCounts).toEqual({ messages: 1, records: 2 });
  });
});

describe('faults', () => {
  test.each([
    ['SERVFAIL', 'SERVFAIL', []],
    ['ignored', 'NOERROR', []],
    ['lost', undefined, ['v']],
    ['silent', undefined, []],
  ] as const)('updates %s', async (fault, rcode, values) => {
    dns.updateFault = fault;
    const sent = update([add('v')], key, 'example.test', 100).then(
      (reply) => reply.rcode,
      () => undefined,
    );
    expect(await sent).toBe(rcode);
    expect(dns.values(name)).toEqual(values);
  });

  test('a frozen endpoint lags until it is thawed', async () => {
    dns.endpoints[1]!.frozen = true;
    await update([add('v')], key);
    expect([await ask(0), await ask(1)]).toEqual(['NOERROR 1', 'NXDOMAIN 0']);
    dns.endpoints[1]!.frozen = false;
    expect(await ask(1)).toBe('NOERROR 1');
  });

  test('a silent endpoint and one that answers with a code', async () => {
    dns.endpoints[0]!.queryRcode = 'SERVFAIL';
    expect(await ask(0)).toBe('SERVFAIL 0');
    dns.endpoints[1]!.silent = true;
    await expect(ask(1, 50)).rejects.toThrow();
    dns.endpoints[1]!.silent = false;
    expect(await ask(1)).toBe('NXDOMAIN 0');
  });
});

describe('messages', () => {
  test('over UDP an answer is cut to what the client takes, over TCP it is whole', async () => {
    for (let i = 0; i < 30; i++) dns.set({ name, type: 'TXT', value: `${i}`.padEnd(43, 'x') });
    const cut = decodeMessage(await datagram(encodeQuery({ id: 7, name, type: 'TXT' })));
    expect([cut.tc, cut.answers.length, cut.id]).toEqual([true, 0, 7]);
    const { message, transport: used } = await exchange({ name, type: 'TXT' }, dns.server, { ...call(), rd: false });
    expect([message.answers.length, message.aa, used]).toEqual([30, true, 'tcp']);
    expect(dns.queries.map((query) => query.transport)).toEqual(['udp', 'udp', 'tcp']);
  });

  test('several queries over one connection, in pieces', async () => {
    dns.set({ name, type: 'TXT', value: 'v' });
    const queries = [1, 2, 3].map((id) => withLength(encodeQuery({ id, name, type: 'TXT' })));
    const answers = await pipeline(Buffer.concat(queries), 3);
    expect(answers.map((wire) => decodeMessage(wire).id)).toEqual([1, 2, 3]);
  });

  test.each([
    ['two questions', { questions: [1, 2].map(() => ({ name, type: 'TXT' as const })) }, 'FORMERR'],
    ['NOTIFY', { opcode: 'NOTIFY' as const, questions: [{ name, type: 'SOA' as const }] }, 'NOTIMP'],
    ['class CH', { questions: [{ name, type: 'TXT' as const, class: 'CH' as const }] }, 'REFUSED'],
    [
      'an update of a name and type',
      { opcode: 'UPDATE' as const, questions: [{ name, type: 'TXT' as const }] },
      'FORMERR',
    ],
  ])('%s: answered %3$s', async (_title, sections, rcode) => {
    expect(decodeMessage(await datagram(encodeMessage({ id: 9, ...sections }))).rcode).toBe(rcode);
  });

  test('whatever comes in, the server goes on', async () => {
    const query = encodeQuery({ id: 1, name, type: 'TXT' });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), fc.nat(query.length), async (noise, at) => {
        const mixed = Buffer.concat([query.subarray(0, at), noise]);
        const answer = await Promise.race([datagram(mixed), datagram(query)]);
        expect(answer.length).toBeGreaterThanOrEqual(12);
      }),
      { seed: 1035, numRuns: 100 },
    );
    expect(await ask(0)).toBe('NXDOMAIN 0');
  });
});

test('close ends open connections and frees the port', async () => {
  const other = await startDnsServer({ zones: [{ name: 'x.test' }] });
  const socket = createConnection(other.server.port, other.server.address);
  await new Promise((resolve) => socket.once('connect', resolve));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  await other.close();
  await ended;
  const again = await startDnsServer({ zones: [{ name: 'x.test' }], port: other.server.port });
  expect(again.server).toEqual(other.server);
  await again.close();
});

function tsigKey(keyName: string, algorithm: TsigKey['algorithm'], fill: number): TsigKey {
  return createTsigKey({ name: toDnsName(keyName), algorithm, secret: new Uint8Array(32).fill(fill) });
}

function tsigError({ tsig }: UpdateReply): number | undefined {
  return tsig && 'error' in tsig ? tsig.error : undefined;
}

const add = (value: string): UpdateRecord => ({ op: 'add', name, ttl: 60, value });
const call = (timeoutMs = 2000) => ({ transport, signal: AbortSignal.timeout(10_000), timeoutMs });

function update(records: UpdateRecord[], signer: TsigKey | undefined, zone = 'example.test', timeoutMs = 2000) {
  const options = { ...call(timeoutMs), now: () => now, ...(signer && { key: signer }) };
  return sendUpdate({ zone: toDnsName(zone), records }, dns.server, options);
}

async function ask(endpoint: number, timeoutMs = 2000): Promise<string> {
  const { message } = await exchange({ name, type: 'TXT' }, dns.endpoints[endpoint]!.server, {
    ...call(timeoutMs),
    rd: false,
    tries: 1,
  });
  return `${message.rcode} ${message.answers.length}`;
}

/** One datagram and the answer to it. */
function datagram(wire: Uint8Array): Promise<Buffer> {
  const socket = createSocket('udp4');
  const closed = new Promise<Buffer>((resolve, reject) => {
    socket.once('message', (answer) => {
      socket.close();
      resolve(answer);
    });
    socket.once('error', reject);
  });
  open.add(socket);
  socket.send(wire, dns.server.port, dns.server.address);
  return closed;
}

const open = new Set<ReturnType<typeof createSocket>>();
afterEach(() => {
  // Those that wait for an answer that noise does not get.
  for (const socket of open) socket.removeAllListeners();
  for (const socket of open) if (isOpen(socket)) socket.close();
  open.clear();
});

function isOpen(socket: ReturnType<typeof createSocket>): boolean {
  try {
    socket.address();
    return true;
  } catch {
    return false;
  }
}

function withLength(wire: Uint8Array): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(wire.length);
  return Buffer.concat([prefix, wire]);
}

/** Sends octets over TCP in pieces of 5 and reads so many answers. */
function pipeline(octets: Buffer, count: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(dns.server.port, dns.server.address);
    let received = Buffer.alloc(0);
    socket.setNoDelay(true).on('error', reject);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answers: Buffer[] = [];
      for (let at = 0; at + 2 <= received.length; at += 2 + received.readUInt16BE(at))
        answers.push(received.subarray(at + 2, at + 2 + received.readUInt16BE(at)));
      if (answers.length < count) return;
      socket.destroy();
      resolve(answers);
    });
    for (let at = 0; at < octets.length; at += 5) socket.write(octets.subarray(at, at + 5));
  });
}
