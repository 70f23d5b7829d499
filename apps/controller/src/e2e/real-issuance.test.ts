import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tsigAlgorithms } from '@zoneproof/dns';
import { describeReal, newTsigKey, startKnot, startPowerdns } from '@zoneproof/farm';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { certificateManifest, type RealWorld, type RealWorldOptions, startRealWorld } from './real-world.ts';
import { type Standalone, startStandalone } from './standalone.ts';

let world: RealWorld | undefined;
let running: Standalone | undefined;

afterEach(async () => {
  await running?.remove();
  await world?.stop();
  running = world = undefined;
});

async function issue(options: RealWorldOptions, certificates: Readonly<Record<string, string>>, issuer: object = {}) {
  world = await startRealWorld(options);
  running = await startStandalone({
    manifests: { 'issuer.yaml': world.issuer(issuer), ...certificates },
    transport: world.transport,
    resolvers: world.resolvers,
    plugins: [rfc2136],
  });
  await running.controller.settled();
  return { world, running };
}

/** The names of the stored certificate, or what its Ready condition says. */
async function namesOf({ store, stateDir }: Standalone, name: string): Promise<readonly string[] | string> {
  const ready = store.get('Certificate', 'default', name)?.status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return `${ready?.reason}: ${ready?.message}`;
  const leaf = new X509Certificate(await readFile(join(stateDir, 'certs/default', name, 'tls.crt'), 'utf8'));
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .map((entry) => entry.replace('DNS:', ''))
    .sort();
}

