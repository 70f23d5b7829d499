import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  createTsigKey,
  decodeMessage,
  encodeMessage,
  encodeUpdate,
  signMessage,
  signResponse,
  type TsigAlgorithm,
  type TsigKey,
  toDnsName,
  tsigAlgorithms,
  txtValue,
  type UpdateRecord,
  verifyRequest,
  verifyResponse,
} from '@zoneproof/dns';

interface StaticVector {
  readonly op: 'add' | 'delete-value';
  readonly algorithm: TsigAlgorithm;
  readonly keyName: string;
  readonly timeSigned: number;
  readonly fudge: number;
  readonly id: number;
  readonly zone: string;
  readonly name: string;
  readonly ttl: number;
  readonly value: string;
  readonly unsignedHex: string;
  readonly macHex: string;
  readonly signedHex: string;
}
interface CapturedVector {
  readonly case: string;
  readonly algorithm: TsigAlgorithm;
  readonly keyName: string;
  readonly requestHex: string;
  readonly requestMacHex: string;
  readonly responseHex: string;
  readonly rcode: string;
  readonly tsigError: number;
  readonly responseSigned: boolean;
  readonly responseMacValid: boolean | null;
  readonly otherDataHex: string;
}
const vectors = JSON.parse(readFileSync(new URL('../fixtures/tsig-vectors.json', import.meta.url), 'utf8')) as {
  readonly secretBase64: string;
  readonly static: readonly StaticVector[];
  readonly captured: readonly CapturedVector[];
};

const secret = Buffer.from(vectors.secretBase64, 'base64');
const keyOf = (vector: { readonly keyName: string; readonly algorithm: TsigAlgorithm }): TsigKey =>
  createTsigKey({ name: toDnsName(vector.keyName), algorithm: vector.algorithm, secret });
const keysOf = (...keys: readonly TsigKey[]) => new Map(keys.map((key) => [key.name as string, key]));
const octets = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (wire: Uint8Array) => Buffer.from(wire).toString('hex');
/** The clock of the server that the captured answers come from. */
const serverNow = 0x6b013b04;

describe.each(vectors.static)('static $op $algorithm', (vector) => {
  const name = toDnsName(vector.name);
  const record: UpdateRecord =
    vector.op === 'add'
      ? { op: 'add', name, ttl: vector.ttl, value: vector.value }
      : { op: 'delete', name, value: vector.value };

  test('the update is the vector, octet for octet', () => {
    expect(hex(encodeUpdate({ id: vector.id, zone: toDnsName(vector.zone), records: [record] }))).toBe(
      vector.unsignedHex,
    );
  });

  test('so are the MAC and the signed message', () => {
    const signed = signMessage(octets(vector.unsignedHex), keyOf(vector), vector);
    expect(hex(signed.mac)).toBe(vector.macHex);
    expect(hex(signed.wire)).toBe(vector.signedHex);
  });

  test('a server verifies it, and refuses it with any one bit flipped', () => {
    const wire = octets(vector.signedHex);
    const keys = keysOf(keyOf(vector));
    expect(verifyRequest(wire, keys, vector.timeSigned)).toMatchObject({ status: 'verified', key: keyOf(vector) });
    const unnoticed = bits(wire).filter(
      (bit) => verifyRequest(flip(wire, bit), keys, vector.timeSigned).status === 'verified',
    );
    expect(unnoticed).toEqual(bitsOutsideMac(wire, vector));
  });
});

describe.each(vectors.captured)('captured: $case', (vector) => {
  const key = keyOf(vector);
  const request = octets(vector.requestHex);
  const response = octets(vector.responseHex);
  const requestMac = octets(vector.requestMacHex);
  const requestTime = timeOf(request, vector);

  test('the answer is told for what it is', () => {
    const check = verifyResponse(response, key, requestMac, requestTime);
    expect(check).toMatchObject(
      vector.responseSigned
        ? { status: 'verified', error: vector.tsigError }
        : { status: 'unsigned', error: vector.tsigError },
    );
    if (vector.otherDataHex !== '')
      expect(check).toMatchObject({ serverTime: Number.parseInt(vector.otherDataHex, 16) });
    expect(decodeMessage(response).rcode).toBe(vector.rcode);
  });

  test('a flipped bit anywhere in it is found', () => {
    if (!vector.responseSigned) return expect(vector.responseMacValid).toBeNull();
    expect(vector.responseMacValid).toBe(true);
    const unnoticed = bits(response).filter(
      (bit) => verifyResponse(flip(response, bit), key, requestMac, requestTime).status === 'verified',
    );
    expect(unnoticed).toEqual(bitsOutsideMac(response, vector));
  });

  test('it answers no other request', () => {
    const other = Uint8Array.from(requestMac, (octet) => octet ^ 1);
    expect(verifyResponse(response, key, other, requestTime).status).toBe(
      vector.responseSigned ? 'forged' : 'unsigned',
    );
  });

  test('our server finds in the request what BIND found, and gives the same answer', () => {
    const wrongSecret = createTsigKey({
      ...keyOf(vector),
      name: key.name,
      algorithm: key.algorithm,
      secret: octets('00'),
    });
    const known = vector.case === 'unknown key' ? [] : [vector.case === 'wrong secret' ? wrongSecret : key];
    const check = verifyRequest(request, keysOf(...known), serverNow);
    const refused = vector.tsigError !== 0;
    expect(check).toMatchObject(
      refused ? { status: 'refused', error: vector.tsigError, rcode: vector.rcode } : { status: 'verified' },
    );
    const { id, questions, rcode } = decodeMessage(response);
    const answer = encodeMessage({ id, opcode: 'UPDATE', response: true, questions, rcode });
    expect(hex(signResponse(answer, check, serverNow))).toBe(vector.responseHex);
  });

  test('the records of the request can be read', () => {
    const { authorities, additionals } = decodeMessage(request);
    expect(authorities.length).toBe(1);
    expect(additionals).toMatchObject([{ type: 'TSIG', class: 'ANY' }]);
    for (const record of authorities) if (record.type === 'TXT') expect(txtValue(record)).toHaveLength(43);
  });
});

