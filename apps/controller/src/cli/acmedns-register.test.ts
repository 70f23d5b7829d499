import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { inDirectory, runMain, violations } from './testing/run-main.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const register = (...argv: string[]) =>
  runMain(
    [
      'acmedns',
      'register',
      sandbox.acmeDns.url,
      '--dns01-self-check-nameservers',
      sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(','),
      ...argv,
    ],
    { transport: sandbox.transport },
  );

test('each domain gets an account of its own; those in the document are kept, and so is what we do not know', () =>
  inDirectory(async (directory) => {
    const file = join(directory, 'acmedns.json');
    const foreign = { ...sandbox.acmeDnsAccount, server_url: 'https://else.example' };
    await writeFile(file, JSON.stringify({ 'app.example.test': foreign, other: 'left alone' }));
    const ran = await register(
      '-d',
      'app.example.test',
      '*.new.example.test',
      'new.example.test',
      '--allow-from',
      '192.0.2.0/24',
      '--out',
      file,
    );
    expect(ran.err).toBe('');
    expect(ran.code).toBe(0);

    const document = JSON.parse(await readFile(file, 'utf8'));
    expect(Object.keys(document)).toEqual(['app.example.test', 'other', 'new.example.test']);
    expect(document).toMatchObject({ 'app.example.test': foreign, other: 'left alone' });
    expect(document['new.example.test'].allowfrom).toEqual(['192.0.2.0/24']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const { fulldomain, password } = document['new.example.test'];
    expect(ran.out).toContain(`_acme-challenge.new.example.test. CNAME ${fulldomain}.\n      to be created:`);
    expect(ran.out).toContain(`_acme-challenge.app.example.test. CNAME ${foreign.fulldomain}.\n      ok:`);
    expect(ran.out).not.toContain(password);
    expect(ran.out).not.toContain(foreign.password);

    const again = await register('-d', 'new.example.test', '--out', file, '--json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(document);
    const report = JSON.parse(again.out);
    expect(violations('acmedns-register.schema.json', report)).toEqual([]);
    expect(report.records).toMatchObject([{ domain: 'new.example.test', account: 'kept', cname: 'missing' }]);
  }));

test('a CNAME that leads elsewhere is wrong, and says where it has to lead', () =>
  inDirectory(async (directory) => {
    const { out } = await register('-d', 'alias.example.test', '--out', join(directory, 'a.json'));
    expect(out).toMatch(
      /wrong: _acme-challenge\.alias\.example\.test leads to alias-challenge\.shop\.test; change it to \S+\.auth\.example\.test\./,
    );
  }));

test('warns about open accounts and servers without TLS', () =>
  inDirectory(async (directory) => {
    const { out } = await register('-d', 'a.example.test', '--out', join(directory, 'a.json'));
    expect(out).toMatch(/warning: without --allow-from any address may update/);
    expect(out).toMatch(/warning: the server is spoken to without TLS/);
  }));

test.each([
  ['no JSON', '{"a.example": '],
  ['no object', '[]'],
])('a document that is %s is refused and left as it is', (_title, text) =>
  inDirectory(async (directory) => {
    const file = join(directory, 'acmedns.json');
    await writeFile(file, text);
    const before = sandbox.acmeDns.accounts.length;
    const { code, err } = await register('-d', 'a.example.test', '--out', file);
    expect([code, await readFile(file, 'utf8')]).toEqual([1, text]);
    expect(err).toContain('is no credentials document');
    expect(sandbox.acmeDns.accounts.length).toBe(before);
  }),
);

test.each<[string, number, string, RegExp]>([
  ['registration disabled', 404, '404 page not found', /takes no registrations \(404\)/],
  ['a refused range', 400, '{"error": "invalid_allowfrom_cidr"}', /HTTP 400, invalid_allowfrom_cidr/],
  ['something else than acme-dns', 200, '<html>', /is no account/],
  [
    'an account without a name',
    201,
    '{"username":"u","password":"p","fulldomain":"","subdomain":"s"}',
    /is no account/,
  ],
])('%s', async (_title, status, body, message) => {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await inDirectory(async (directory) => {
      const { code, err } = await runMain([
        'acmedns',
        'register',
        `http://127.0.0.1:${port}`,
        '-d',
        'a.example',
        '--out',
        join(directory, 'a.json'),
      ]);
      expect(code).toBe(1);
      expect(err).toMatch(message);
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
