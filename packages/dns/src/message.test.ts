import {
  DnsDecodeError,
  DnsEncodeError,
  type DnsMessage,
  type DnsName,
  type DnsRecord,
  decodeMessage,
  encodeMessage,
  encodeQuery,
  encodeUpdate,
  toDnsName,
  txtValue,
} from '@zoneproof/dns';
import fc from 'fast-check';

const octets = (...parts: readonly (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const header = (questions: number, answers: number, authorities = 0, additionals = 0, flags = 0x8400) =>
  Buffer.from([0, 7, flags >> 8, flags & 0xff, 0, questions, 0, answers, 0, authorities, 0, additionals]);
const zone = toDnsName('example.test');

describe('what is written can be read', () => {
  const label = fc.stringMatching(/^[a-z0-9_](?:[a-z0-9_-]{0,20}[a-z0-9_])?$/);
  const name = fc.array(label, { maxLength: 6 }).map((labels) => toDnsName(labels.join('.')));
  const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
  const ttl = fc.integer({ min: 0, max: 0x7fff_ffff });
  const text = fc.uint8Array({ maxLength: 255 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  const soa = fc.record({ mname: name, rname: name, serial: u32, refresh: u32, retry: u32, expire: u32, minimum: u32 });
  const u16 = fc.integer({ min: 0, max: 0xffff });
  const u8 = fc.integer({ min: 0, max: 0xff });
  const someOctets = fc.uint8Array({ minLength: 1, maxLength: 80 });
  const ds = fc.record({ keyTag: u16, algorithm: u8, digestType: u8, digest: someOctets });
  const dnskey = fc.record({ flags: u16, protocol: u8, algorithm: u8, publicKey: someOctets });
  const rrsig = fc.record({
    typeCovered: fc.constantFrom('TXT' as const, 'TYPE65280' as const),
    algorithm: u8,
    labels: u8,
    originalTtl: u32,
    expiration: u32,
    inception: u32,
    keyTag: u16,
    signer: name,
    signature: someOctets,
  });
  const tag = fc.uint8Array({ minLength: 1, maxLength: 255 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  const caa = fc.record({ flags: u8, tag, value: text });
  const frame = { name, ttl, class: fc.constantFrom('IN' as const, 'NONE' as const, 'CLASS777' as const) };
  const record: fc.Arbitrary<DnsRecord> = fc.oneof(
    fc.record({ ...frame, type: fc.constant('TXT' as const), data: fc.array(text, { minLength: 1, maxLength: 4 }) }),
    fc.record({ ...frame, type: fc.constant('A' as const), data: fc.ipV4() }),
    fc.record({ ...frame, type: fc.constantFrom('CNAME' as const, 'NS' as const, 'DNAME' as const), data: name }),
    fc.record({ ...frame, type: fc.constant('SOA' as const), data: soa }),
    fc.record({ ...frame, type: fc.constant('DS' as const), data: ds }),
    fc.record({ ...frame, type: fc.constant('DNSKEY' as const), data: dnskey }),
    fc.record({ ...frame, type: fc.constant('RRSIG' as const), data: rrsig }),
    fc.record({ ...frame, type: fc.constant('CAA' as const), data: caa }),
    fc.record({
      ...frame,
      type: fc.constantFrom('NSEC' as const, 'NSEC3' as const, 'TYPE65280' as const),
      data: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    }),
  );
  const message: fc.Arbitrary<DnsMessage> = fc.record(
    {
      id: fc.integer({ min: 0, max: 0xffff }),
      opcode: fc.constantFrom('QUERY', 'UPDATE', 'NOTIFY', 'OPCODE9'),
      response: fc.boolean(),
      rcode: fc.constantFrom('NOERROR', 'NXDOMAIN', 'NOTAUTH', 'RCODE12'),
      aa: fc.boolean(),
      tc: fc.boolean(),
      rd: fc.boolean(),
      ra: fc.boolean(),
      ad: fc.boolean(),
      cd: fc.boolean(),
      questions: fc.array(fc.record({ name, type: fc.constantFrom('TXT', 'TYPE999'), class: fc.constant('IN') }), {
        maxLength: 2,
      }),
      answers: fc.array(record, { maxLength: 4 }),
      authorities: fc.array(record, { maxLength: 3 }),
      additionals: fc.array(record, { maxLength: 3 }),
      edns: fc.record({
        udpSize: fc.integer({ min: 512, max: 0xffff }),
        dnssecOk: fc.boolean(),
        extendedErrors: fc.array(
          fc.record({ code: fc.integer({ min: 0, max: 0xffff }), text: fc.constantFrom('', 'Stale Answer', 'ü') }),
          { maxLength: 2 },
        ),
      }),
    },
    {
      requiredKeys: [
        'id',
        'opcode',
        'response',
        'rcode',
        'aa',
        'tc',
        'rd',
        'ra',
        'ad',
        'cd',
        'questions',
        'answers',
        'authorities',
        'additionals',
      ],
    },
  );

  test('every message', () => {
    fc.assert(
      fc.property(message, (written) => expect(decodeMessage(encodeMessage(written))).toEqual(written)),
      { seed: 2136, numRuns: 400 },
    );
  });

  test('every name, whatever octets its labels hold', () => {
    const wireName = fc
      .array(fc.uint8Array({ minLength: 1, maxLength: 30 }), { maxLength: 5 })
      .map((labels) => octets(...labels.map((bytes) => [bytes.length, ...bytes]), [0]));
    fc.assert(
      fc.property(wireName, (nameOctets) => {
        const wire = octets([...header(1, 0)], [...nameOctets], [0, 16, 0, 1]);
        const { questions } = decodeMessage(wire);
        expect(decodeMessage(encodeMessage({ id: 7, questions })).questions).toEqual(questions);
      }),
      { seed: 1035, numRuns: 300 },
    );
  });

  test.each(['2001:db8::1', '::', '::1', 'fe80::5:0:0:1'])('the address %s', (address) => {
    const wire = encodeMessage({ id: 1, answers: [{ name: zone, type: 'AAAA', ttl: 1, data: address }] });
    expect(decodeMessage(wire).answers[0]).toMatchObject({ type: 'AAAA', data: address });
  });
});

describe('names on the wire', () => {
  const read = (...parts: readonly (string | number[])[]) =>
    decodeMessage(octets([...header(1, 0)], ...parts, [0, 16, 0, 1])).questions[0]?.name;

  test('letters become lower case', () => expect(read('\u0007ExAmPle\u0004TEST', [0])).toBe('example.test'));
  test('the root is empty', () => expect(read([0])).toBe(''));
  test('a dot within a label is no dot between labels', () => expect(read('\u0003a.b\u0001c', [0])).toBe('a\\046b.c'));
  test('a backslash, a space and other octets are escaped', () =>
    expect(read([4, 0x5c, 0x20, 0xff, 0x41, 0])).toBe('\\092\\032\\255a'));
  test('a label of 63 octets is read', () => expect(read([63], 'a'.repeat(63), [0])).toBe('a'.repeat(63)));
  test('a name of 255 octets is read, one of 256 is not', () => {
    const labels = (last: number) => [63, 63, 63, last].flatMap((n) => [[n], 'a'.repeat(n)]);
    expect(read(...labels(61), [0])).toHaveLength(253);
    expect(() => read(...labels(62), [0])).toThrow(/more than 255 octets/);
  });

  test('compression pointers are followed, in RDATA too', () => {
    const wire = octets(
      [...header(1, 2)],
      '\u0003www\u0007example\u0004test\u0000',
      [0, 1, 0, 1],
      [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 6],
      '\u0003web',
      [0xc0, 16],
      [0xc0, 46, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1],
    );
    expect(decodeMessage(wire).answers).toEqual([
      { name: 'www.example.test', type: 'CNAME', class: 'IN', ttl: 60, data: 'web.example.test' },
      { name: 'web.example.test', type: 'A', class: 'IN', ttl: 60, data: '192.0.2.1' },
    ]);
  });

  test.each([
    ['a pointer to itself', [0xc0, 12]],
    ['a pointer forwards', [0xc0, 40]],
    ['a pointer that comes back to its own name', [1, 97, 0xc0, 12]],
    ['a pointer out of the message', [0xff, 0xff]],
    ['a pointer cut in two', [0xc0]],
    ['a label of an unknown form', [0x40, 0]],
    ['a label over the end', [10, 97]],
  ])('%s is refused', (_title, name) => {
    expect(() => decodeMessage(octets([...header(1, 0)], name))).toThrow(DnsDecodeError);
  });
});

describe('messages that are none', () => {
  const txt = (length: number, ...data: number[]) => [1, 97, 0, 0, 16, 0, 1, 0, 0, 0, 1, 0, length, ...data];
  const rdata = (type: number, ...data: number[]) => [
    0,
    ...[type >> 8, type & 0xff],
    ...[0, 1, 0, 0, 0, 1, 0, data.length],
    ...data,
  ];
  const opt = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0];

  test.each<[string, Buffer, RegExp]>([
    ['an empty one', octets(), /2 octets wanted, 0 left at octet 0/],
    ['a header cut short', header(0, 0).subarray(0, 11), /octets wanted/],
    ['a count without records', header(0, 1), /a name runs over the end/],
    ['octets behind the last record', octets([...header(0, 0)], 'x'), /1 octets behind the last record/],
    ['RDATA over the end', octets([...header(0, 1)], txt(9, 1, 97)), /9 octets wanted, 2 left/],
    ['a string over its RDATA', octets([...header(0, 1)], txt(2, 5, 97)), /over the end of its TXT record/],
    [
      'an address of five octets',
      octets([...header(0, 1)], [0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 5, 1, 2, 3, 4, 5]),
      /5 octets/,
    ],
    ['a DS record of three octets', octets([...header(0, 1)], rdata(43, 1, 2, 3)), /octets wanted/],
    ['a DS record without a digest', octets([...header(0, 1)], rdata(43, 1, 2, 13, 2)), /without a digest/],
    ['a DNSKEY record without a key', octets([...header(0, 1)], rdata(48, 1, 1, 3, 13)), /without a key/],
    ['an RRSIG record cut in its fields', octets([...header(0, 1)], rdata(46, 0, 16, 13)), /octets wanted/],
    [
      'an RRSIG record without a signature',
      octets([...header(0, 1)], rdata(46, ...new Array<number>(18).fill(1), 0)),
      /without a signature/,
    ],
    [
      'an RRSIG record whose signer runs over its end',
      octets([...header(0, 1)], rdata(46, ...new Array<number>(18).fill(1), 5), [97, 97, 97, 97, 97, 0]),
      /without a signature/,
    ],
    ['a CAA record of one octet', octets([...header(0, 1)], rdata(257, 0)), /octets wanted/],
    ['a CAA record without a tag', octets([...header(0, 1)], rdata(257, 0, 0, 97)), /without a tag/],
    [
      'a CAA tag over the end of its record',
      octets([...header(0, 1)], rdata(257, 0, 3, 97, 97), [0, 0]),
      /over the end of its CAA record/,
    ],
    ['two OPT records', octets([...header(0, 0, 0, 2)], opt, opt), /second OPT/],
    [
      'an option over its OPT record',
      octets([...header(0, 0, 0, 1)], [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 4, 0, 15, 0, 9]),
      /octets wanted/,
    ],
    ['one of 65 536 octets', Buffer.alloc(65_536), /more than 65535/],
  ])('%s is refused', (_title, wire, problem) => {
    expect(() => decodeMessage(wire)).toThrow(DnsDecodeError);
    expect(() => decodeMessage(wire)).toThrow(problem);
  });

  test('65 535 records that are not there cost nothing', () => {
    const wire = Buffer.from([0, 1, 0x84, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    expect(() => decodeMessage(wire)).toThrow(DnsDecodeError);
  });
});

describe('what cannot be written is refused', () => {
  const answer = (data: string): DnsRecord => ({ name: zone, type: 'A', ttl: 1, data });
  const caa = (tag: string, value: string): DnsRecord => ({
    name: zone,
    type: 'CAA',
    ttl: 1,
    data: { flags: 0, tag, value },
  });
  test.each<[string, Parameters<typeof encodeMessage>[0], RegExp]>([
    [
      'a label of 64 octets',
      { id: 1, questions: [{ name: 'a'.repeat(64) as DnsName, type: 'A' }] },
      /label of 64 octets/,
    ],
    ['an empty label', { id: 1, questions: [{ name: 'a..b' as DnsName, type: 'A' }] }, /label of 0 octets/],
    [
      'a name of 256 octets',
      { id: 1, questions: [{ name: 'a.'.repeat(127).concat('b') as DnsName, type: 'A' }] },
      /more than 255/,
    ],
    ['a name outside the octets', { id: 1, questions: [{ name: '\u{1f600}' as DnsName, type: 'A' }] }, /no octets/],
    ['an address that is none', { id: 1, answers: [answer('192.0.2')] }, /"192.0.2" is no IPv4 address/],
    [
      'a scoped IPv6 address',
      { id: 1, answers: [{ name: zone, type: 'AAAA', ttl: 1, data: 'fe80::1%eth0' }] },
      /no IPv6/,
    ],
    [
      'a string of 256 octets',
      { id: 1, answers: [{ name: zone, type: 'TXT', ttl: 1, data: ['a'.repeat(256)] }] },
      /255 fit/,
    ],
    [
      'a string outside the octets',
      { id: 1, answers: [{ name: zone, type: 'TXT', ttl: 1, data: ['€'] }] },
      /no octets/,
    ],
    ['a CAA record without a tag', { id: 1, answers: [caa('', '')] }, /CAA tag of 0 octets/],
    ['a CAA tag of 256 octets', { id: 1, answers: [caa('a'.repeat(256), '')] }, /CAA tag of 256 octets/],
    ['a CAA value outside the octets', { id: 1, answers: [caa('issue', '€')] }, /no octets/],
    [
      'a key tag of 17 bits',
      {
        id: 1,
        answers: [
          {
            name: zone,
            type: 'DS',
            ttl: 1,
            data: { keyTag: 65_536, algorithm: 8, digestType: 2, digest: new Uint8Array(1) },
          },
        ],
      },
      /65536 is not in 0/,
    ],
    ['a TTL below 0', { id: 1, answers: [{ name: zone, type: 'TXT', ttl: -1, data: ['a'] }] }, /-1 is not in 0/],
    ['an id of 17 bits', { id: 65_536 }, /65536 is not in 0/],
    ['BADVERS without EDNS', { id: 1, rcode: 'BADVERS' }, /BADVERS needs EDNS/],
    ['a type out of range', { id: 1, questions: [{ name: zone, type: 'TYPE70000' }] }, /"TYPE70000" is no code/],
  ])('%s', (_title, message, problem) => {
    expect(() => encodeMessage(message)).toThrow(DnsEncodeError);
    expect(() => encodeMessage(message)).toThrow(problem);
  });

  test('a message of more than 65 535 octets', () => {
    const records = Array.from({ length: 700 }, (_, i) => ({
      op: 'add' as const,
      name: toDnsName(`_acme-challenge.host${i}.example.test`),
      ttl: 60,
      value: 'x'.repeat(60),
    }));
    expect(() => encodeUpdate({ id: 1, zone, records })).toThrow(/more than 65535 octets/);
  });
});

describe('EDNS', () => {
  test('a query offers 1232 octets, another size, or nothing', () => {
    const ask = (edns?: number | false) =>
      decodeMessage(encodeQuery({ id: 1, name: zone, type: 'SOA', ...(edns !== undefined && { edns }) })).edns?.udpSize;
    expect([ask(), ask(4096), ask(false)]).toEqual([1232, 4096, undefined]);
  });

  test('a query asks for signatures and for no checking when told to', () => {
    const ask = (more: { cd?: boolean; dnssecOk?: boolean; edns?: false }) =>
      decodeMessage(encodeQuery({ id: 1, name: zone, type: 'SOA', ...more }));
    expect(ask({})).toMatchObject({ cd: false, edns: { dnssecOk: false } });
    expect(ask({ cd: true, dnssecOk: true })).toMatchObject({ cd: true, edns: { dnssecOk: true } });
    expect(ask({ dnssecOk: true, edns: false }).edns).toBeUndefined();
  });

  test('the response code has its upper bits there', () => {
    const edns = { udpSize: 1232, dnssecOk: false, extendedErrors: [] };
    expect(decodeMessage(encodeMessage({ id: 1, response: true, rcode: 'BADVERS', edns })).rcode).toBe('BADVERS');
    expect(decodeMessage(encodeMessage({ id: 1, response: true, rcode: 'RCODE3841', edns })).rcode).toBe('RCODE3841');
  });

  test('the text of an extended error holds no control characters', () => {
    const edns = { udpSize: 1232, dnssecOk: true, extendedErrors: [{ code: 18, text: 'no\u001b[31m\r\nway' }] };
    expect(decodeMessage(encodeMessage({ id: 1, edns })).edns).toEqual({
      ...edns,
      extendedErrors: [{ code: 18, text: 'no [31m way' }],
    });
  });
});

describe('UPDATE', () => {
  const at = toDnsName('_acme-challenge.example.test');

  test('the forms without a value are read as such, and written back', () => {
    const forms: DnsRecord[] = [
      { name: at, type: 'TXT', class: 'ANY', ttl: 0, data: [], empty: true },
      { name: at, type: 'A', class: 'NONE', ttl: 0, data: '', empty: true },
      { name: at, type: 'CNAME', class: 'ANY', ttl: 0, data: '' as DnsName, empty: true },
      { name: at, type: 'ANY', class: 'ANY', ttl: 0, data: new Uint8Array(0), empty: true },
      { name: at, type: 'CAA', class: 'ANY', ttl: 0, data: { flags: 0, tag: '', value: '' }, empty: true },
    ];
    const wire = encodeMessage({ id: 1, opcode: 'UPDATE', authorities: forms });
    expect(wire.length).toBe(12 + forms.length * (at.length + 2 + 10));
    expect(decodeMessage(wire).authorities).toEqual(forms);
  });

  test('a CNAME to the root, deleted by value, is no empty form', () => {
    const record: DnsRecord = { name: at, type: 'CNAME', class: 'NONE', ttl: 0, data: '' as DnsName };
    const wire = encodeMessage({ id: 1, opcode: 'UPDATE', authorities: [record] });
    expect(decodeMessage(wire).authorities).toEqual([record]);
  });

  test('an address record without an address is no answer', () => {
    const wire = encodeMessage({
      id: 1,
      answers: [{ name: at, type: 'A', class: 'NONE', ttl: 0, data: '', empty: true }],
    });
    expect(() => decodeMessage(wire)).toThrow(/an A record of 0 octets/);
  });

  test('a value of 600 octets travels as three strings of one value', () => {
    const value = 'abc'.repeat(200);
    const wire = encodeUpdate({ id: 1, zone, records: [{ op: 'add', name: at, ttl: 60, value }] });
    const [record] = decodeMessage(wire).authorities;
    if (record?.type !== 'TXT') throw new Error('no TXT record');
    expect(record.data.map((string) => string.length)).toEqual([255, 255, 90]);
    expect(txtValue(record)).toBe(value);
  });
});
