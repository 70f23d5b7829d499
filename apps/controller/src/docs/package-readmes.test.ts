import { readdirSync, readFileSync } from 'node:fs';
import { createEgress } from '@zoneproof/core';
import { formatServer } from '@zoneproof/dns';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { issue } from './testing/examples/acme.ts';
import { obstacles, waitFor } from './testing/examples/core.ts';
import { txtValues } from './testing/examples/dns.ts';
import { tour } from './testing/examples/sandbox.ts';
import { codeBlocks, readMarkdown, root } from './testing/markdown.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const challenge = '_acme-challenge.example.test';

test.each(['acme', 'core', 'dns', 'sandbox'])(
  'the example in packages/%s/README.md is the one that runs here',
  (name) => {
    const blocks = codeBlocks(readMarkdown(`packages/${name}/README.md`).text);
    const source = readFileSync(`${root}apps/controller/src/docs/testing/examples/${name}.ts`, 'utf8');
    expect(blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)).toEqual([source]);
  },
);

test.each([
  ...readdirSync(`${root}packages`)
    .filter((name) => name.startsWith('provider-') && name !== 'provider-testkit')
    .map((name) => `packages/${name}/README.md`),
  'examples/third-party-provider/README.md',
  'tools/new-provider/template/README.md.tmpl',
])('%s has the same headings as all of its kind', (path) => {
  const headings = [...readFileSync(`${root}${path}`, 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    'Fields',
    'Credentials',
    'Permissions',
    'How it writes',
    'When something is wrong',
    'Dependencies',
    'Sources',
  ]);
});

test('dns: the values of one server', async () => {
  sandbox.dns.set({ name: challenge, type: 'TXT', value: 'a' });
  expect(await txtValues(challenge, formatServer(sandbox.dns.server))).toEqual(['a']);
});

test('core: a value is waited for at every authoritative server', async () => {
  sandbox.dns.set({ name: challenge, type: 'TXT', value: 'a' });
  const options = { resolvers: () => sandbox.resolvers, transport: sandbox.transport, confirmAfterMs: 10 };
  expect(await waitFor(challenge, 'a', options)).toMatchObject({ zone: 'example.test', visible: true });
  await expect(waitFor(challenge, 'b', { ...options, signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/);
});

test('core: a preflight names what would fail', async () => {
  const inputs = { resolvers: () => sandbox.resolvers, transport: sandbox.transport };
  expect(await obstacles(['example.test', '*.example.test'], ['ca.example'], inputs)).toEqual([]);
  expect(await obstacles(['www.nowhere.invalid'], ['ca.example'], inputs)).toEqual([
    expect.stringMatching(/^challenge-name: no zone holds _acme-challenge\.www\.nowhere\.invalid/),
  ]);
});

test('acme: a certificate for two names', async () => {
  const egress = createEgress({ caBundle: sandbox.ca.rootPem });
  try {
    const names = ['example.test', 'www.example.test'];
    const publish = async (name: string, value: string) => sandbox.dns.set({ name, type: 'TXT', value });
    const { pemChain, notAfter } = await issue(sandbox.ca.directoryUrl, names, publish, (request) =>
      egress.http({ ...request, signal: request.signal ?? AbortSignal.timeout(10_000) }),
    );
    expect(pemChain).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(notAfter).toBeGreaterThan(Date.now());
  } finally {
    await egress.close();
  }
});

test('sandbox: the tour', async () => {
  expect(await tour()).toMatchObject({ directory: expect.stringMatching(/^https:/), values: ['left-by-somebody'] });
});
