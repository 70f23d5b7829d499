import {
  createTsigKey,
  DnsExchangeError,
  type DnsMessage,
  type DnsServer,
  type DnsTransport,
  decodeMessage,
  encodeMessage,
  notAuthMeaning,
  type RequestCheck,
  refusingTransport,
  sendUpdate,
  signMessage,
  signResponse,
  type TsigKey,
  toDnsName,
  type UpdateOptions,
  verifyRequest,
} from '@zoneproof/dns';

const zone = toDnsName('example.test');
const server: DnsServer = { address: '192.0.2.53', port: 53 };
const records = [{ op: 'add', name: toDnsName('_acme-challenge.example.test'), ttl: 60, value: 'v' }] as const;
const key = createTsigKey({ name: toDnsName('k'), algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 1) });
const clientMs = 1_795_243_200_000;

const update = (transport: DnsTransport, more: Partial<UpdateOptions> = {}) =>
  sendUpdate({ zone, records }, server, {
    transport,
    signal: new AbortController().signal,
    key,
    now: () => clientMs,
    ...more,
  });

/** What a server makes of an update, at its own clock. */
interface Heard {
  readonly request: DnsMessage;
  readonly check: RequestCheck;
  readonly wire: Uint8Array;
  /** An answer as the server has to sign it. */
  answer(more?: Partial<DnsMessage>): Uint8Array;
}

function hear(wire: Uint8Array, keys: readonly TsigKey[], clockMs: number): Heard {
  const seconds = clockMs / 1000;
  const request = decodeMessage(wire);
  const check = verifyRequest(wire, new Map(keys.map((known) => [known.name as string, known])), seconds);
  const rcode = check.status === 'refused' ? check.rcode : 'NOERROR';
  const { id, questions } = request;
  return {
    request,
    check,
    wire,
    answer: (more) =>
      signResponse(encodeMessage({ id, opcode: 'UPDATE', response: true, questions, rcode, ...more }), check, seconds),
  };
}

function tcpServer(
  answer: (heard: Heard) => Uint8Array,
  options: { readonly keys?: readonly TsigKey[]; readonly clockMs?: number } = {},
): DnsTransport & { readonly heard: Heard[] } {
  const heard: Heard[] = [];
  return {
    heard,
    udp: () => Promise.reject(new Error('asked over UDP')),
    tcp: async (_server, query) => {
      const one = hear(query, options.keys ?? [key], options.clockMs ?? clientMs);
      heard.push(one);
      return answer(one);
    },
  };
}

test('an update is signed, and its answer verified', async () => {
  const transport = tcpServer((heard) => heard.answer());
  const reply = await update(transport);
  expect(reply).toMatchObject({ rcode: 'NOERROR', transport: 'tcp', tsig: { status: 'verified', error: 0 } });
  expect(transport.heard).toMatchObject([
    {
      check: { status: 'verified' },
      request: {
        opcode: 'UPDATE',
        questions: [{ name: zone, type: 'SOA' }],
        authorities: [{ type: 'TXT', data: ['v'] }],
      },
    },
  ]);
});

test('without a key nothing is signed and nothing expected', async () => {
  const transport = tcpServer((heard) => heard.answer());
  const reply = await sendUpdate({ zone, records }, server, {
    transport,
    signal: new AbortController().signal,
    now: () => clientMs,
  });
  expect(reply).toMatchObject({ rcode: 'NOERROR', tsig: undefined });
  expect(transport.heard).toMatchObject([{ check: { status: 'absent' } }]);
});

