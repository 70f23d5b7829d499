import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  createTsigKey,
  DnsDecodeError,
  DnsEncodeError,
  type DnsMessage,
  decodeMessage,
  encodeMessage,
  toDnsName,
  verifyRequest,
  verifyResponse,
} from '@zoneproof/dns';
import { fuzz, fuzzSeconds, heapUsed, type Random } from '@zoneproof/farm';

const options = { what: 'DNS messages', seed: 8945, seconds: 3 };
const seconds = fuzzSeconds(options);
/** One message may take this long on a busy machine; a loop or a blow-up takes much longer. */
const maxMs = 1000;

const vectors = JSON.parse(readFileSync(new URL('../fixtures/tsig-vectors.json', import.meta.url), 'utf8')) as {
  readonly static: readonly { readonly signedHex: string }[];
  readonly captured: readonly { readonly requestHex: string; readonly responseHex: string }[];
};
const dnssec = JSON.parse(readFileSync(new URL('../fixtures/dnssec-answers.json', import.meta.url), 'utf8')) as {
  readonly sets: Readonly<Record<string, { readonly messages: Readonly<Record<string, string>> }>>;
};
const corpus = [
  ...vectors.static.map((vector) => vector.signedHex),
  ...vectors.captured.flatMap((vector) => [vector.requestHex, vector.responseHex]),
  ...Object.values(dnssec.sets).flatMap(({ messages }) => Object.values(messages)),
].map((hex) => Buffer.from(hex, 'hex'));
const name = toDnsName('_acme-challenge.www.example.test');
corpus.push(
  Buffer.from(
    encodeMessage({
      id: 1,
      response: true,
      aa: true,
      questions: [{ name, type: 'TXT' }],
      answers: [
        { name, type: 'CNAME', ttl: 60, data: toDnsName('a.example.net') },
        { name: toDnsName('a.example.net'), type: 'TXT', ttl: 60, data: ['one', 'two'] },
        { name, type: 'A', ttl: 60, data: '192.0.2.1' },
        { name, type: 'AAAA', ttl: 60, data: '2001:db8::1' },
      ],
      authorities: [
        { name, type: 'NS', ttl: 60, data: toDnsName('ns.example.net') },
        {
          name,
          type: 'SOA',
          ttl: 60,
          data: { mname: name, rname: name, serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
        },
      ],
      edns: { udpSize: 1232, dnssecOk: true, extendedErrors: [{ code: 18, text: 'Prohibited' }] },
    }),
  ),
);

test(
  'any octets give a message or DnsDecodeError, in bounded time and memory',
  async () => {
    let messages = 0;
    const inputs = await fuzz(options, (random) => {
      if (judge(nextInput(random))) messages++;
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
    // Both sides of the decoder were visited.
    expect(messages).toBeGreaterThan(inputs / 100);
    expect(inputs - messages).toBeGreaterThan(inputs / 100);
  },
  seconds * 1000 + 30_000,
);

describe('messages made to be expensive', () => {
  const record = (owner: readonly number[], type: number, rdata: readonly number[]) =>
    Buffer.from([...owner, type >> 8, type & 0xff, 0, 1, 0, 0, 0, 0, rdata.length >> 8, rdata.length & 0xff, ...rdata]);
  const pointer = (target: number) => [0xc0 | (target >> 8), target & 0xff];
  const fill = (first: Buffer, next: (index: number) => Buffer): Buffer => {
    const records = [first];
    let length = 12 + first.length;
    for (let index = 0; ; index++) {
      const one = next(index);
      if (length + one.length > 65_535) break;
      records.push(one);
      length += one.length;
    }
    const header = Buffer.alloc(12);
    header.writeUInt16BE(0x8400, 2);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, ...records]);
  };
  const rdataStart = 12 + 11;

  /** Each label points to the one before: 126 labels need 126 jumps. */
  const staircase: number[] = [1, 97, 0];
  for (let at = 0, step = 3; step + 4 <= 3 + 125 * 4; at = step, step += 4)
    staircase.push(1, 97, ...pointer(rdataStart + at));
  const top = pointer(rdataStart + staircase.length - 4);
  /** Pointers to pointers to pointers, as far as fourteen bits reach. */
  const ladder: number[] = [0];
  while (ladder.length < 16_000) ladder.push(...pointer(rdataStart + (ladder.length === 1 ? 0 : ladder.length - 2)));
  /** Names of 126 labels; every offset of them is somebody's target. */
  const combs: number[] = [];
  while (combs.length < 16_000) combs.push(...Array.from({ length: 126 }, () => [1, 97]).flat(), 0);
  const escapes = [63, 63, 63, 61].flatMap((length) => [length, ...new Array<number>(length).fill(0xff)]).concat(0);

  test.each<[string, Buffer]>([
    ['a staircase', fill(record([0], 65280, staircase), () => record(top, 2, top))],
    [
      'a ladder',
      fill(record([0], 65280, ladder), (i) => record(pointer(rdataStart + 15_999 - 2 * (i % 7000)), 2, [0])),
    ],
    ['combs', fill(record([0], 65280, combs), (i) => record(pointer(rdataStart + ((i * 7919) % 7000) * 2), 2, [0]))],
    ['escapes', fill(record(escapes, 65280, []), () => record(pointer(12), 2, pointer(12)))],
    ['65 000 empty strings', fill(record([0], 16, new Array<number>(65_000).fill(0)), () => record([0], 16, []))],
    ['5900 empty records', fill(record([0], 65280, []), () => record([0], 65280, []))],
  ])('%s', (_title, wire) => {
    const before = heapUsed();
    const startedAt = performance.now();
    let message: DnsMessage | undefined;
    try {
      message = decodeMessage(wire);
    } catch (error) {
      expect(error).toBeInstanceOf(DnsDecodeError);
    }
    expect(performance.now() - startedAt).toBeLessThan(maxMs);
    expect(heapUsed() - before).toBeLessThan(16e6);
    expect(message?.answers.length ?? 0).toBeLessThan(wire.length / 11);
  });
});

const key = createTsigKey({ name: toDnsName('k-sha256'), algorithm: 'hmac-sha256', secret: Buffer.alloc(32) });
const keys = new Map([[key.name as string, key]]);

/** True for a message. What can be read can be written and read again, or is too large for that. */
function judge(wire: Uint8Array): boolean {
  try {
    verifyRequest(wire, keys, 0);
    verifyResponse(wire, key, wire.subarray(0, 32), 0);
    const message = decodeMessage(wire);
    const records = message.answers.length + message.authorities.length + message.additionals.length;
    if (records > wire.length / 11) throw new Error(`${records} records`);
    // jest's toEqual takes ten times as long as all the rest.
    if (wire.length < 2000 && !isDeepStrictEqual(decodeMessage(encodeMessage(message)), message))
      throw new Error('written and read again it is another message');
    return true;
  } catch (error) {
    if (error instanceof DnsDecodeError) return false;
    if (error instanceof DnsEncodeError && /65535/.test(error.message)) return true;
    throw new Error(`${shown(wire)}: ${error}`, { cause: error });
  }
}

function nextInput(random: Random): Buffer {
  const wire = Buffer.from(corpus[random(corpus.length)] as Buffer);
  switch (random(12)) {
    case 0:
      return noise(random, random(600));
    case 1:
      return Buffer.concat([wire.subarray(0, 12), noise(random, random(300))]);
    case 2:
      return wire.subarray(0, random(wire.length));
    case 3: {
      const other = corpus[random(corpus.length)] as Buffer;
      return Buffer.concat([wire.subarray(0, random(wire.length)), other.subarray(random(other.length))]);
    }
    case 4:
      return random(200) === 0 ? noise(random, 60_000 + random(5600)) : wire;
    default:
      for (let changes = 1 + random(4); changes > 0; changes--) mutate(wire, random);
      return wire;
  }
}

function mutate(wire: Buffer, random: Random): void {
  const at = random(wire.length - 1);
  switch (random(6)) {
    case 0:
      wire[at] = random(256);
      break;
    case 1:
      wire[at] = (wire[at] as number) ^ (1 << random(8));
      break;
    case 2:
      wire.writeUInt16BE(0xc000 | random(wire.length), at);
      break;
    case 3:
      wire.writeUInt16BE([0, 1, 0xff, 0xffff, 0x7fff][random(5)] as number, at);
      break;
    case 4:
      wire.writeUInt16BE([0, 1, 2, 3, 0xffff][random(5)] as number, 4 + 2 * random(4));
      break;
    case 5:
      wire.copy(wire, at, random(wire.length), random(wire.length));
      break;
  }
}

function noise(random: Random, length: number): Buffer {
  const octets = Buffer.alloc(length);
  for (let i = 0; i < length; i++) octets[i] = random(4) === 0 ? random(256) : random(20);
  return octets;
}

function shown(wire: Uint8Array): string {
  return Buffer.from(wire).toString('hex');
}
