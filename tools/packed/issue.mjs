// Issues a certificate through the provider exampledns: `node issue.mjs SERVICE`, where zoneproof is installed. SERVICE is
// the module that starts ExampleDNS; what is written there shows in the zone of the sandbox.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSandbox } from '@zoneproof/sandbox';
import { main } from 'zoneproof';

const { startExampleDns } = await import(pathToFileURL(process.argv[2]).href);
const directory = await mkdtemp(join(tmpdir(), 'zoneproof-issue-'));
const sandbox = await startSandbox();
const service = await startExampleDns();
try {
  service.zones.set('z1', 'example.test');
  service.tokens.set('a-token-of-this-run', ['zones:read', 'txt:write']);
  service.onChange = publish;
  let log = '';
  const stdout = { write: (text) => (log += text) };
  const code = await main(await commandLine(), { transport: sandbox.transport, stdout });
  const chain = await readFile(join(directory, 'state/certs/default/shop/tls.crt'), 'utf8').catch(() => '');
  const writes = service.seen.filter(({ action }) => action === 'txt:write').length;
  if (code !== 0 || !chain.includes('BEGIN CERTIFICATE'))
    throw new Error(`zoneproof run --once ended with ${code}\n${log}`);
  if (writes < 2 || service.rrsets.size > 0)
    throw new Error(`${writes} writes, ${service.rrsets.size} RRsets are left`);
  console.log(`${writes} writes`);
} finally {
  await Promise.all([service.close(), sandbox.close()]);
  await rm(directory, { recursive: true, force: true });
}

function publish(name) {
  sandbox.dns.remove({ name, type: 'TXT' });
  for (const value of service.rrsets.get(name)?.values ?? []) sandbox.dns.set({ name, type: 'TXT', value });
}

async function commandLine() {
  const issuer = {
    acme: {
      server: sandbox.ca.directoryUrl,
      caBundle: sandbox.ca.rootPem,
      privateKeySecretRef: { name: 'account' },
      dns01: {
        providers: [
          {
            name: 'example',
            exampledns: {
              tokenSecretRef: { name: 'exampledns', key: 'token' },
              endpoint: service.origin,
              caBundle: service.caBundle,
            },
          },
        ],
      },
    },
  };
  const certificate = { secretName: 'shop', dnsNames: ['example.test', '*.example.test'], issuerRef: { name: 'ca' } };
  const manifest = (kind, name, spec) => ({ apiVersion: 'zoneproof.dev/v1alpha1', kind, metadata: { name }, spec });
  const file = async (path, text) => {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  await file('manifests/issuer.json', JSON.stringify(manifest('Issuer', 'ca', issuer)));
  await file('manifests/shop.json', JSON.stringify(manifest('Certificate', 'shop', certificate)));
  await file('secrets/exampledns/token', 'a-token-of-this-run');
  const servers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
  const [manifests, secrets, state] = ['manifests', 'secrets', 'state'].map((path) => join(directory, path));
  const where = ['--secrets', secrets, '--state', state, '--dns01-self-check-nameservers', servers];
  return ['run', manifests, '--once', ...where, '--log-format', 'json'];
}
