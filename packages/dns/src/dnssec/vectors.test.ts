import { generateKeyPairSync, sign } from 'node:crypto';
import {
  type DnskeyData,
  type DnsRecord,
  dsDigest,
  keyTag,
  type RrsigData,
  rootTrustAnchors,
  toDnsName,
  verifyRrset,
} from '@zoneproof/dns';
import { verifySignature } from './algorithms.ts';

const base64 = (text: string) => Buffer.from(text, 'base64');
const key = (flags: number, algorithm: number, publicKey: string): DnskeyData => ({
  flags,
  protocol: 3,
  algorithm,
  publicKey: base64(publicKey),
});
const seconds = (text: string) => Date.parse(text) / 1000;

describe('signatures over www.example.net A', () => {
  const zone = toDnsName('example.net');
  const name = toDnsName('www.example.net');
  const to2030 = [seconds('2000-01-01T00:00:00Z'), seconds('2030-01-01T00:00:00Z')] as const;

  test.each<[string, DnskeyData, number, string, readonly [number, number], string]>([
    [
      'RFC 5702 6.1, RSASHA256',
      key(256, 8, 'AwEAAcFcGsaxxdgiuuGmCkVImy4h99CqT7jwY3pexPGcnUFtR2Fh36BponcwtkZ4cAgtvd4Qs8PkxUdp6p/DlUmObdk='),
      9033,
      '192.0.2.91',
      to2030,
      'kRCOH6u7l0QGy9qpC9l1sLncJcOKFLJ7GhiUOibu4teYp5VE9RncriShZNz85mwlMgNEacFYK/lPtPiVYP4bwg==',
    ],
    [
      'RFC 5702 6.2, RSASHA512',
      key(
        256,
        10,
        'AwEAAdHoNTOW+et86KuJOWRDp1pndvwb6Y83nSVXXyLA3DLroROUkN6X0O6pnWnjJQujX/AyhqFDxj13tOnD9u/1kTg7cV6rklMrZDtJCQ5PCl/D7QNPsgVsMu1J2Q8gpMpztNFLpPBz1bWXjDtaR7ZQBlZ3PFY12ZTSncorffcGmhOL',
      ),
      3740,
      '192.0.2.91',
      to2030,
      'tsb4wnjRUDnB1BUi+t6TMTXThjVnG+eCkWqjvvjhzQL1d0YRoOe0CbxrVDYd0xDtsuJRaeUw1ep94PzEWzr0iGYgZBWm/zpq+9fOuagYJRfDqfReKBzMweOLDiNa8iP5g9vMhpuv6OPlvpXwm9Sa9ZXIbNl1MBGk0fthPgxdDLw=',
    ],
    [
      'RFC 6605 6.1, ECDSAP256SHA256',
      key(257, 13, 'GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA=='),
      55648,
      '192.0.2.1',
      [seconds('2010-08-12T10:04:39Z'), seconds('2010-09-09T10:04:39Z')],
      'qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw==',
    ],
    [
      'RFC 6605 6.2, ECDSAP384SHA384',
      key(
        257,
        14,
        'xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40',
      ),
      10771,
      '192.0.2.1',
      [seconds('2010-08-12T10:20:25Z'), seconds('2010-09-09T10:20:25Z')],
      '/L5hDKIvGDyI1fcARX3z65qrmPsVz73QD1Mr5CEqOiLP95hxQouuroGCeZOvzFaxsT8Glr74hbavRKayJNuydCuzWTSSPdz7wnqXL5bdcJzusdnI0RSMROxxwGipWcJm',
    ],
  ])('%s', (_title, dnskey, tag, address, [inception, expiration], signature) => {
    const record: DnsRecord = { name, type: 'A', ttl: 300, data: address };
    const rrsig: RrsigData = {
      typeCovered: 'A',
      algorithm: dnskey.algorithm,
      labels: 3,
      originalTtl: 3600,
      expiration,
      inception,
      keyTag: tag,
      signer: zone,
      signature: base64(signature),
    };
    const judge = (data: string, at: number, keys = [dnskey]) =>
      verifyRrset({ name, type: 'A', records: [{ ...record, data }], signatures: [rrsig] }, { zone, keys }, at * 1000);

    expect(keyTag(dnskey)).toBe(tag);
    expect(judge(address, inception)).toMatchObject({ state: 'sound', keyTag: tag, expiresAt: expiration * 1000 });
    expect(judge(address, expiration).state).toBe('sound');
    expect(judge(address, inception - 1)).toMatchObject({ problem: 'not-yet-valid' });
    expect(judge(address, expiration + 1)).toMatchObject({ problem: 'expired' });
    expect(judge('192.0.2.90', inception)).toMatchObject({ problem: 'bad-signature' });
    expect(judge(address, inception, [])).toMatchObject({ problem: 'no-key' });
  });
});