describe('the order of checks', () => {
  const key = createTsigKey({ name: toDnsName('k'), algorithm: 'hmac-sha256', secret });
  const request = signMessage(encodeUpdate({ id: 7, zone: toDnsName('example.test'), records: [] }), key, {
    timeSigned: 1000,
  });
  const answer = encodeMessage({ id: 7, opcode: 'UPDATE', response: true });

  test.each([
    ['300 s off is in time', 1300, 'verified'],
    ['301 s off is late', 1301, 'late'],
    ['301 s early is late', 699, 'late'],
  ])('%s', (_title, now, status) => {
    const response = signMessage(answer, key, { timeSigned: 1000, requestMac: request.mac });
    expect(verifyResponse(response.wire, key, request.mac, now).status).toBe(status);
  });

  test('a wrong MAC is told before a wrong time, and a wrong key before both', () => {
    const response = signMessage(answer, key, { timeSigned: 1000, requestMac: request.mac }).wire;
    const broken = flip(response, response.length * 8 - 20 * 8);
    expect(verifyResponse(broken, key, request.mac, 9999)).toEqual({ status: 'forged', reason: 'its MAC is wrong' });
    const other = createTsigKey({ name: toDnsName('other'), algorithm: 'hmac-sha256', secret });
    expect(verifyResponse(broken, other, request.mac, 9999)).toMatchObject({
      status: 'forged',
      reason: expect.stringContaining('it names key "k"'),
    });
  });

  test('an answer of another algorithm, a short MAC and an unsigned NOERROR are forged', () => {
    const sha1 = createTsigKey({ name: toDnsName('k'), algorithm: 'hmac-sha1', secret });
    const bySha1 = signMessage(answer, sha1, { timeSigned: 1000, requestMac: request.mac }).wire;
    expect(verifyResponse(bySha1, key, request.mac, 1000).status).toBe('forged');
    const unsigned = signResponse(answer, verifyRequest(request.wire, new Map(), 1000), 1000);
    const noError = Uint8Array.from(unsigned);
    noError.fill(0, noError.length - 4, noError.length - 2);
    expect(verifyResponse(unsigned, key, request.mac, 1000)).toEqual({ status: 'unsigned', error: 17 });
    expect(verifyResponse(noError, key, request.mac, 1000).status).toBe('forged');
  });

  test('no TSIG record is absent; one that is not the last thing is forged', () => {
    expect(verifyResponse(answer, key, request.mac, 1000)).toEqual({ status: 'absent' });
    const response = signMessage(answer, key, { timeSigned: 1000, requestMac: request.mac }).wire;
    const twice = signMessage(response, key, { timeSigned: 1000, requestMac: request.mac }).wire;
    expect(verifyResponse(twice, key, request.mac, 1000).status).toBe('forged');
    expect(verifyResponse(Buffer.concat([response, Buffer.from('x')]), key, request.mac, 1000).status).toBe('forged');
    expect(verifyResponse(octets('0007'), key, request.mac, 1000).status).toBe('forged');
  });

  test('names of keys compare in any case', () => {
    const upper = Buffer.from(request.wire);
    const at = upper.indexOf('\u0001k');
    upper.write('K', at + 1);
    expect(verifyRequest(upper, keysOf(key), 1000).status).toBe('verified');
  });
});

test.each(tsigAlgorithms)('the secret of a %s key never prints', (algorithm) => {
  const shown = Buffer.from('correct horse battery');
  const key = createTsigKey({ name: toDnsName('k'), algorithm, secret: shown });
  expect(Buffer.from(key.secret)).toEqual(shown);
  const printed = `${inspect(key, { showHidden: true, depth: 9, getters: false })} ${JSON.stringify({ key, ...key })} ${String(key)}`;
  for (const form of ['correct', shown.toString('base64'), shown.toString('hex'), '99, 111', '63 6f 72']) {
    expect(printed).not.toContain(form);
  }
});

function flip(wire: Uint8Array, bit: number): Uint8Array {
  const flipped = Uint8Array.from(wire);
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (0x80 >> (bit & 7));
  return flipped;
}

function bits(wire: Uint8Array): number[] {
  return Array.from({ length: wire.length * 8 }, (_, bit) => bit);
}

/** RFC 8945 4.3 leaves out the message id, of which a copy is signed, and the case of key and algorithm name. */
function bitsOutsideMac(wire: Uint8Array, vector: { readonly keyName: string; readonly algorithm: string }): number[] {
  const key = Buffer.from(wire).lastIndexOf(vector.keyName.slice(0, -1));
  const algorithm = key + vector.keyName.length + 11; // root label, TYPE, CLASS, TTL, RDLENGTH, length of the first label
  const caseBits = [
    [key, vector.keyName],
    [algorithm, vector.algorithm],
  ].flatMap(([start, name]) =>
    [...(name as string)].flatMap((c, i) => (/[a-z]/.test(c) ? [((start as number) + i) * 8 + 2] : [])),
  );
  return [...Array.from({ length: 16 }, (_, bit) => bit), ...caseBits];
}

/** Time Signed stands behind the algorithm name, which no vector compresses. */
function timeOf(wire: Uint8Array, vector: CapturedVector): number {
  const name = vector.algorithm.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  const at = Buffer.from(wire).indexOf(Uint8Array.from([...name, 0]));
  return Buffer.from(wire).readUIntBE(at + name.length + 1, 6);
}