describe('BADTIME', () => {
  test.each([3600, -3600, 301])(
    'a clock that is %i s behind the server: signed once more by its clock',
    async (skew) => {
      const transport = tcpServer((heard) => heard.answer(), { clockMs: clientMs + skew * 1000 });
      const reply = await update(transport);
      expect(reply).toMatchObject({
        rcode: 'NOERROR',
        tsig: { status: 'verified', error: 0 },
        clockSkewSeconds: skew,
      });
      expect(transport.heard.map((heard) => heard.check.status)).toEqual(['refused', 'verified']);
    },
  );

  test('a server that says so again is not asked a third time', async () => {
    let clockMs = clientMs;
    const answers: DnsTransport = {
      udp: () => Promise.reject(new Error('asked over UDP')),
      tcp: async (_server, query) => {
        clockMs += 3_600_000;
        return hear(query, [key], clockMs).answer();
      },
    };
    const reply = await update(answers);
    expect(clockMs).toBe(clientMs + 2 * 3_600_000);
    expect(reply).toMatchObject({ rcode: 'NOTAUTH', tsig: { status: 'verified', error: 18 }, clockSkewSeconds: 3600 });
  });

  test('said by someone without the key, it moves no clock', async () => {
    const stranger = createTsigKey({ ...key, name: key.name, algorithm: key.algorithm, secret: Buffer.alloc(32, 2) });
    const transport = tcpServer(({ request, check }) => {
      if (check.status !== 'verified') throw new Error('not verified');
      return signMessage(
        encodeMessage({ id: request.id, opcode: 'UPDATE', response: true, rcode: 'NOTAUTH' }),
        stranger,
        {
          timeSigned: clientMs / 1000,
          requestMac: check.tsig.mac,
          error: 18,
          otherData: Buffer.from('000000000001', 'hex'),
        },
      ).wire;
    });
    expect((await update(transport)).tsig).toEqual({ status: 'forged', reason: 'its MAC is wrong' });
    expect(transport.heard).toHaveLength(1);
  });
});

describe('NOTAUTH', () => {
  const other = createTsigKey({ name: key.name, algorithm: 'hmac-sha512', secret: Buffer.alloc(32, 1) });
  const wrong = createTsigKey({ name: key.name, algorithm: key.algorithm, secret: Buffer.alloc(32, 2) });

  test.each<[string, readonly TsigKey[], object, string]>([
    ['a key that the server does not have', [], { status: 'unsigned', error: 17 }, 'tsig'],
    ['a key that has another algorithm there', [other], { status: 'unsigned', error: 17 }, 'tsig'],
    ['a key that has another secret there', [wrong], { status: 'unsigned', error: 16 }, 'tsig'],
    ['a zone that the server does not have', [key], { status: 'verified', error: 0 }, 'zone'],
  ])('%s', async (_title, keys, tsig, meaning) => {
    const reply = await update(tcpServer((heard) => heard.answer({ rcode: 'NOTAUTH' }), { keys }));
    expect(reply).toMatchObject({ rcode: 'NOTAUTH', tsig });
    expect(notAuthMeaning(reply.tsig)).toBe(meaning);
  });

  test('said without any signature it proves nothing, unless we did not sign either', async () => {
    const bare = ({ request }: Heard) =>
      encodeMessage({ id: request.id, opcode: 'UPDATE', response: true, rcode: 'NOTAUTH' });
    expect(notAuthMeaning((await update(tcpServer(bare))).tsig)).toBe('unproven');
    expect(notAuthMeaning(undefined)).toBe('zone');
  });
});

test('a NOERROR without signature, and one with a wrong MAC, are told', async () => {
  const bare = tcpServer(({ request }) => encodeMessage({ id: request.id, opcode: 'UPDATE', response: true }));
  expect(await update(bare)).toMatchObject({ rcode: 'NOERROR', tsig: { status: 'absent' } });
  const altered = tcpServer((heard) => {
    const wire = Uint8Array.from(heard.answer({ rcode: 'REFUSED' }));
    wire[3] = (wire[3] as number) & 0xf0;
    return wire;
  });
  expect(await update(altered)).toMatchObject({ rcode: 'NOERROR', tsig: { status: 'forged' } });
});

test('a refusal brings the extended errors along', async () => {
  const edns = { udpSize: 1232, dnssecOk: false, extendedErrors: [{ code: 18, text: 'not for you' }] };
  expect(await update(tcpServer((heard) => heard.answer({ rcode: 'REFUSED', edns })))).toMatchObject({
    rcode: 'REFUSED',
    tsig: { status: 'verified', error: 0 },
    extendedErrors: edns.extendedErrors,
  });
});

