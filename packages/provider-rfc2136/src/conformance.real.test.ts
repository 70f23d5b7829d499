import type { ChangeOutcome } from '@zoneproof/core';
import { toDnsName, tsigAlgorithms } from '@zoneproof/dns';
import {
  describeReal,
  type NameServer,
  type NameServerOptions,
  type RealServer,
  secretBase64,
  startBind,
  startKnot,
  startPowerdns,
} from '@zoneproof/farm';
import { describeProvider, Lab } from '@zoneproof/provider-testkit';
import { rfc2136 } from './plugin.ts';
import { cannotArrange } from './testing/bad-days.ts';
import { targetOf } from './testing/observer.ts';
import { type RealFixture, startRealFixture } from './testing/real-fixture.ts';

const servers: readonly [RealServer, title: string, start: (options: NameServerOptions) => Promise<NameServer>][] = [
  ['bind', 'BIND', startBind],
  ['knot', 'Knot DNS', startKnot],
  ['powerdns', 'PowerDNS', startPowerdns],
];

const zone = { id: 'example.test', name: toDnsName('example.test') };
const messageOf = (outcome: ChangeOutcome | undefined): string =>
  outcome && 'error' in outcome
    ? `${outcome.status} ${outcome.error.kind}: ${outcome.error.message}`
    : `${outcome?.status}`;

for (const [server, title, start] of servers)
  describeReal([server], title, () => {
    describeProvider({
      plugin: rfc2136,
      packageDir: new URL('..', import.meta.url),
      setup: () => startRealFixture(start),
      setAside: cannotArrange,
      against: title,
    });

    describe('beyond the contract', () => {
      let fixture: RealFixture;
      let lab: Lab;
      beforeAll(async () => {
        fixture = await startRealFixture(start, tsigAlgorithms);
        lab = new Lab(rfc2136, '', fixture);
      }, 30_000);
      afterAll(async () => {
        await lab?.close();
        await fixture?.close();
      });

      test.each(tsigAlgorithms)('%s is accepted, and a wrong secret or name is told apart', async (algorithm) => {
        const key = fixture.keys.find((one) => one.algorithm === algorithm)!;
        const apply = async (config: object, secret: string): Promise<string> => {
          const secrets = { tsig: { secret } };
          const own = new Lab(rfc2136, '', { ...fixture, config: { ...fixture.config, ...config }, secrets });
          const { name } = await fixture.newTarget();
          const outcomes = await own.start().apply(zone, own.changes(['present', name, own.value()]));
          await own.close();
          return messageOf(outcomes[0]);
        };
        const right = { tsigKeyName: key.name, tsigAlgorithm: algorithm };
        expect(await apply(right, secretBase64(key))).toBe('changed');
        expect(await apply(right, Buffer.from('wrong').toString('base64'))).toMatch(
          /^failed auth: .*(BADSIG|unsigned)/,
        );
        expect(await apply({ ...right, tsigKeyName: 'nobody' }, secretBase64(key))).toMatch(
          /^failed auth: .*(BADKEY|unsigned)/,
        );
      });

      test('a hundred names are one message', async () => {
        const wanted = Array.from(
          { length: 100 },
          (_, at) => ['present', toDnsName(`_acme-challenge.m${at}.example.test`), lab.value()] as const,
        );
        lab.traffic.writes = 0;
        expect(new Set((await lab.start().apply(zone, lab.changes(...wanted))).map(messageOf))).toEqual(
          new Set(['changed']),
        );
        const removed = wanted.map(([, name, value]) => ['absent', name, value] as const);
        expect(new Set((await lab.start().apply(zone, lab.changes(...removed))).map(messageOf))).toEqual(
          new Set(['changed']),
        );
        expect(lab.traffic.writes).toBe(2);
      });

      test('a CNAME at the name is told, one that a wildcard made is no obstacle', async () => {
        const names = ['alias', 'wild'].map((label) => toDnsName(`_acme-challenge.${label}.example.test`));
        const wanted = names.map((name) => ['present', name, lab.value()] as const);
        // PowerDNS refuses the whole update, the others pass over the one record: the writer finds the name either way.
        const outcomes: string[] = [];
        for (const one of wanted) outcomes.push(messageOf((await lab.start().apply(zone, lab.changes(one)))[0]));
        expect(outcomes).toEqual([expect.stringMatching(/^failed .*/), 'changed']);
      });

      test('a delegated name is told before anything is written', async () => {
        const name = toDnsName('_acme-challenge.away.example.test');
        const outcomes = await lab.start().apply(zone, lab.changes(['present', name, lab.value()]));
        expect(messageOf(outcomes[0])).toMatch(
          /^failed zone-not-found: .* delegates away\.example\.test to ns1\.other\.test/,
        );
        await expect(lab.start().zoneOf(targetOf('away.example.test'))).rejects.toThrow(/delegates/);
      });

      test('a zone that the server does not have', async () => {
        const other = { id: 'other.test', name: toDnsName('other.test') };
        const outcomes = await lab
          .start()
          .apply(other, lab.changes(['present', toDnsName('a.other.test'), lab.value()]));
        expect(messageOf(outcomes[0])).toMatch(/^failed (permission|zone-not-found): /);
      });

      test('check proves the key', async () => {
        const items = await lab.start().check();
        expect(items.map(({ what, result }) => `${what} ${result}`)).toEqual([
          'reachable ok',
          // Knot looks for the zone before it looks at the signature.
          `credentials ${server === 'knot' ? 'unknown' : 'ok'}`,
        ]);
      });
    });
  });

describeReal(['bind'], 'BIND with an update-policy', () => {
  test('one name that the key may not change fails the message, and each alone tells which', async () => {
    const start = (options: NameServerOptions) =>
      startBind({
        ...options,
        zones: [
          { name: 'example.test', updatePolicy: 'grant key-hmac-sha256 name _acme-challenge.example.test. TXT;' },
        ],
      });
    const fixture = await startRealFixture(start);
    const lab = new Lab(rfc2136, '', fixture);
    try {
      const [allowed, denied] = ['_acme-challenge.example.test', '_acme-challenge.www.example.test'].map(
        (text) => ['present', toDnsName(text), lab.value()] as const,
      );
      const both = await lab.start().apply(zone, lab.changes(allowed!, denied!));
      expect(both.map(messageOf)).toEqual(
        Array(2).fill(expect.stringMatching(/^failed permission: .*\(REFUSED\)\. Allow key/)),
      );
      expect((await lab.start().apply(zone, lab.changes(allowed!))).map(messageOf)).toEqual(['changed']);
      const alone = await lab.start().apply(zone, lab.changes(denied!));
      expect(alone.map(messageOf)).toEqual([expect.stringMatching(/^failed permission: /)]);
    } finally {
      await lab.close();
      await fixture.close();
    }
  }, 30_000);
});
