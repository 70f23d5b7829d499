import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { DnsExchangeError, FramedConnection } from '@zoneproof/dns';
import { fuzz, fuzzSeconds, type Random } from '@zoneproof/farm';
import { FrameReader, frame } from './frames.ts';

const options = { seed: 7858, seconds: 1 };
const seconds = fuzzSeconds(options);

test(
  'messages come out of a stream as they went in, however it is cut, and noise is bounded',
  async () => {
    const inputs = await fuzz({ ...options, what: 'frames of a stream' }, (random) => {
      const messages = Array.from({ length: random(6) }, () => noise(random, random(200) === 0 ? 65_535 : random(200)));
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (const chunk of cut(Buffer.concat(messages.map(frame)), random)) read.push(...reader.read(chunk));
      if (!isDeepStrictEqual(read, messages)) throw new Error('other messages came out');

      const unread = new FrameReader();
      const octets = noise(random, random(2000));
      let length = 0;
      for (const chunk of cut(octets, random)) for (const message of unread.read(chunk)) length += message.length + 2;
      if (length > octets.length) throw new Error('more came out than went in');
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
  },
  seconds * 1000 + 30_000,
);

test(
  'whatever a server sends over a connection, each query gets one message under its own id or a DnsExchangeError',
  async () => {
    let answered = 0;
    const inputs = await fuzz({ ...options, what: 'connections' }, async (random) => {
      const socket = new StandIn();
      const connection = new FramedConnection(socket as unknown as Socket, {
        server: { kind: 'tls', host: 'dns.example', port: 853 },
        transport: 'tls',
        readyEvent: 'secureConnect',
        idleMs: 1000,
        toError: (error, sent) =>
          new DnsExchangeError('reset', { address: '192.0.2.1', port: 853 }, 'tls', error.message, { sent }),
      });
      const signal = new AbortController().signal;
      const queries = Array.from({ length: 1 + random(5) }, () => noise(random, 12 + random(30)));
      const early = random(2) === 0;
      if (early) socket.emit('secureConnect');
      const asked = queries.map((query) => connection.ask(query, { timeoutMs: 10_000, signal }));
      if (!early) socket.emit('secureConnect');
      for (const chunk of cut(hostile(socket.written, random), random)) socket.emit('data', chunk);
      if (random(4) === 0) socket.emit('error', new Error('broken'));
      socket.emit('close');
      const outcomes = await Promise.allSettled(asked);
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') {
          answered += 1;
          const query = queries[at] as Buffer;
          if (Buffer.from(outcome.value).compare(query, 0, 2, 0, 2) !== 0) throw new Error('another id');
        } else if (!(outcome.reason instanceof DnsExchangeError)) throw outcome.reason;
      }
      if (connection.usable || !socket.destroyed) throw new Error('the connection stays');
    });
    expect(inputs).toBeGreaterThan(seconds * 50);
    expect(answered).toBeGreaterThan(inputs / 10);
  },
  seconds * 1000 + 30_000,
);

/** What a stream does towards its connection, without a network below. */
class StandIn extends EventEmitter {
  readonly written: Buffer[] = [];
  destroyed = false;

  write(chunk: Buffer): void {
    this.written.push(chunk);
  }

  ref(): void {}

  unref(): void {}

  destroy(): void {
    this.destroyed = true;
  }
}

/** Answers to some of what was asked, repeated, out of order, changed, cut, with noise among them. */
function hostile(written: readonly Buffer[], random: Random): Buffer {
  const parts = Array.from({ length: random(12) }, () => {
    const part = Buffer.from(written[random(written.length)] as Buffer);
    switch (random(8)) {
      case 0:
        return noise(random, random(40));
      case 1:
        return frame(noise(random, random(4)));
      case 2:
        part[random(part.length)] = random(256);
        return part;
      case 3:
        return part.subarray(0, random(part.length));
      default:
        return part;
    }
  });
  return Buffer.concat(parts);
}

function cut(octets: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = [];
  const most = octets.length > 10_000 ? 70_000 : ([1, 7, 100, 70_000][random(4)] as number);
  for (let at = 0; at < octets.length; ) {
    const end = at + 1 + random(most);
    chunks.push(octets.subarray(at, end));
    at = end;
  }
  return chunks;
}

function noise(random: Random, length: number): Buffer {
  const octets = Buffer.alloc(length);
  const scarce = random(2) === 0;
  for (let at = 0; at < length; at++) octets[at] = scarce ? random(3) : random(256);
  return octets;
}
