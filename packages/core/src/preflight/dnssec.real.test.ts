import { randomBytes } from 'node:crypto';
import { type DnsServer, type DnsTransport, type DsData, systemTransport, toDnsName } from '@zoneproof/dns';
import {
  type Bind,
  describeReal,
  type SignedZone,
  type SignOptions,
  signZone,
  startBind,
  zoneFile,
} from '@zoneproof/farm';
import { type NameServers, nameServers } from '../selfcheck/testing/name-servers.ts';
import { type RecordLine, soa, zone } from '../selfcheck/testing/zone-data.ts';
import { createPreflight } from './preflight.ts';

const signal = new AbortController().signal;
const name = 'a.test';
const day = 86_400_000;

let dns: NameServers;
let bind: Bind | undefined;
beforeEach(() => {
  dns = nameServers();
});
afterEach(async () => {
  await bind?.stop();
  bind = undefined;
  await dns.close();
});

describeReal(['bind', 'bind-dnssec'], 'zones that BIND signed and serves', () => {
  test.each<[string, SignOptions, (signed: SignedZone) => SignedZone, RegExp]>([
    ['sound', {}, same, /^ok: a\.test is signed, and its chain of trust is whole\.$/],
    ['unsigned', {}, (signed) => ({ ...signed, ds: [] }), /^ok: a\.test is not signed: test has no DS record/],
    [
      'expired',
      { from: new Date('2020-10-01T12:00:00Z'), until: new Date('2020-11-01T12:00:00Z') },
      same,
      /^failed: the signature of the DNSKEY set of a\.test expired 2020-11-01 12:00 UTC; sign the zone again/,
    ],
    [
      'about to expire',
      { until: new Date(Date.now() + day / 24) },
      same,
      /^warning: the signature of the \w+ set of a\.test ends at .*; see that its signer is running\.$/,
    ],
    [
      'the DS record of an earlier key',
      {},
      (signed) => ({ ...signed, ds: [`a.test. DS 4711 13 2 ${'ab'.repeat(32)}`] }),
      /^failed: no DNSKEY of a\.test matches the DS record \(key tag 4711\) at its parent; put the DS record/,
    ],
    [
      'not signed any more',
      {},
      (signed) => ({ ...signed, file: zoneFile({ name, records: [] }, '127.0.0.1') }),
      /^failed: a\.test has no DNSKEY record, and the DS record \(key tag \d+\) at its parent says that it is signed/,
    ],
    [
      'a SOA record changed after signing',
      {},
      (signed) => ({ ...signed, file: signed.file.replace(/\b600\b/, '601') }),
      /^failed: the signature of the SOA set of a\.test is not one that key \d+ of a\.test made over these records \(at all servers\)/,
    ],
  ])(
    '%s',
    async (_title, options, change, expected) => {
      const anchors = await serve(options, change);
      const quick = preflightOf(anchors);
      const { findings } = await quick.check({ names: [name] }, signal);
      const told = findings.find(({ id }) => id === 'dnssec');
      expect(`${told?.result}: ${told?.detail}`).toMatch(expected);

      const challenge = toDnsName(`_acme-challenge.${name}`);
      const servers = [{ name: toDnsName('ns1.a.test'), address: '127.0.0.1' }];
      const location = { name: challenge, chain: [challenge], target: challenge, zone: toDnsName(name), servers };
      const request = {
        names: [name],
        caaIdentities: ['ca.example'],
        locations: new Map([[toDnsName(name), location]]),
      };
      const denied = (await quick.denials(request, signal)).map(({ id }) => id);
      // Wrong dates alone may be the fault of the clock here.
      expect(denied).toEqual(told?.result === 'failed' && !/ expired /.test(told.detail) ? ['dnssec'] : []);
    },
    30_000,
  );

  test('one server without signatures: a warning that names it', async () => {
    const anchors = await serve({}, same, ['@ NS ns2', 'ns2 A 192.0.2.66']);
    const records: RecordLine[] = [
      ['a.test', 'NS', 'ns1.a.test'],
      ['a.test', 'NS', 'ns2.a.test'],
      ['ns1.a.test', 'A', '127.0.0.1'],
      ['ns2.a.test', 'A', '192.0.2.66'],
    ];
    const unsigned = zone('a.test', ...records);
    unsigned.records = [...unsigned.records, soa(toDnsName('a.test'))];
    await dns.serve('192.0.2.66', unsigned);
    const { findings } = await preflightOf(anchors).check({ names: [name] }, signal);
    const told = findings.find(({ id }) => id === 'dnssec');
    expect(told).toMatchObject({
      result: 'warning',
      detail: expect.stringMatching(/^the SOA set of a\.test has no signature, .*\(at ns2\.a\.test 192\.0\.2\.66\)/),
    });
  }, 30_000);
});

function preflightOf(anchors: readonly DsData[]) {
  return createPreflight({
    resolvers: () => [{ address: '192.0.2.53', port: 53 }],
    transport: throughBind(),
    clock: { now: () => Date.now() },
    random: (length) => randomBytes(length),
    trustAnchors: [{ zone: toDnsName('test'), ds: anchors }],
  });
}

function same(signed: SignedZone): SignedZone {
  return signed;
}

/** test and a.test on one BIND at 127.0.0.1, and a resolver that knows where they are. */
async function serve(
  options: SignOptions,
  change: (signed: SignedZone) => SignedZone,
  records: readonly string[] = [],
): Promise<readonly DsData[]> {
  const signed = change(await signZone({ name, records }, options));
  const parent = await signZone({ name: 'test', records: ['a NS ns1.a', 'ns1.a A 127.0.0.1', ...signed.ds] });
  bind = await startBind({ zones: [parent, signed] });
  await dns.serve(
    '192.0.2.99',
    zone('test', ['test', 'NS', 'ns1.test'], ['ns1.test', 'A', '127.0.0.1']),
    zone('a.test', ['a.test', 'NS', 'ns1.a.test'], ['ns1.a.test', 'A', '127.0.0.1']),
  );
  await dns.resolve('192.0.2.53');
  return parent.ds.map((line) => {
    const [tag, algorithm, digestType, ...digest] = line.split(/\s+/).slice(3);
    return {
      keyTag: Number(tag),
      algorithm: Number(algorithm),
      digestType: Number(digestType),
      digest: Buffer.from(digest.join(''), 'hex'),
    };
  });
}

/** 127.0.0.1 is BIND; the scripted servers have all other addresses. */
function throughBind(): DnsTransport {
  const toBind = (server: DnsServer) => (server.address === '127.0.0.1' && bind !== undefined ? bind : server);
  const { transport } = dns;
  return {
    ...transport,
    udp: (server, ...rest) =>
      server.address === '127.0.0.1' ? systemTransport.udp(toBind(server), ...rest) : transport.udp(server, ...rest),
    tcp: (server, ...rest) =>
      server.address === '127.0.0.1' ? systemTransport.tcp(toBind(server), ...rest) : transport.tcp(server, ...rest),
  };
}
