import {
  bindProvider,
  createEgress,
  createRecordWriter,
  type Egress,
  MemoryLedger,
  SecretValue,
  systemClock,
  systemRandom,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { routedns } from './plugin.ts';
import { type Route53Fixture, startRoute53Fixture } from './testing/route53-fixture.ts';

let fixture: Route53Fixture;
let egress: Egress;

beforeEach(async () => {
  fixture = await startRoute53Fixture({ sync: { afterPolls: 0 } });
  egress = createEgress();
});

afterEach(async () => {
  await egress.close();
  await fixture.close();
});

/** Through the host's record writer, in real time but for the rate limit. */
async function writeAndRemove(
  records: readonly { readonly zone: Zone; readonly name: DnsName; readonly value: string }[],
) {
  const bound = bindProvider(
    { ...routedns, capabilities: { ...routedns.capabilities, buckets: [] } },
    { issuer: 'default/lab', key: 'routedns', name: 'lab', config: fixture.config },
    {
      egress,
      dns: egress.dns,
      clock: systemClock,
      random: systemRandom,
      secret: () => ({ get: async () => new SecretValue(Buffer.from(fixture.aws.secretAccessKey)) }),
      warn: () => undefined,
    },
  );
  const writer = createRecordWriter({
    ledger: new MemoryLedger(),
    clock: systemClock,
    random: systemRandom,
    windowMs: 5,
  });
  const signal = AbortSignal.timeout(20_000);
  const zones = [...new Set(records.map(({ zone }) => zone))];
  for (const state of ['present', 'absent'] as const) {
    const outcomes = await Promise.all(
      zones.map((zone) =>
        writer.write({
          owner: 'default/order',
          provider: bound,
          zone,
          state,
          records: records.filter((one) => one.zone === zone),
          signal,
        }),
      ),
    );
    expect(outcomes.flat().every((outcome) => outcome.status === 'done' && outcome.changed)).toBe(true);
    for (const { name, value } of [records[0]!, records.at(-1)!])
      expect(fixture.aws.published(name).values.includes(value)).toBe(state === 'present');
  }
  await writer.close();
}

const value = (at: number) => `${at}`.padStart(43, 'v');

test('1,000 challenges in one zone: three requests to write, three to remove', async () => {
  const zone = { id: fixture.aws.zoneIdOf('example.test'), name: toDnsName('example.test') };
  await writeAndRemove(
    Array.from({ length: 1_000 }, (_none, at) => ({
      zone,
      name: toDnsName(`_acme-challenge.h${at}.example.test`),
      value: value(at),
    })),
  );
  expect(fixture.aws.seen.map(({ action, status }) => `${action} ${status}`)).toEqual(
    Array(6).fill('ChangeResourceRecordSets 200'),
  );
}, 30_000);

test('apex and wildcard of 500 names: the same', async () => {
  const zone = { id: fixture.aws.zoneIdOf('example.test'), name: toDnsName('example.test') };
  await writeAndRemove(
    Array.from({ length: 1_000 }, (_none, at) => ({
      zone,
      name: toDnsName(`_acme-challenge.h${at >> 1}.example.test`),
      value: value(at),
    })),
  );
  expect(fixture.aws.seen.map(({ status }) => status)).toEqual(Array(6).fill(200));
}, 30_000);

test('1,000 challenges in 50 zones: one request to write and one to remove for each', async () => {
  const zones = Array.from({ length: 50 }, (_none, at): Zone => {
    const name = `zone${at}.test`;
    return { id: fixture.aws.addZone({ name }), name: toDnsName(name) };
  });
  await writeAndRemove(
    Array.from({ length: 1_000 }, (_none, at) => {
      const zone = zones[at % 50] as Zone;
      return { zone, name: toDnsName(`_acme-challenge.h${at}.${zone.name}`), value: value(at) };
    }),
  );
  expect(fixture.aws.seen).toHaveLength(100);
}, 30_000);