test.each<[string, (heard: Heard) => Uint8Array, RegExp]>([
  [
    'another id',
    ({ request }) => encodeMessage({ id: request.id ^ 1, opcode: 'UPDATE', response: true }),
    /message id/,
  ],
  ['an answer to a query', ({ request }) => encodeMessage({ id: request.id, response: true }), /answer to QUERY/],
  ['the update itself', ({ wire }) => wire, /a query instead of an answer/],
  [
    'another zone',
    (heard) => heard.answer({ questions: [{ name: toDnsName('test'), type: 'SOA' }] }),
    /another question/,
  ],
  ['no message', () => new Uint8Array(5), /another message id|not a DNS message/],
])('%s is no answer', async (_title, answer, problem) => {
  const error: unknown = await update(tcpServer(answer)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DnsExchangeError);
  expect(error).toMatchObject({ kind: 'malformed', sent: true, message: expect.stringMatching(problem) });
});

describe('a server without TCP', () => {
  const noTcp = new DnsExchangeError('refused', server, 'tcp', 'connection refused', { sent: false });
  /** Delivers datagrams until one is taken, as the system's transport does. */
  function udpServer(answers: (heard: Heard) => readonly Uint8Array[]): DnsTransport & { readonly asked: Heard[] } {
    const asked: Heard[] = [];
    return {
      asked,
      tcp: () => Promise.reject(noTcp),
      udp: async (_server, query, accept, call) => {
        const heard = hear(query, [key], clientMs);
        asked.push(heard);
        const taken = answers(heard).find(accept);
        if (taken) return taken;
        throw new DnsExchangeError('timeout', server, 'udp', `no answer within ${call.timeoutMs} ms`, { sent: true });
      },
    };
  }
  const unsigned = ({ request }: Heard) =>
    encodeMessage({ id: request.id, opcode: 'UPDATE', response: true, rcode: 'REFUSED' });

  test('is asked over UDP', async () => {
    expect(await update(udpServer((heard) => [heard.answer()]))).toMatchObject({ rcode: 'NOERROR', transport: 'udp' });
  });

  test('datagrams that do not verify are dropped while the true one may come', async () => {
    const transport = udpServer((heard) => {
      const forged = Uint8Array.from(heard.answer({ rcode: 'REFUSED' }));
      forged[forged.length - 20] = (forged[forged.length - 20] as number) ^ 1;
      return [unsigned(heard), forged, new Uint8Array(3), heard.answer()];
    });
    expect(await update(transport)).toMatchObject({ rcode: 'NOERROR', tsig: { status: 'verified' } });
  });

  test('when nothing else comes, what the unproven answer said is told as such', async () => {
    const transport = udpServer((heard) => [unsigned(heard)]);
    expect(await update(transport)).toMatchObject({ rcode: 'REFUSED', tsig: { status: 'absent' }, transport: 'udp' });
    expect(transport.asked).toHaveLength(1);
  });

  test('a datagram that gets lost is sent again, with a new id', async () => {
    const transport: ReturnType<typeof udpServer> = udpServer((heard) =>
      transport.asked.length === 1 ? [] : [heard.answer()],
    );
    expect((await update(transport)).rcode).toBe('NOERROR');
    expect(transport.asked[0]?.request.id).not.toBe(transport.asked[1]?.request.id);
  });

  test('silence over UDP is told as sent: the update may have been carried out', async () => {
    await expect(update(udpServer(() => []))).rejects.toMatchObject({ kind: 'timeout', transport: 'udp', sent: true });
  });

  test('an update too large for a datagram leaves the error of TCP', async () => {
    const transport = udpServer((heard) => [heard.answer()]);
    const many = Array.from({ length: 30 }, (_, i) => ({ ...records[0], value: `${i}`.padEnd(43, 'x') }));
    const options = { transport, signal: new AbortController().signal, key, now: () => clientMs };
    await expect(sendUpdate({ zone, records: many }, server, options)).rejects.toBe(noTcp);
    expect(transport.asked).toEqual([]);
  });
});

test('an update that may have arrived is not sent again', async () => {
  const lost = new DnsExchangeError('reset', server, 'tcp', 'closed', { sent: true });
  const transport: DnsTransport = {
    tcp: () => Promise.reject(lost),
    udp: () => Promise.reject(new Error('asked over UDP')),
  };
  await expect(update(transport)).rejects.toBe(lost);
});

test('a switched-off transport is told', async () => {
  await expect(update(refusingTransport())).rejects.toMatchObject({ kind: 'denied', transport: 'tcp' });
});
