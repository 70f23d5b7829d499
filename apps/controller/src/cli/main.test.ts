import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { defineProvider, type PolicyOptions, type ProviderPlugin } from '@zoneproof/core';
import { refusingTransport } from '@zoneproof/dns';
import { inDirectory, plugins, runMain, violations } from './testing/run-main.ts';

test.each<[string, readonly string[], number, RegExp]>([
  ['no command shows the help', [], 2, /Usage: zoneproof/],
  ['--help', ['--help'], 0, /Commands:[\s\S]*validate[\s\S]*Examples:/],
  [
    'help of a command has an example',
    ['run', '--help'],
    0,
    /--dns01-self-check-nameservers[\s\S]*Example:\n {2}\$ zoneproof run/,
  ],
  ['--version', ['--version'], 0, /^\d+\.\d+\.\d+\n$/],
  ['an unknown command names the nearest', ['validat'], 2, /unknown command 'validat'\n\(Did you mean validate\?\)/],
  [
    'an unknown option names the nearest',
    ['run', 'x', '--onec'],
    2,
    /unknown option '--onec'\n\(Did you mean --once\?\)/,
  ],
  ['run wants a path', ['run'], 2, /missing required argument 'path'\n\(zoneproof run --help shows how it is used\)/],
  [
    'a server without port',
    ['run', 'x', '--dns01-self-check-nameservers', '10.0.0.1'],
    2,
    /--dns01-self-check-nameservers: "10\.0\.0\.1": the port is missing: write 10\.0\.0\.1:53/,
  ],
  ['an unknown form', ['status', '-o', 'xml'], 2, /Allowed choices are table, json, yaml/],
  [
    'no state directory',
    ['status', '--state', '/nonexistent/state'],
    1,
    /there is no state directory \/nonexistent\/state/,
  ],
  ['nobody to renew', ['renew', 'shop', '--state', '/nonexistent/state'], 1, /holds no certificates/],
  ['a provider that is not installed', ['providers', 'otherdns'], 1, /npm install @zoneproof\/provider-otherdns/],
  ['a policy for one', ['policy', 'otherdns'], 1, /npm install @zoneproof\/provider-otherdns/],
  [
    'a register URL that is none',
    ['acmedns', 'register', 'auth', '-d', 'a.example', '--out', 'x.json'],
    2,
    /"auth" is not a URL/,
  ],
  [
    'a domain left out',
    ['acmedns', 'register', 'https://auth.example', '--out', 'x.json'],
    2,
    /--domain[\s\S]*\(zoneproof acmedns register --help shows how it is used\)/,
  ],
  [
    'a range that is none',
    [
      'acmedns',
      'register',
      'https://auth.example',
      '-d',
      'a.example',
      '--allow-from',
      '10.0.0.0/33',
      '--out',
      'x.json',
    ],
    2,
    /has no prefix length from 0 to 32/,
  ],
  [
    'a domain that is none',
    ['acmedns', 'register', 'https://auth.example', '-d', 'a..b', '--out', 'x.json'],
    2,
    /"a\.\.b" is not a domain name/,
  ],
])('%s', async (_title, argv, code, text) => {
  const ran = await runMain(argv);
  expect(ran.out + ran.err).toMatch(text);
  expect(ran.code).toBe(code);
});

test('status leaves a state directory of a newer format alone', () =>
  inDirectory(async (state) => {
    await writeFile(join(state, 'format.json'), '{"format":99}');
    const ran = await runMain(['status', '--state', state]);
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/has format 99; this zoneproof knows/) });
  }));

test('a state directory that cannot be made is told with the reason, and not as a fault of the program', () =>
  inDirectory(async (directory) => {
    await writeFile(join(directory, 'a.yaml'), '{apiVersion: v1, kind: Secret, metadata: {name: s}}');
    const ran = await runMain(['run', directory, '--once', '--state', '/dev/null/state']);
    expect(ran).toMatchObject({
      code: 1,
      err: 'zoneproof: The state directory /dev/null/state cannot be made: a file is in the way (ENOTDIR, mkdir /dev/null/state).\n',
    });
  }));

