import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { issuerExample } from '@zoneproof/core';
import { parse } from 'yaml';
import { inDirectory, runMain, until } from '../cli/testing/run-main.ts';
import { providerPackages } from '../docs/provider-packages.ts';
import {
  type Account,
  certificateOf,
  issuerOf,
  providersOf,
  putManifests,
  runZoneproof,
  type SixWorld,
  secretsOf,
  startSixWorld,
  storedChain,
} from './six-world.ts';

let world: SixWorld;
beforeEach(async () => {
  world = await startSixWorld();
});
afterEach(() => world.close());

test('one Issuer with all six providers, two instances of one, and a certificate with a name on each', () =>
  inDirectory(async (directory) => {
    const { accounts, sandbox, secretTexts } = world;
    const names = accounts.map(({ domain }) => domain);
    await putManifests(directory, [
      issuerOf(sandbox, 'all', providersOf(accounts)),
      ...secretsOf(accounts),
      certificateOf('seven', 'all', names),
    ]);
    const running = runZoneproof(world, directory, { args: ['--once'] });
    expect([await running.exitCode, running.text()]).toEqual([0, expect.stringContaining('1 of 1 certificate')]);

    const { subjectAltName = '' } = new X509Certificate(await storedChain(directory, 'seven'));
    expect(subjectAltName.split(', ').sort()).toEqual(names.map((name) => `DNS:${name}`).sort());
    expect(accounts.map((account) => [account.name, account.written()])).toEqual(
      accounts.map(({ name, place }) => [name, [place]]),
    );
    expect(accounts.flatMap((account) => account.values())).toEqual([]);
    const status = await runMain(['status', '--state', join(directory, 'state'), '-o', 'json']);
    const { certificates, orders } = JSON.parse(status.out);
    expect(certificates).toMatchObject([{ ready: true }]);
    expect(orders.flatMap((order: { openValues: readonly object[] }) => order.openValues)).toEqual([]);
    for (const secret of secretTexts) expect(running.text()).not.toContain(secret);
  }));

test(
  'a throttled account waits as long as it was told and holds up nobody',
  () =>
    inDirectory(async (directory) => {
      const { accounts, sandbox, cloudflare } = world;
      const name = ({ name: of }: Account) => `cert-${of}`;
      cloudflare.fail({ kind: 'throttled', retryAfterSeconds: 30, on: 'write', times: Number.POSITIVE_INFINITY });
      await putManifests(directory, [
        issuerOf(sandbox, 'all', providersOf(accounts)),
        ...secretsOf(accounts),
        ...accounts.map((account) => certificateOf(name(account), 'all', [account.domain])),
      ]);
      const stop = new AbortController();
      const startedAt = Date.now();
      const running = runZoneproof(world, directory, { signal: stop.signal });
      try {
        const others = accounts.filter(({ key }) => key !== 'edgedns').map(name);
        await until(
          'the certificates of the others',
          () => others.every((one) => running.text().includes(`Certificate default/${one} Issued:`)),
          20_000,
        );
        expect(Date.now() - startedAt).toBeLessThan(20_000);
        expect(running.text()).toMatch(
          /default\/cert-edgedns\S* ProviderRateLimited: .*edgedns "edgedns" \(Cloudflare\)/,
        );
        expect(running.text()).not.toContain('cert-edgedns Issued:');
        expect(cloudflare.seen.filter(({ status }) => status === 429)).toHaveLength(1);
      } finally {
        stop.abort();
      }
      expect(await running.exitCode).toBe(0);
    }),
  40_000,
);

test('the smallest Issuer of each provider is valid and issues a certificate', () =>
  inDirectory(async (directory) => {
    const { sandbox } = world;
    const packages = await providerPackages(new URL('../../../../', import.meta.url), 'packages');
    const used = packages.map(({ plugin }) => {
      const account = world.accounts.find(({ key }) => key === plugin.key);
      if (account === undefined) throw new Error(`no service for provider ${plugin.key}`);
      return { account, ...pointedAt(parse(issuerExample(plugin)) as ExampleIssuer, account) };
    });
    expect(used).toHaveLength(6);
    await putManifests(directory, [
      ...used.map(({ account, provider }) => issuerOf(sandbox, account.key, [provider])),
      ...used.flatMap(({ secrets }) => secrets),
      ...used.map(({ account }) => certificateOf(`cert-${account.key}`, account.key, [account.domain])),
    ]);
    expect(await runMain(['validate', directory])).toMatchObject({ code: 0 });
    const running = runZoneproof(world, directory, { args: ['--once'] });
    expect([await running.exitCode, running.text()]).toEqual([0, expect.stringContaining('6 of 6 certificates')]);
  }));

interface ExampleIssuer {
  readonly spec: { readonly acme: { readonly dns01: { readonly providers: readonly [Record<string, Block>] } } };
}
type Block = Readonly<Record<string, unknown>>;

/** The example's provider at the service of this test: other addresses and identities, and what its Secrets hold. */
function pointedAt(issuer: ExampleIssuer, { key, block, secrets }: Account): { provider: object; secrets: object[] } {
  const [provider] = issuer.spec.acme.dns01.providers;
  const example = provider[key] as Block;
  const byName = new Map<string, Record<string, string>>();
  for (const [entry, text] of Object.entries(secrets)) {
    const ref = example[`${entry}SecretRef`] as { readonly name: string; readonly key: string };
    byName.set(ref.name, { ...byName.get(ref.name), [ref.key]: text });
  }
  return {
    provider: { ...provider, [key]: { ...example, ...block } },
    secrets: [...byName].map(([name, stringData]) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData,
    })),
  };
}
