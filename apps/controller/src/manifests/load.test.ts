import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { createRegistry } from '@zoneproof/core';
import acmedns from '@zoneproof/provider-acmedns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import fc from 'fast-check';
import type { CertificateSpec } from '../resources/index.ts';
import { loadManifests } from './index.ts';
import { showProblem } from './problem.ts';
import { badManifests, certificate, issuer, open } from './testing/bad-manifests.ts';

const plugins = { rfc2136, acmedns };
const registry = createRegistry(
  Object.keys(plugins).map((key) => ({
    key,
    packageName: `@zoneproof/provider-${key}`,
    version: '1.0.0',
    directory: '',
  })),
  { importPlugin: async ({ key }) => ({ plugin: plugins[key as keyof typeof plugins] }) },
);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'zoneproof-manifests-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function put(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** Problems as `line:column message`, without file and object. */
async function problemsOf(text: string, options: { secretsDir?: string } = {}): Promise<string[]> {
  const path = await put('a.yaml', text);
  const { problems } = await loadManifests([path], { registry, ...options });
  return problems.map(
    ({ line, column, severity, message }) => `${line}:${column} ${severity === 'warning' ? 'warning ' : ''}${message}`,
  );
}

const good = `${issuer(`        - name: dns
          rfc2136:
            nameserver: 192.0.2.53
            tsigKeyName: acme
            tsigSecretSecretRef: {name: tsig, key: secret}
        - name: delegated
          selector: {dnsZones: [app.example.com]}
          acmedns:
            host: https://auth.example.net
            accountSecretRef: {name: acmedns, key: acmedns.json}`)}
---
apiVersion: v1
kind: Secret
metadata: {name: tsig}
data: {secret: ${Buffer.from('AAAAAAAAAAAAAAAAAAAAAA==').toString('base64')}}
---
apiVersion: v1
kind: Secret
metadata: {name: acmedns}
stringData:
  acmedns.json: |
    {"app.example.com": {"username": "u", "password": "p", "fulldomain": "d420.auth.example.net", "subdomain": "d420", "allowfrom": []}}
${certificate('  dnsNames: [Bücher.example, "*.bücher.example", app.example.com]\n  renewBefore: 720h')}`;

test('good manifests have no problems, and their names are A-labels', async () => {
  const path = await put('good.yaml', good);
  const { objects, problems } = await loadManifests([path], { registry });
  expect(problems).toEqual([]);
  expect(objects.map(({ kind, namespace, name, source }) => [kind, namespace, name, source.line])).toEqual([
    ['Issuer', 'default', 'lab', 1],
    ['Secret', 'default', 'tsig', 22],
    ['Secret', 'default', 'acmedns', 27],
    ['Certificate', 'default', 'shop', 34],
  ]);
  expect((objects[3]!.spec as CertificateSpec).dnsNames).toEqual([
    'xn--bcher-kva.example',
    '*.xn--bcher-kva.example',
    'app.example.com',
  ]);
});

test('the same manifest as JSON', async () => {
  const path = await put(
    'a.json',
    JSON.stringify(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        stringData: { b: 'c' },
      },
      undefined,
      '\t',
    ),
  );
  const { objects, problems } = await loadManifests([path], { registry });
  expect(problems).toEqual([]);
  expect(objects).toMatchObject([{ kind: 'Secret', name: 'a' }]);
});

