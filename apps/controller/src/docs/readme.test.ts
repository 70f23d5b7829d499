import { X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { inDirectory, runMain } from '../cli/testing/run-main.ts';
import type { Certificate, Issuer } from '../resources/index.ts';
import { commandLines } from './testing/command-lines.ts';
import { changeDocuments } from './testing/documented-manifests.ts';
import { type CodeBlock, codeBlocks, readMarkdown } from './testing/markdown.ts';

const readme = readMarkdown('README.md').text;
const operations = readMarkdown('docs/operations.md').text;

const printed: string[] = [];
let sandbox: Sandbox;
let nameservers: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  nameservers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
});
afterAll(() => sandbox.close());

test(
  'who does what README.md says, with the addresses of the sandbox, has both certificates',
  () =>
    inDirectory(async (directory) => {
      for (const block of blocksOf('A first certificate')) await follow(block, directory);
      expect(await namesOf('example', directory)).toBe('DNS:example.test, DNS:*.example.test');

      for (const block of blocksOf('With acme-dns')) await follow(block, directory);
      expect(await namesOf('web', directory)).toBe('DNS:web.example.test');
      expect(sandbox.dns.values('_acme-challenge.example.test')).toEqual([]);

      const state = join(directory, 'state');
      const shown = /^STATE\/\n([\s\S]*?)```/m.exec(operations)?.[1] ?? '';
      const documented = [...shown.matchAll(/^ {2}([\w.-]+)/gm)].map(([, name]) => name);
      // The socket goes with the process.
      expect((await readdir(state)).sort()).toEqual(documented.filter((name) => name !== 'zoneproof.sock').sort());
      expect(await readFile(join(state, 'order-keys.jsonl'), 'utf8')).toBe('');

      const secret = await readdir(join(state, 'secrets', 'default', 'example-tls'));
      const listed = [...readme.matchAll(/^STATE\/certs\/NAMESPACE\/NAME\/(\S+)/gm)].map(([, name]) => name as string);
      expect(secret.filter((name) => !name.startsWith('.')).sort()).toEqual([...listed].sort());
      expect(await modesBelow(state)).toEqual(new Set(['directory 700', 'file 600']));

      const accounts = await readFile(join(directory, 'secrets/acmedns/accounts.json'), 'utf8');
      const keys = ['example-tls', 'letsencrypt-staging-account'].map((name) =>
        join(state, 'secrets/default', name, 'tls.key'),
      );
      const secrets = [
        Buffer.from(sandbox.tsigKey.secret).toString('base64'),
        JSON.parse(accounts)['web.example.test'].password as string,
        ...(await Promise.all(keys.map(async (path) => (await readFile(path, 'utf8')).split('\n')[1] as string))),
      ];
      const public_ = [...printed, await readFile(join(state, 'objects.jsonl'), 'utf8')].join('\n');
      expect(secrets.filter((secret) => secret.length < 20 || public_.includes(secret))).toEqual([]);
    }),
  20_000,
);

/** Manifests are written, command lines run, and what a person would do by hand is done. */
async function follow({ language, text }: CodeBlock, directory: string): Promise<void> {
  if (language === 'yaml') {
    const [, file = ''] = /^# (\S+)$/m.exec(text) ?? [];
    expect(file).toMatch(/^manifests\//);
    return put(join(directory, file), changeDocuments(text, intoSandbox));
  }
  expect(language).toBe('sh');
  for (const line of text.trim().split('\n')) {
    if (line.includes('> secrets/tsig/secret'))
      await put(join(directory, 'secrets/tsig/secret'), `${Buffer.from(sandbox.tsigKey.secret).toString('base64')}\n`);
    const [, folders] = /^mkdir -p (.+)$/.exec(line) ?? [];
    for (const folder of folders?.split(' ') ?? []) await mkdir(join(directory, folder), { recursive: true });
    for (const argv of commandLines(line)) await run(argv, directory);
  }
}

async function run(argv: readonly string[], directory: string): Promise<void> {
  const own = argv.map((word) =>
    /^(?:manifests|secrets|state)(?:\/|$)/.test(word)
      ? join(directory, word)
      : word
          .replace('https://auth.example.net', sandbox.acmeDns.url)
          .replace(/example\.com$/, 'example.test')
          .replace('198.51.100.7/32', '127.0.0.0/8'),
  );
  const asks = argv[0] === 'run' || argv[0] === 'acmedns';
  const { code, out, err } = await runMain([...own, ...(asks ? ['--dns01-self-check-nameservers', nameservers] : [])], {
    transport: sandbox.transport,
  });
  printed.push(out);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const [, name = '', value = ''] of out.matchAll(/^ {2}(\S+)\. CNAME (\S+)\.$/gm))
    sandbox.dns.set({ name, type: 'CNAME', value });
}

function intoSandbox({ kind, spec }: Issuer | Certificate): void {
  if (kind === 'Certificate')
    Object.assign(spec, { dnsNames: spec.dnsNames.map((name) => name.replace(/example\.com$/, 'example.test')) });
  else {
    Object.assign(spec.acme, { server: sandbox.ca.directoryUrl, caBundle: sandbox.ca.rootPem });
    const { address, port } = sandbox.dns.server;
    for (const { rfc2136, acmedns } of spec.acme.dns01.providers) {
      if (rfc2136) Object.assign(rfc2136, { nameserver: `${address}:${port}` });
      if (acmedns) Object.assign(acmedns, { host: sandbox.acmeDns.url });
    }
  }
}

function blocksOf(section: string): readonly CodeBlock[] {
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const blocks = codeBlocks(text);
  expect(blocks.length).toBeGreaterThan(1);
  return blocks;
}

async function namesOf(certificate: string, directory: string): Promise<string | undefined> {
  const pem = await readFile(join(directory, 'state/certs/default', certificate, 'tls.crt'), 'utf8');
  return new X509Certificate(pem).subjectAltName;
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function modesBelow(directory: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const shown = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(async (entry) => {
      const mode = (await stat(join(entry.parentPath, entry.name))).mode & 0o777;
      return `${entry.isFile() ? 'file' : 'directory'} ${mode.toString(8)}`;
    });
  return new Set(await Promise.all(shown));
}