describe('validate and run on broken manifests', () => {
  const broken =
    'apiVersion: zoneproof.dev/v1alpha1\nkind: Certificate\nmetadata: {name: shop}\nspec: {secretName: a, dnsNames: [a..b], issuerRef: {name: x}}\n';

  test('validate says where and what, and exits 2', () =>
    inDirectory(async (directory) => {
      const file = join(directory, 'a.yaml');
      await writeFile(file, broken);
      const { code, out } = await runMain(['validate', file]);
      expect(out.split('\n')).toEqual([
        `${file}:4:34: error: Certificate default/shop: spec.dnsNames[0]: "a..b" is not a domain name: it has an empty label.`,
        expect.stringContaining('spec.issuerRef.name: there is no Issuer "x" in namespace default'),
        'invalid: 2 errors; nothing was sent anywhere.',
        '',
      ]);
      expect(code).toBe(2);
    }));

  test('-o json agrees with docs/validate.schema.json', () =>
    inDirectory(async (directory) => {
      await writeFile(join(directory, 'a.yaml'), broken);
      await writeFile(
        join(directory, 'b.yaml'),
        '{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: sesame}}',
      );
      const { code, out } = await runMain(['validate', directory, '-o', 'json']);
      const report = JSON.parse(out);
      expect(violations('validate.schema.json', report)).toEqual([]);
      expect(report).toMatchObject({
        valid: false,
        objects: [{ kind: 'Secret', name: 's' }],
        problems: [{ line: 4 }, { line: 4 }],
      });
      expect(out).not.toContain('sesame');
      expect(code).toBe(2);
    }));

  test('run sends nothing, makes no state directory, and exits 2', () =>
    inDirectory(async (directory) => {
      await mkdir(join(directory, 'manifests'));
      await writeFile(join(directory, 'manifests', 'a.yaml'), broken);
      const state = join(directory, 'state');
      const ran = await runMain(['run', join(directory, 'manifests'), '--state', state], {
        transport: refusingTransport(),
      });
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/a\.yaml:4:34: error: [\s\S]*2 errors in the manifests; nothing was sent anywhere\.\n$/);
      expect(existsSync(state)).toBe(false);
    }));
});

describe('providers', () => {
  test('lists what is installed', async () => {
    const { code, out } = await runMain(['providers']);
    expect(out).toMatch(/^PROVIDER +SERVICE +PACKAGE +VERSION +STATE\nacmedns /);
    expect(code).toBe(0);
  });

  test('shows the fields, permissions, smallest Issuer and errors of one', async () => {
    const { out } = await runMain(['providers', 'rfc2136']);
    expect(out).toMatch(/nameserver +string +required +Server that receives the updates/);
    expect(out).toMatch(/tsigSecretSecretRef +secret reference/);
    expect(out).toMatch(/\nPermissions of the credentials\n {2}update \(always\)\n {4}on TXT records/);
    expect(out).toMatch(/- name: my-dns\n +rfc2136:\n +nameserver: 192\.0\.2\.53/);
    expect(out).toMatch(/\nWhen something is wrong\n {2}auth: .+\n {4}\S/);
  });

  test.each([[['providers', '-o', 'json']], [['providers', 'acmedns', '-o', 'json']]])(
    '%s agrees with docs/providers.schema.json',
    async (argv) => {
      const report = JSON.parse((await runMain(argv)).out);
      expect(violations('providers.schema.json', report)).toEqual([]);
      for (const { displayName } of report.providers) expect(displayName).toMatch(/\S/);
    },
  );
});

describe('policy', () => {
  const policy = jest.fn((options: PolicyOptions) => ({ Version: '2012-10-17', Statement: [options] }));
  const problems = ({ region }: { readonly region?: string }) =>
    region === 'moon' ? [{ path: 'region', message: '"moon" is no region', severity: 'error' as const }] : [];
  const withPolicy = { ...plugins.find(({ key }) => key === 'rfc2136'), key: 'documented', policy, problems };
  const inputs = { plugins: [...plugins, defineProvider(withPolicy as ProviderPlugin)] };

  test.each<[readonly string[], PolicyOptions]>([
    [[], { merge: false }],
    [
      ['--hosted-zone-id', 'Z1', '--region', 'cn-north-1', '--merge'],
      { zoneId: 'Z1', region: 'cn-north-1', merge: true },
    ],
  ])('prints the document of the provider for %j', async (options, expected) => {
    const { code, out } = await runMain(['policy', 'documented', ...options], inputs);
    expect(JSON.parse(out)).toEqual({ Version: '2012-10-17', Statement: [expected] });
    expect(code).toBe(0);
  });

  test.each([
    ['--hosted-zone-id', '*'],
    ['--hosted-zone-id', ''],
    ['--region', 'eu.central'],
    ['--region', 'moon'],
  ])('%s %j is wrong usage', async (option, value) => {
    const { code, out, err } = await runMain(['policy', 'documented', option, value], inputs);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining(`zoneproof: ${option}: "${value}"`),
    });
  });

  test('without a document, the permissions are listed', async () => {
    const { code, out, err } = await runMain(['policy', 'rfc2136']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^zoneproof: rfc2136: .+ has no policy document; its credentials need:\n {2}update \(always\)\n/,
    );
  });
});
