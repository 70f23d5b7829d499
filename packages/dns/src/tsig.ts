import { timingSafeEqual } from 'node:crypto';
import { DnsDecodeError } from './message.ts';
import { macLength, type TsigKey } from './tsig-key.ts';
import { appendTsig, expectedMac, findTsig, messageMac, type TsigFields, tsigErrors } from './tsig-record.ts';

/** Seconds by which the clocks of both sides may differ (recommended by RFC 8945 10). */
export const defaultFudge = 300;

/**
 * Signs a message that has no TSIG record yet. `requestMac` makes it an answer to the request with that MAC.
 * `timeSigned` is in seconds since 1970. Returns the signed message, and its MAC for verifying the answer.
 */
export function signMessage(
  wire: Uint8Array,
  key: TsigKey,
  options: {
    readonly timeSigned: number;
    readonly fudge?: number;
    readonly requestMac?: Uint8Array;
    readonly error?: number;
    readonly otherData?: Uint8Array;
  },
): { readonly wire: Uint8Array; readonly mac: Uint8Array } {
  const { timeSigned, fudge = defaultFudge, requestMac, error = 0, otherData = new Uint8Array(0) } = options;
  const fields: TsigFields = { keyName: key.name, algorithm: key.algorithm, timeSigned, fudge, error, otherData };
  const mac = messageMac(key, [wire], fields, requestMac);
  return { wire: appendTsig(wire, fields, mac, ((wire[0] as number) << 8) | (wire[1] as number)), mac };
}

/**
 * What an answer's TSIG record proves. Only `verified` and `late` come from someone who holds the key.
 *
 *   verified  the MAC is right. `error` 0: the response code is the server's word. 18 BADTIME: `serverTime` is its
 *             clock. 22 BADTRUNC: it wants longer MACs
 *   unsigned  the server says that it could not check our signature, so it cannot sign: 16 BADSIG (another secret) or
 *             17 BADKEY (no such key, or another algorithm). Anyone can say so
 *   late      the MAC is right, but it was made at `timeSigned`, further from now than both sides allow
 *   forged    a wrong or short MAC, another key or algorithm, or a record that cannot be read
 *   absent    no TSIG record
 */
export type TsigCheck =
  | { readonly status: 'verified'; readonly error: number; readonly timeSigned: number; readonly serverTime?: number }
  | { readonly status: 'unsigned'; readonly error: number }
  | { readonly status: 'late'; readonly error: number; readonly timeSigned: number }
  | { readonly status: 'forged'; readonly reason: string }
  | { readonly status: 'absent' };

/**
 * Checks an answer to the request that was signed with `key` and has the MAC `requestMac`: key, MAC, time, in this
 * order (RFC 8945 5.2, 5.3). A MAC has to have its full length. Never throws; times are in seconds.
 */
export function verifyResponse(wire: Uint8Array, key: TsigKey, requestMac: Uint8Array, nowSeconds: number): TsigCheck {
  const tsig = tryFindTsig(wire);
  if (tsig === undefined) return { status: 'absent' };
  if (tsig instanceof DnsDecodeError) return { status: 'forged', reason: tsig.message };
  const { error, timeSigned, otherData } = tsig;
  if (tsig.keyName !== key.name || tsig.algorithm !== key.algorithm)
    return {
      status: 'forged',
      reason: `it names key "${tsig.keyName}" (${tsig.algorithm}), not "${key.name}" (${key.algorithm})`,
    };
  if (tsig.mac.length === 0 && (error === tsigErrors.BADSIG || error === tsigErrors.BADKEY))
    return { status: 'unsigned', error };
  if (tsig.mac.length !== macLength(key.algorithm))
    return { status: 'forged', reason: `a MAC of ${tsig.mac.length} octets instead of ${macLength(key.algorithm)}` };
  if (!timingSafeEqual(tsig.mac, expectedMac(key, wire, tsig, requestMac)))
    return { status: 'forged', reason: 'its MAC is wrong' };
  // The MAC covers that of our request, so an answer BADTIME is no replay, whatever clock it was signed by.
  if (error === tsigErrors.BADTIME && otherData.length === 6)
    return { status: 'verified', error, timeSigned, serverTime: Buffer.from(otherData).readUIntBE(0, 6) };
  if (Math.abs(nowSeconds - timeSigned) > tsig.fudge) return { status: 'late', error, timeSigned };
  return { status: 'verified', error, timeSigned };
}

/** Finds the TSIG record, or tells what is wrong with the message. */
export function tryFindTsig(wire: Uint8Array): ReturnType<typeof findTsig> | DnsDecodeError {
  try {
    return findTsig(wire);
  } catch (error) {
    if (error instanceof DnsDecodeError) return error;
    throw error;
  }
}