// RFC 8080 6 as corrected by its erratum 4935: example.com. 3600 IN MX 10 mail.example.com., here as the octets signed.
describe('RFC 8080: signatures over example.com MX', () => {
  const mx = '076578616d706c6503636f6d00000f000100000e100014000a046d61696c076578616d706c6503636f6d00';
  const signedBy = (dnskey: DnskeyData) =>
    Buffer.from(
      `000f${octet(dnskey.algorithm)}0200000e1055d4fc6055b94ce0${keyTag(dnskey).toString(16).padStart(4, '0')}076578616d706c6503636f6d00${mx}`,
      'hex',
    );
  const octet = (value: number) => value.toString(16).padStart(2, '0');

  test.each<[string, DnskeyData, number, string, string]>([
    [
      'ED25519, first',
      key(257, 15, 'l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4='),
      3613,
      '3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b',
      'oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==',
    ],
    [
      'ED25519, second',
      key(257, 15, 'zPnZ/QwEe7S8C5SPz2OfS5RR40ATk2/rYnE9xHIEijs='),
      35217,
      '401781b934e392de492ec77ae2e15d70f6575a1c0bc59c5275c04ebe80c6614c',
      'zXQ0bkYgQTEFyfLyi9QoiY6D8ZdYo4wyUhVioYZXFdT410QPRITQSqJSnzQoSm5poJ7gD7AQR0O7KuI5k2pcBg==',
    ],
    [
      'ED448, first',
      key(257, 16, '3kgROaDjrh0H2iuixWBrc8g2EpBBLCdGzHmn+G2MpTPhpj/OiBVHHSfPodx1FYYUcJKm1MDpJtIA'),
      9713,
      '6ccf18d5bc5d7fc2fceb1d59d17321402f2aa8d368048db93dd811f5cb2b19c7',
      '3cPAHkmlnxcDHMyg7vFC34l0blBhuG1qpwLmjInI8w1CMB29FkEAIJUA0amxWndkmnBZ6SKiwZSAxGILn/NBtOXft0+Gj7FSvOKxE/07+4RQvE581N3Aj/JtIyaiYVdnYtyMWbSNyGEY2213WKsJlwEA',
    ],
  ])('%s', (_title, dnskey, tag, digest, signature) => {
    const octets = signedBy(dnskey);
    expect(keyTag(dnskey)).toBe(tag);
    expect(dsDigest(toDnsName('example.com'), dnskey, 2)).toEqual(Buffer.from(digest, 'hex'));
    expect(verifySignature(dnskey.algorithm, dnskey.publicKey, octets, base64(signature))).toBe(true);
    octets.writeUInt8(1, octets.length - 2);
    expect(verifySignature(dnskey.algorithm, dnskey.publicKey, octets, base64(signature))).toBe(false);
  });
});

test('RFC 3110 2: an RSA key whose exponent is told with three octets of length, and zeros in front', () => {
  const { publicKey: spki, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const { n = '', e = '' } = spki.export({ format: 'jwk' });
  const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')];
  const octets = Buffer.from('octets');
  const signature = sign('sha256', octets, privateKey);
  for (const length of [[3], [0, 0, 3]])
    for (const zeros of [[], [0, 0]]) {
      const publicKey = Buffer.from([...length, ...exponent, ...zeros, ...modulus]);
      expect(verifySignature(8, publicKey, octets, signature)).toBe(true);
    }
  expect(verifySignature(8, Buffer.from([0, 0]), octets, signature)).toBe('bad-key');
});

describe('digests of keys', () => {
  test('RFC 4034 5.4: SHA-1', () => {
    const dskey = key(
      256,
      5,
      'AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==',
    );
    expect(keyTag(dskey)).toBe(60485);
    expect(dsDigest(toDnsName('dskey.example.com'), dskey, 1)).toEqual(
      Buffer.from('2bb183af5f22588179a53b0a98631fad1a292118', 'hex'),
    );
  });

  test('RFC 6605 6.2: SHA-384', () => {
    const dskey = key(
      257,
      14,
      'xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40',
    );
    expect(dsDigest(toDnsName('example.net'), dskey, 4)).toEqual(
      Buffer.from(
        '72d7b62976ce06438e9c0bf319013cf801f09ecc84b8d7e9495f27e305c6a9b0563a9b5f4d288405c3008a946df983d6',
        'hex',
      ),
    );
  });

  test('an unknown digest type has none', () => {
    expect(dsDigest(toDnsName(''), key(257, 8, 'AwEAAQ=='), 3)).toBeUndefined();
  });

  test.each([
    [
      'KSK-2017',
      'AwEAAaz/tAm8yTn4Mfeh5eyI96WSVexTBAvkMgJzkKTOiW1vkIbzxeF3+/4RgWOq7HrxRixHlFlExOLAJr5emLvN7SWXgnLh4+B5xQlNVz8Og8kvArMtNROxVQuCaSnIDdD5LKyWbRd2n9WGe2R8PzgCmr3EgVLrjyBxWezF0jLHwVN8efS3rCj/EWgvIWgb9tarpVUDK/b58Da+sqqls3eNbuv7pr+eoZG+SrDK6nWeL3c6H5Apxz7LjVc1uTIdsIXxuOLYA4/ilBmSVIzuDWfdRUfhHdY6+cn8HFRm+2hM8AnXGXws9555KrUB5qihylGa8subX2Nn6UwNR1AkUTV74bU=',
    ],
    [
      'KSK-2024',
      'AwEAAa96jeuknZlaeSrvyAJj6ZHv28hhOKkx3rLGXVaC6rXTsDc449/cidltpkyGwCJNnOAlFNKF2jBosZBU5eeHspaQWOmOElZsjICMQMC3aeHbGiShvZsx4wMYSjH8e7Vrhbu6irwCzVBApESjbUdpWWmEnhathWu1jo+siFUiRAAxm9qyJNg/wOZqqzL/dL/q8PkcRU5oUKEpUge71M3ej2/7CPqpdVwuMoTvoB+ZOT4YeGyxMvHmbrxlFzGOHOijtzN+u1TQNatX2XBuzZNQ1K+s2CXkPIZo7s6JgZyvaBevYtxPvYLw4z9mR7K2vaF18UYH9Z9GNUUeayffKC73PYc=',
    ],
  ])('the trust anchor of the root for %s', (_title, publicKey) => {
    const ksk = key(257, 8, publicKey);
    const digest = dsDigest(toDnsName(''), ksk, 2);
    const anchor = rootTrustAnchors.find((one) => one.keyTag === keyTag(ksk));
    expect(Buffer.from(anchor?.digest ?? [])).toEqual(digest);
  });
});
