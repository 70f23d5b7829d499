import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { inDirectory, runMain } from '../cli/testing/run-main.ts';
import { type EarlierLife, earlierLife, runOnce, sandboxSolver, tsigText } from './testing/earlier-life.ts';

let sandbox: Sandbox;
let earlier: EarlierLife;
beforeAll(async () => {
  sandbox = await startSandbox();
  earlier = await earlierLife(sandbox);
}, 20_000);
afterAll(() => sandbox.close());

const run = (manifests: string, state: string) => runOnce(sandbox, manifests, state);
const read = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');

function certManager(): string {
  const { accountKey, key, chain } = earlier;
  const secret = (name: string, stringData: object, annotations = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'web', annotations },
    stringData,
  });
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'cert-manager.io/v1',
    kind,
    metadata: { name, namespace: 'web' },
    spec,
  });
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      object('Issuer', 'le', {
        acme: {
          server: sandbox.ca.directoryUrl,
          caBundle: Buffer.from(sandbox.ca.rootPem).toString('base64'),
          privateKeySecretRef: { name: 'account', key: 'account.key' },
          solvers: [sandboxSolver(sandbox)],
        },
      }),
      object('Certificate', 'web', {
        secretName: 'web-tls',
        dnsNames: ['*.example.test', 'example.test'],
        issuerRef: { name: 'le' },
      }),
      secret('account', { 'account.key': accountKey }),
      secret('tsig', { secret: tsigText(sandbox) }),
      secret(
        'web-tls',
        { 'tls.crt': chain, 'tls.key': key },
        { 'cert-manager.io/issuer-name': 'le', 'cert-manager.io/issuer-kind': 'Issuer' },
      ),
      secret('another', { password: 'hunter2' }),
    ],
  });
}

test(
  'with account and certificate of cert-manager no account is made and no order placed',
  () =>
    inDirectory(async (directory) => {
      const [cm, manifests, state] = ['cm.json', 'zoneproof.yaml', 'state'].map((name) => join(directory, name)) as [
        string,
        string,
        string,
      ];
      await writeFile(cm, certManager());
      const imported = await runMain(['import', 'cert-manager', cm, '--out', manifests]);
      expect(imported).toMatchObject({ code: 0, err: '' });
      expect(imported.out).toBe(`taken over: 1 Issuer, 1 Certificate, with 3 Secrets\nwritten: ${manifests}\n`);
      expect(await read(manifests)).not.toContain(Buffer.from('hunter2').toString('base64'));

      const orders = sandbox.ca.orders().length;
      const first = await run(manifests, state);
      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out).toMatch(/Issuer web\/le AccountRegistered: The account \S+ was found\./);
      expect(first.out).toMatch(/1 of 1 certificate ready\.\n$/);
      expect(sandbox.ca.orders().length).toBe(orders);
      expect(await read(state, 'certs', 'web', 'web', 'tls.crt')).toBe(earlier.chain);
      expect(await read(state, 'certs', 'web', 'web', 'tls.key')).toBe(earlier.key);

      // What was copied is zoneproof's own from now on: the Secret that was given may go, and a renewal writes to the copy.
      const kept = (await read(manifests)).split('---\n').filter((text) => !text.includes('zoneproof.dev/adopt'));
      await writeFile(manifests, kept.join('---\n'));
      expect(await run(manifests, state)).toMatchObject({ code: 0 });
      expect(sandbox.ca.orders().length).toBe(orders);
      await writeFile(manifests, kept.join('---\n').replace('algorithm: RSA', 'algorithm: ECDSA'));
      expect(await run(manifests, state)).toMatchObject({ code: 0 });
      expect(sandbox.ca.orders().length).toBe(orders + 1);
      expect(await read(state, 'certs', 'web', 'web', 'tls.crt')).not.toBe(earlier.chain);
    }),
  20_000,
);

test.each<[string, RegExp, (list: string) => string]>([
  ['name', /holds a certificate for \*\.example\.test, example\.test\./, (text) => text.replace('"*.example.test","example.test"', '"example.test"')],
  ['key', /that has a key of RSA 2048 bits, not of ECDSA 256\./, (text) => text.replace('"issuerRef"', '"privateKey":{"algorithm":"ECDSA"},"issuerRef"')],
  ['Issuer', /that is from cert-manager's Issuer staging, not from Issuer le\./, (text) => text.replace('"cert-manager.io/issuer-name":"le"', '"cert-manager.io/issuer-name":"staging"')],
])('the import says that a certificate with another %s will be issued again', (_what, why, change) =>
  inDirectory(async (directory) => {
    const [cm, manifests] = ['cm.json', 'zoneproof.yaml'].map((name) => join(directory, name)) as [string, string];
    await writeFile(cm, change(certManager()));
    const imported = await runMain(['import', 'cert-manager', cm, '--out', manifests]);
    expect(imported).toMatchObject({ code: 0, err: '' });
    expect(imported.out).toMatch(why);
  })); // biome-ignore format: rows

test(
  'a Secret that is not handed over is not touched, and costs no order',
  () =>
    inDirectory(async (directory) => {
      const [cm, manifests] = ['cm.json', 'zoneproof.yaml'].map((name) => join(directory, name)) as [string, string];
      await writeFile(cm, certManager());
      expect(await runMain(['import', 'cert-manager', cm, '--out', manifests])).toMatchObject({ code: 0 });
      const text = await read(manifests);
      await writeFile(manifests, text.replace('zoneproof.dev/adopt: "true"', 'zoneproof.dev/adopt: "no"'));
      const orders = sandbox.ca.orders().length;
      const refused = await run(manifests, join(directory, 'state'));
      expect(refused).toMatchObject({
        code: 2,
        err: expect.stringContaining('is given by you and is not overwritten'),
      });
      expect(sandbox.ca.orders().length).toBe(orders);
    }),
  20_000,
);