describeReal(['bind', 'pebble'], 'pebble and BIND', () => {
  test('apex and wildcard come in one certificate', async () => {
    const { running, world } = await issue(
      { zones: [{ name: 'a.test' }] },
      { 'c.json': certificateManifest('www', ['a.test', '*.a.test']) },
    );
    expect(await namesOf(running, 'www')).toEqual(['*.a.test', 'a.test']);
    expect(await world.leftovers('a.test')).toEqual([]);
  });

  test('20 names come in one certificate, written by few messages', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `host-${i}.a.test`).sort();
    const { running, world } = await issue(
      { zones: [{ name: 'a.test' }] },
      { 'c.json': certificateManifest('many', names) },
    );
    expect(await namesOf(running, 'many')).toEqual(names);
    expect(await world.leftovers(...names)).toEqual([]);
  });

  test('names lie in several zones, one of them a delegated child', async () => {
    const zones = [
      { name: 'a.test', records: ['child NS ns1.child', 'ns1.child A 127.0.0.1'] },
      { name: 'child.a.test' },
      { name: 'b.test' },
    ];
    const names = ['a.test', 'b.test', 'www.b.test', 'www.child.a.test'];
    const { running, world } = await issue({ zones }, { 'c.json': certificateManifest('zones', names) });
    expect(await namesOf(running, 'zones')).toEqual(names);
    expect(await world.leftovers(...names)).toEqual([]);
  });

  test('a CNAME sends the challenge into another zone', async () => {
    const zones = [
      { name: 'a.test', records: ['_acme-challenge.www CNAME www-a-test.proofs.test.'] },
      { name: 'proofs.test' },
    ];
    const { running, world } = await issue({ zones }, { 'c.json': certificateManifest('www', ['www.a.test']) });
    expect(await namesOf(running, 'www')).toEqual(['www.a.test']);
    expect(await world.values('www-a-test.proofs.test')).toEqual([]);
  });

  test("somebody else's value at the same name survives", async () => {
    world = await startRealWorld({ zones: [{ name: 'a.test' }] });
    await world.plant('a.test', '_acme-challenge.a.test', 'not ours');
    running = await startStandalone({
      manifests: { 'issuer.yaml': world.issuer(), 'c.json': certificateManifest('www', ['a.test', '*.a.test']) },
      transport: world.transport,
      resolvers: world.resolvers,
      plugins: [rfc2136],
    });
    await running.controller.settled();
    expect(await namesOf(running, 'www')).toEqual(['*.a.test', 'a.test']);
    expect(await world.leftovers('a.test')).toEqual(['not ours']);
  });

  test('half of all nonces are refused and nothing fails', async () => {
    const certificates = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`c${i}.json`, certificateManifest(`c${i}`, [`h${i}.a.test`])]),
    );
    const { running } = await issue({ zones: [{ name: 'a.test' }], pebble: { nonceRejectPercent: 50 } }, certificates);
    for (let i = 0; i < 10; i++) expect(await namesOf(running, `c${i}`)).toEqual([`h${i}.a.test`]);
  });

  test('authorizations that the CA holds as valid are used again', async () => {
    const { running, world } = await issue(
      { zones: [{ name: 'a.test' }], pebble: { authzReusePercent: 100 } },
      { 'c.json': certificateManifest('one', ['a.test']) },
    );
    await running.apply({
      'issuer.yaml': world.issuer(),
      'c.json': certificateManifest('one', ['a.test']),
      'd.json': certificateManifest('two', ['a.test']),
    });
    await running.controller.settled();
    expect(await namesOf(running, 'two')).toEqual(['a.test']);
    const second = running.store.get('Order', 'default', 'two-1')?.status.challenges?.[0];
    expect(second).toMatchObject({ step: 'validated' });
    expect(second?.evidence).toBeUndefined();
  });

  test('an account is bound to one of the CA (EAB)', async () => {
    const hmac = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';
    const eab = { externalAccountBinding: { keyID: 'kid-1', keySecretRef: { name: 'eab', key: 'hmac' } } };
    const secret = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'eab' },
      stringData: { hmac },
    });
    const { running } = await issue(
      { zones: [{ name: 'a.test' }], pebble: { eab: { 'kid-1': hmac } } },
      { 'eab.json': secret, 'c.json': certificateManifest('www', ['a.test']) },
      eab,
    );
    expect(await namesOf(running, 'www')).toEqual(['a.test']);
  });

  test('short-lived certificates are renewed without a gap', async () => {
    const lifetimeS = 6;
    const { running } = await issue(
      { zones: [{ name: 'a.test' }], pebble: { validityPeriod: lifetimeS } },
      { 'c.json': certificateManifest('www', ['a.test'], { renewBefore: '50%' }) },
    );
    const path = join(running.stateDir, 'certs/default/www');
    const serials = new Set<string>();
    const until = Date.now() + 2.2 * lifetimeS * 1_000;
    while (Date.now() < until) {
      const leaf = new X509Certificate(await readFile(join(path, 'tls.crt'), 'utf8'));
      // Pebble counts whole seconds.
      expect(Date.parse(leaf.validTo)).toBeGreaterThan(Date.now() - 1_000);
      serials.add(leaf.serialNumber);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(serials.size).toBeGreaterThanOrEqual(4);
  }, 60_000);

  test.each(tsigAlgorithms)('updates are signed with %s', async (algorithm) => {
    const { running } = await issue(
      { zones: [{ name: 'a.test' }], key: newTsigKey('acme-update', algorithm) },
      { 'c.json': certificateManifest('www', ['a.test']) },
    );
    expect(await namesOf(running, 'www')).toEqual(['a.test']);
  });
});

for (const [server, start] of [
  ['knot', startKnot],
  ['powerdns', startPowerdns],
] as const)
  describeReal([server, 'pebble'], `pebble and ${server}`, () => {
    test('apex, wildcard and host are issued, and nothing stays behind', async () => {
      const names = ['*.a.test', 'a.test', 'www.a.test'];
      const { running, world } = await issue(
        { zones: [{ name: 'a.test' }], start },
        { 'c.json': certificateManifest('www', names) },
      );
      expect(await namesOf(running, 'www')).toEqual(names);
      expect(await world.leftovers('a.test', 'www.a.test')).toEqual([]);
    });
  });
