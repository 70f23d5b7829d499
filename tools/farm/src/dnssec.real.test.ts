import {
  type DnsName,
  type DnssecLink,
  type DsData,
  exchange,
  keyTag,
  type RecordType,
  type SignedRrset,
  signedRrset,
  systemTransport,
  toDnsName,
  verifyAnchoredZone,
  verifyRrset,
  verifyZoneCut,
  type ZoneKeys,
} from '@zoneproof/dns';
import {
  type Bind,
  describeReal,
  type SignedZone,
  type SignOptions,
  signingAlgorithms,
  signZone,
  startBind,
  zoneFile,
} from './index.ts';

const [parent, zone] = [toDnsName('test'), toDnsName('a.test')];
const records = [
  '@ CAA 128 issue "ca.example"',
  '_acme-challenge TXT "one" "two"',
  '_acme-challenge TXT "three"',
  '*.wild TXT "any"',
  'Alias CNAME WWW.Example.NET.',
  'www AAAA 2001:db8::1',
  'www AAAA ::ffff:192.0.2.1',
  'www A 192.0.2.10',
  'www A 192.0.2.9',
  'mail MX 10 www',
];
const day = 86_400_000;
const now = Date.now();
const names: readonly [string, RecordType][] = [
  ['a.test', 'SOA'],
  ['a.test', 'NS'],
  ['a.test', 'CAA'],
  ['_acme-challenge.a.test', 'TXT'],
  ['www.a.test', 'A'],
  ['www.a.test', 'AAAA'],
  ['alias.a.test', 'CNAME'],
];

