import { timingSafeEqual } from 'node:crypto';
import { DnsDecodeError } from './message.ts';
import { defaultFudge, signMessage, tryFindTsig } from './tsig.ts';
import { macLength, type TsigKey } from './tsig-key.ts';
import { appendTsig, expectedMac, type TsigRecord, tsigErrors } from './tsig-record.ts';

/**
 * What a server finds in a request (RFC 8945 5.2), and all that `signResponse` needs to answer it.
 *
 *   verified   from the holder of `key`
 *   refused    answer with `rcode`; `error` is the TSIG error (16 BADSIG, 17 BADKEY, 18 BADTIME, 22 BADTRUNC)
 *   malformed  answer FORMERR
 *   absent     not signed
 */
export type RequestCheck =
  | { readonly status: 'verified'; readonly key: TsigKey; readonly tsig: TsigRecord }
  | {
      readonly status: 'refused';
      readonly rcode: 'NOTAUTH' | 'FORMERR';
      readonly error: number;
      readonly key: TsigKey | undefined;
      readonly tsig: TsigRecord;
    }
  | { readonly status: 'malformed'; readonly reason: string }
  | { readonly status: 'absent' };

/** Checks key, MAC, time and truncation in this order. `keys` are by key name. Never throws. */
export function verifyRequest(wire: Uint8Array, keys: ReadonlyMap<string, TsigKey>, nowSeconds: number): RequestCheck {
  const tsig = tryFindTsig(wire);
  if (tsig === undefined) return { status: 'absent' };
  if (tsig instanceof DnsDecodeError) return { status: 'malformed', reason: tsig.message };
  const key = keys.get(tsig.keyName);
  if (key === undefined || key.algorithm !== tsig.algorithm)
    return { status: 'refused', rcode: 'NOTAUTH', error: tsigErrors.BADKEY, key: undefined, tsig };
  const full = macLength(key.algorithm);
  const { length } = tsig.mac;
  if (length > full) return { status: 'malformed', reason: `a MAC of ${length} octets; ${full} are the most` };
  if (length < Math.max(10, full / 2))
    // RFC 8945 5.2.2.1
    return { status: 'refused', rcode: 'FORMERR', error: tsigErrors.BADSIG, key, tsig };
  if (!timingSafeEqual(tsig.mac, expectedMac(key, wire, tsig).subarray(0, length)))
    return { status: 'refused', rcode: 'NOTAUTH', error: tsigErrors.BADSIG, key, tsig };
  if (Math.abs(nowSeconds - tsig.timeSigned) > tsig.fudge)
    return { status: 'refused', rcode: 'NOTAUTH', error: tsigErrors.BADTIME, key, tsig };
  if (length < full) return { status: 'refused', rcode: 'NOTAUTH', error: tsigErrors.BADTRUNC, key, tsig };
  return { status: 'verified', key, tsig };
}

/**
 * The answer `wire` with the TSIG record that `check` of its request asks for (RFC 8945 5.3): none when the request
 * had none, an unsigned one for BADSIG and BADKEY, else a signed one.
 */
export function signResponse(wire: Uint8Array, check: RequestCheck, nowSeconds: number): Uint8Array {
  switch (check.status) {
    case 'absent':
    case 'malformed':
      return wire;
    case 'verified':
      return signMessage(wire, check.key, { timeSigned: nowSeconds, requestMac: check.tsig.mac }).wire;
    case 'refused':
      return refusal(wire, check, nowSeconds);
  }
}

function refusal(wire: Uint8Array, check: RequestCheck & { status: 'refused' }, nowSeconds: number): Uint8Array {
  const { error, key, tsig } = check;
  const requestMac = tsig.mac;
  // BADTIME echoes the client's time, so that a client with a wrong clock can verify it (RFC 8945 5.2.3).
  if (key && error === tsigErrors.BADTIME) {
    const otherData = Buffer.alloc(6);
    otherData.writeUIntBE(nowSeconds, 0, 6);
    return signMessage(wire, key, { timeSigned: tsig.timeSigned, requestMac, error, otherData }).wire;
  }
  if (key && error === tsigErrors.BADTRUNC)
    return signMessage(wire, key, { timeSigned: nowSeconds, requestMac, error }).wire;
  const { keyName, algorithm, originalId } = tsig;
  const nothing = new Uint8Array(0);
  const fields = { keyName, algorithm, timeSigned: nowSeconds, fudge: defaultFudge, error, otherData: nothing };
  return appendTsig(wire, fields, nothing, originalId);
}