test('a directory gives its yaml, yml and json files, not the hidden ones and not those below', async () => {
  const secret = (name: string) => `{apiVersion: v1, kind: Secret, metadata: {name: ${name}}}`;
  for (const file of ['b.yml', 'a.yaml', 'c.json', '.hidden.yaml', 'below/d.yaml', 'notes.txt'])
    await put(
      file,
      file.endsWith('.json') ? '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"c"}}' : secret(file.slice(0, 1)),
    );
  const { objects, problems } = await loadManifests([directory], { registry });
  expect(problems).toEqual([]);
  expect(objects.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test('Secret entries do not print', async () => {
  const path = await put(
    's.yaml',
    '{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {key: sesame-open}}',
  );
  const { objects } = await loadManifests([path], { registry });
  const { data } = objects[0]!.spec as { data: Record<string, Uint8Array> };
  expect(Buffer.from(data.key as Uint8Array).toString()).toBe('sesame-open');
  for (const shown of [inspect(objects, { depth: 9 }), JSON.stringify(objects), String(objects[0]?.spec)]) {
    expect(shown).not.toContain('sesame');
    expect(shown).not.toContain(Buffer.from('sesame').toString('base64').slice(0, 7));
  }
});

describe('one bad file tells all its problems at once, each at its line', () => {
  const bad = `apiVersion: zoneproof.dev/v1alpha1
kind: Issuer
metadata:
  name: lab
spec:
  acme:
    email: ops(at)example.com
    server: http://ca.example/directory
    privateKeySecretRef: {name: account}
    caBundle: not pem
    dns02: {}
    dns01:
      providers:
        - name: one
          rfc2136: {nameserver: 192.0.2.53, tsigKeyNam: acme}
        - name: one
          rfc2163: {nameserver: 192.0.2.53}
        - name: two
          rfc2136: {nameserver: 192.0.2.53}
          acmedns: {host: "https://auth.example.net", accountSecretRef: {name: a, key: b}}
        - name: none
        - name: cloud
          routedns: {region: eu-west-1}
        - name: tsig
          rfc2136:
            nameserver: 192.0.2.53
            tsigKeyName: acme
            tsigSecretSecretRef: {name: tsig, key: secrt}
        - name: delegated
          acmedns:
            host: https://auth.example.net
            accountSecretRef: {name: broken, key: acmedns.json}
---
apiVersion: v1
kind: Secret
metadata: {name: tsig}
data:
  secret: "%%%"
---
apiVersion: v1
kind: Secret
metadata: {name: broken}
stringData:
  acmedns.json: '{"app.example.com": '
---
apiVersion: zoneproof.dev/v1beta1
kind: Certificate
metadata: {name: shop}
spec:
  secretName: shop-tls
  issuerRef: {name: lap}
  dnsNames:
    - a..b
    - 192.0.2.1
    - "*.com"
    - www.example.com
    - WWW.example.com.
    - under_score.example.com
  renewBefore: a month
  privateKey: {algorithm: RSA, size: 256}
  keystore: {}
---
kind: Certifcate
metadata: {name: x}
---
apiVersion: zoneproof.dev/v1alpha1
kind: Certificate
metadata: {name: shop}
spec: {}
---
- just
- a list
---
apiVersion: v1
kind: Secret
metadata: {name: Bad_Name, namespce: x}
---
key: [unclosed
`;
  const expected: readonly [number, RegExp][] = [
    [7, /^spec\.acme\.email: "ops\(at\)example\.com" is not an e-mail address/],
    [8, /^spec\.acme\.server: .* is not https/],
    [10, /^spec\.acme\.caBundle: it holds no PEM certificate/],
    [11, /^spec\.acme\.dns02: unknown field "dns02"; did you mean "dns01"\?$/],
    [15, /providers\[0\]\.rfc2136\.tsigKeyNam: unknown field "tsigKeyNam"; did you mean "tsigKeyName"\?$/],
    [16, /providers\[1\]\.name: "one" is also the name of providers\[0\]/],
    [17, /providers\[1\]\.rfc2163: .*Did you mean "rfc2136"\?/],
    [18, /providers\[2\]: it has 2 blocks \(rfc2136, acmedns\)/],
    [21, /providers\[3\]: it has no provider block; add one of rfc2136, acmedns\./],
    [23, /providers\[4\]\.routedns: .*npm install @zoneproof\/provider-routedns/],
    [28, /tsigSecretSecretRef: Secret "tsig" has no entry "secrt"/],
    [32, /accountSecretRef: .*it is not JSON/],
    [38, /^data\.secret: the value is not base64/],
    [46, /^apiVersion: "zoneproof\.dev\/v1beta1" is not known for kind Certificate; write zoneproof\.dev\/v1alpha1\.$/],
    [51, /^spec\.issuerRef\.name: there is no Issuer "lap" in namespace default; did you mean "lab"\?$/],
    [53, /^spec\.dnsNames\[0\]: "a\.\.b" is not a domain name: it has an empty label/],
    [54, /^spec\.dnsNames\[1\]: "192\.0\.2\.1" is an IP address/],
    [55, /^spec\.dnsNames\[2\]: "\*\.com" would cover a whole top-level domain/],
    [57, /^spec\.dnsNames\[4\]: www\.example\.com is listed already as dnsNames\[3\]/],
    [58, /^spec\.dnsNames\[5\]: .* has a "_"/],
    [59, /^spec\.renewBefore: "a month" is no duration/],
    [60, /^spec\.privateKey\.size: 256 bits are not offered for RSA/],
    [61, /^spec\.keystore: unknown field/],
    [63, /^kind: "Certifcate" is not a kind of zoneproof; did you mean "Certificate"\?$/],
    [68, /^metadata\.name: Certificate default\/shop is declared already at .*:46; remove one\.$/],
    [71, /^a manifest is a mapping with apiVersion, kind and metadata; this is a list/],
    [76, /^metadata\.name: "Bad_Name" is not a name/],
    [76, /^metadata\.namespce: unknown field; did you mean "namespace"\?$/],
    [79, /^not valid YAML: /],
  ];

  test('every one of them', async () => {
    const path = await put('bad.yaml', bad);
    const { problems } = await loadManifests([path], { registry });
    const isExpected = (line: number, message: string) =>
      expected.some(([at, pattern]) => at === line && pattern.test(message));
    const untold = expected.filter(
      ([at, pattern]) => !problems.some(({ line, message }) => line === at && pattern.test(message)),
    );
    const unexpected = problems.filter(({ line, message }) => !isExpected(line, message));
    expect({ untold, unexpected: unexpected.map(showProblem) }).toEqual({ untold: [], unexpected: [] });
    expect(problems.map(({ line }) => line)).toEqual(problems.map(({ line }) => line).sort((a, b) => a - b));
    expect(problems.every(({ file }) => file === path)).toBe(true);
  });
});

test.each(badManifests)('%s', async (_title, text, expected) => {
  const told = await problemsOf(text);
  for (const pattern of expected) expect(told).toContainEqual(expect.stringMatching(pattern));
  expect(told).toHaveLength(expected.length);
});

test('a domain that the credentials document does not hold is served by no acmedns provider', async () => {
  const told = await problemsOf(
    good
      .replace('app.example.com]', 'app.example.com, x.app.example.com, other.example.com]')
      .replace('"app.example.com":', '"x.app.example.com":'),
  );
  expect(told).toEqual([
    expect.stringMatching(
      /dnsNames\[2\]: no provider of Issuer default\/lab serves app\.example\.com: going by its fields and Secrets, acmedns "delegated" cannot write its TXT record; add the domain there \(Secret acmedns\/acmedns\.json\) or a provider that serves it\.$/,
    ),
  ]);
});

test('Secrets from the directory given with --secrets', async () => {
  const text = issuer(
    '        - {name: a, rfc2136: {nameserver: 192.0.2.1, tsigKeyName: k, tsigSecretSecretRef: {name: tsig, key: secret}}}',
  );
  expect(await problemsOf(text)).toEqual([
    expect.stringMatching(
      /there is no Secret "tsig" in namespace default; add a manifest of kind Secret or a file NAME\/ENTRY/,
    ),
  ]);
  const secretsDir = dirname(dirname(await put('secrets/tsig/secret', 'AAAAAAAAAAAAAAAAAAAAAA==\n')));
  expect(await problemsOf(text, { secretsDir })).toEqual([]);
});

test('an account key that is there has to be usable', async () => {
  const secret =
    '---\n{apiVersion: v1, kind: Secret, metadata: {name: account}, stringData: {tls.key: garbage-1234}}\n';
  const told = await problemsOf(issuer(open) + secret);
  expect(told).toEqual([
    expect.stringMatching(
      /privateKeySecretRef\.name: entry "tls\.key" of Secret "account" is not a usable account key/,
    ),
  ]);
  expect(told.join()).not.toContain('garbage');
});

test.each([
  ['a path that is not there', 'nowhere.yaml', /there is no such file or directory/],
  ['a file that is no text', 'binary.yaml', /the file is not UTF-8 text/],
])('%s', async (_title, name, message) => {
  await put('binary.yaml', Uint8Array.of(0xff, 0xfe, 0x00));
  const { problems } = await loadManifests([join(directory, name)], { registry });
  expect(problems).toMatchObject([{ line: 1, severity: 'error', message: expect.stringMatching(message) }]);
});

test('an alias bomb is refused quickly', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}*a${i}]`);
  const told = await problemsOf(['a0: &a0 lol', ...levels].join('\n'));
  expect(told).toEqual([expect.stringMatching(/not valid YAML: Excessive alias count/)]);
});

test('any text gives objects or problems, and never throws', async () => {
  const words = fc.constantFrom(
    'apiVersion',
    'kind',
    'Issuer',
    'Certificate',
    'Secret',
    'metadata',
    'name',
    'spec',
    'acme',
    'dnsNames',
    ': ',
    '\n',
    '  ',
    '- ',
    '---\n',
    '{',
    '}',
    '[',
    ']',
    '"',
    '*',
    '&a',
    '!!binary',
    'v1',
    'zoneproof.dev/v1alpha1',
    '\t',
    ',',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(words, fc.string({ maxLength: 4 })), { maxLength: 40 }), async (parts) => {
      const path = await put('fuzz.yaml', parts.join(''));
      const { problems } = await loadManifests([path], { registry });
      for (const { line, message } of problems) expect([line >= 1, message.length > 0]).toEqual([true, true]);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('any document of the right shape gives objects or problems, and never throws', async () => {
  const name = fc.constantFrom('lab', 'a b', '', 'x'.repeat(300), 'example.com', '*.example.com', 'bücher.example');
  const leaf = fc.oneof(
    name,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(name, { maxLength: 3 }),
    fc.constant({}),
  );
  const document = fc.record(
    {
      apiVersion: fc.constant('zoneproof.dev/v1alpha1'),
      kind: fc.constantFrom('Issuer', 'ClusterIssuer', 'Certificate'),
      metadata: fc.record({ name: fc.constant('lab') }),
      spec: fc.record(
        {
          secretName: leaf,
          dnsNames: leaf,
          issuerRef: fc.oneof(leaf, fc.record({ name: leaf, kind: leaf }, { requiredKeys: [] })),
          dns01: fc.oneof(
            leaf,
            fc.array(fc.record({ provider: leaf, domains: leaf }, { requiredKeys: [] }), { maxLength: 2 }),
          ),
          renewBefore: leaf,
          acme: fc.record(
            {
              server: leaf,
              email: leaf,
              privateKeySecretRef: fc.oneof(leaf, fc.record({ name: leaf })),
              caBundle: leaf,
              externalAccountBinding: leaf,
              dns01: fc.oneof(
                leaf,
                fc.record({
                  providers: fc.array(
                    fc.oneof(
                      leaf,
                      fc.record({ name: leaf, selector: leaf, rfc2136: leaf, acmedns: leaf }, { requiredKeys: [] }),
                    ),
                    { maxLength: 3 },
                  ),
                }),
              ),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['apiVersion', 'kind', 'metadata'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(document, { maxLength: 4 }), async (documents) => {
      const path = await put('fuzz.yaml', documents.map((one) => `---\n${JSON.stringify(one)}\n`).join(''));
      await loadManifests([path], { registry });
    }),
    { seed: 5, numRuns: 300 },
  );
});

test.each<[string, string, RegExp]>([
  ['is not there', 'nowhere', /nowhere:1: error: there is no such file or directory\./],
  ['is a file', 'a.yaml', /a\.yaml:1: error: it is no directory; --secrets takes one with files NAME\/ENTRY\./],
])('a directory of Secrets that %s is told as such', async (_title, name, expected) => {
  const path = await put('a.yaml', issuer(open));
  const { problems } = await loadManifests([path], { registry, secretsDir: join(directory, name) });
  expect(problems.map(showProblem)).toEqual([expect.stringMatching(expected)]);
});