describeReal(['bind', 'bind-dnssec'], 'zones that BIND signed and serves', () => {
  test.each(signingAlgorithms.filter((algorithm) => algorithm !== 'RSASHA1'))(
    '%s: every link is sound',
    async (algorithm) => {
      const served = await serve({ algorithms: [algorithm] });
      try {
        const { links, keys } = await chain(served);
        expect(links.map((link) => link.text)).toEqual([
          expect.stringMatching(/^the DNSKEY set of test is signed by key \d+ \(algorithm 13 /),
          expect.stringMatching(/^the DS set of a\.test is signed by key \d+ \(algorithm 13 /),
          expect.stringMatching(
            new RegExp(`^the DNSKEY set of a\\.test is signed by key \\d+ .*${algorithm}.* until `),
          ),
        ]);
        for (const [name, type] of names)
          expect(await judge(served, name, type, keys)).toMatchObject({ state: 'sound', name, type });
        expect(await judge(served, 'x.y.wild.a.test', 'TXT', keys)).toMatchObject({
          state: 'sound',
          wildcard: '*.wild.a.test',
        });
        expect(await judge(served, '*.wild.a.test', 'TXT', keys)).not.toHaveProperty('wildcard');
        expect(await judge(served, 'mail.a.test', 'MX', keys)).toMatchObject({ problem: 'unsupported-type' });
      } finally {
        await served.bind.stop();
      }
    },
    30_000,
  );

  test.each<[string, SignOptions, (zone: SignedZone) => SignedZone, RegExp]>([
    [
      'RSASHA1 counts as unsigned',
      { algorithms: ['RSASHA1'] },
      same,
      /^the DS set of a\.test has only algorithm 5 \(RSASHA1\), which is too old/,
    ],
    [
      'two algorithms, the older one ignored',
      { algorithms: ['RSASHA1', 'ED25519'] },
      same,
      /^the TXT set of \S+ is signed by key \d+ \(algorithm 15/,
    ],
    [
      'expired',
      { from: new Date('2020-10-01T12:00:00Z'), until: new Date('2020-11-01T12:00:00Z') },
      same,
      /^the signature of the DNSKEY set of a\.test expired 2020-11-01 12:00 UTC$/,
    ],
    [
      'not yet valid',
      { from: new Date(now + day), until: new Date(now + 9 * day) },
      same,
      /^the signature of the DNSKEY set of a\.test is not valid before /,
    ],
    [
      'a value changed after signing',
      {},
      (signed) => ({ ...signed, file: signed.file.replace('"three"', '"four"') }),
      /^the signature of the TXT set of _acme-challenge\.a\.test is not one that key \d+ of a\.test made over these records$/,
    ],
    [
      'no DS record',
      {},
      (signed) => ({ ...signed, ds: [] }),
      /^test has no DS record for a\.test: unsigned as far as the parent says$/,
    ],
    [
      'DS of an earlier key',
      {},
      (signed) => ({ ...signed, ds: [`a.test. DS 4711 13 2 ${'ab'.repeat(32)}`] }),
      /^no DNSKEY of a\.test matches the DS record \(key tag 4711\) at its parent$/,
    ],
    [
      'DS with another digest',
      {},
      (signed) => ({ ...signed, ds: signed.ds.map((line) => line.replace(/[0-9A-F]{30}/, 'AB'.repeat(15))) }),
      /^DNSKEY \d+ of a\.test has another digest than the DS record/,
    ],
    [
      'not signed any more',
      {},
      (signed) => ({ ...signed, file: zoneFile({ name: zone, records }, '127.0.0.1') }),
      /^a\.test has no DNSKEY record, and the DS record \(key tag \d+\) at its parent says that it is signed$/,
    ],
  ])(
    '%s',
    async (_title, options, change, text) => {
      const served = await serve(options, change);
      try {
        const { links, keys } = await chain(served);
        if (keys) links.push(await judge(served, '_acme-challenge.a.test', 'TXT', keys));
        expect(links.at(-1)?.text).toMatch(text);
      } finally {
        await served.bind.stop();
      }
    },
    30_000,
  );
});

interface Served {
  readonly bind: Bind;
  readonly anchors: readonly DsData[];
}

function same(signed: SignedZone): SignedZone {
  return signed;
}

async function serve(options: SignOptions, change = same): Promise<Served> {
  const signed = change(await signZone({ name: zone, records }, options));
  const delegation = ['a NS ns1.a', 'ns1.a A 127.0.0.1', ...signed.ds];
  const parentZone = await signZone({ name: parent, records: delegation });
  const anchors = parentZone.ds.map((line) => {
    const [tag, algorithm, digestType, ...digest] = line.split(/\s+/).slice(3);
    return {
      keyTag: Number(tag),
      algorithm: Number(algorithm),
      digestType: Number(digestType),
      digest: Buffer.from(digest.join(''), 'hex'),
    };
  });
  return { anchors, bind: await startBind({ zones: [parentZone, signed] }) };
}

async function chain(served: Served): Promise<{ readonly links: DnssecLink[]; readonly keys: ZoneKeys | undefined }> {
  const top = verifyAnchoredZone(await ask(served, parent, 'DNSKEY'), served.anchors, now);
  if (!top.keys) return { links: [...top.links], keys: undefined };
  expect(top.keys.keys.map(keyTag)).toContain(served.anchors[0]?.keyTag);
  const ds = await ask(served, zone, 'DS');
  const cut = verifyZoneCut({ parent: top.keys, ds, dnskeys: await ask(served, zone, 'DNSKEY') }, now);
  return { links: [...top.links, ...cut.links], keys: cut.keys };
}

async function judge(served: Served, name: string, type: RecordType, keys: ZoneKeys | undefined) {
  if (keys === undefined) throw new Error('no keys');
  return verifyRrset(await ask(served, toDnsName(name), type), keys, now);
}

async function ask(served: Served, name: DnsName, type: RecordType): Promise<SignedRrset> {
  const signal = AbortSignal.timeout(5000);
  const { message } = await exchange({ name, type }, served.bind, {
    transport: systemTransport,
    signal,
    rd: false,
    dnssecOk: true,
  });
  return signedRrset(message.answers, name, type);
}
