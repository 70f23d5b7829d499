import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory, runMain, violations } from '../cli/testing/run-main.ts';
import { certificate, issuer, rfc2136, runImport, together } from './testing/run-import.ts';

const ref = (name: string, key: string) => ({ name, key });

test.each([
  [
    'route53',
    { region: 'eu-central-1', accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKeySecretRef: ref('aws', 'key'), hostedZoneID: 'Z2FDTNDATAQYW2' },
    'routedns',
    { region: 'eu-central-1', accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKeySecretRef: ref('aws', 'key'), hostedZoneID: 'Z2FDTNDATAQYW2' },
  ],
  [
    'route53',
    { role: 'arn:aws:iam::123456789012:role/dns01', secretAccessKeySecretRef: { name: '' } },
    'routedns',
    { region: 'us-east-1', role: 'arn:aws:iam::123456789012:role/dns01' },
  ],
  [
    'cloudDNS',
    { project: 'dns-1', hostedZoneName: 'example-com', serviceAccountSecretRef: ref('gcp', 'key.json') },
    'clouddns',
    { project: 'dns-1', managedZone: 'example-com', serviceAccountSecretRef: ref('gcp', 'key.json') },
  ],
  [
    'cloudflare',
    { email: 'a@example.com', apiKeySecretRef: ref('cf', 'key') },
    'edgedns',
    { email: 'a@example.com', apiKeySecretRef: ref('cf', 'key') },
  ],
  [
    'cloudflare',
    { email: 'a@example.com', apiTokenSecretRef: ref('cf', 'token') },
    'edgedns',
    { apiTokenSecretRef: ref('cf', 'token') },
  ],
  [
    'akamai',
    { serviceConsumerDomain: 'akab-a.luna.akamaiapis.net', clientTokenSecretRef: ref('ak', 'a'), clientSecretSecretRef: ref('ak', 'b'), accessTokenSecretRef: ref('ak', 'c') },
    'fastdns',
    { serviceConsumerDomain: 'akab-a.luna.akamaiapis.net', clientTokenSecretRef: ref('ak', 'a'), clientSecretSecretRef: ref('ak', 'b'), accessTokenSecretRef: ref('ak', 'c') },
  ],
  [
    'rfc2136',
    { nameserver: '[2001:db8::53]', tsigKeyName: 'k', tsigSecretSecretRef: ref('tsig', 'secret') },
    'rfc2136',
    { nameserver: '2001:db8::53', tsigKeyName: 'k', tsigAlgorithm: 'HMACMD5', tsigSecretSecretRef: ref('tsig', 'secret') },
  ],
  ['rfc2136', { nameserver: '192.0.2.53:', tsigSecretSecretRef: { name: '' } }, 'rfc2136', { nameserver: '192.0.2.53' }],
  [
    'acmeDNS',
    { host: 'https://auth.example.net', accountSecretRef: ref('acmedns', 'accounts.json') },
    'acmedns',
    { host: 'https://auth.example.net', accountSecretRef: ref('acmedns', 'accounts.json') },
  ],
] as const)('solver %s %j is provider %s', async (solver, config, block, expected) => {
  const { objects } = await runImport(issuer([{ dns01: { [solver]: config } }]));
  expect(objects['Issuer le']?.spec.acme?.dns01).toEqual({ providers: [{ name: block, [block]: expected }] });
}); // biome-ignore format: rows

test('what an account needs comes along', async () => {
  const root = '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n';
  const { report, objects, code } = await runImport(
    issuer([rfc2136, rfc2136], {
      email: 'ops@example.com',
      profile: 'shortlived',
      externalAccountBinding: { keyID: 'kid', keySecretRef: ref('eab', 'hmac'), keyAlgorithm: 'HS256' },
      privateKeySecretRef: { name: 'account', key: 'tls.key' },
      disableAccountKeyGeneration: false,
      skipTLSVerify: false,
    }),
  );
  expect(objects['Issuer le']?.spec).toEqual({
    acme: {
      email: 'ops@example.com',
      server: 'https://ca.example/directory',
      privateKeySecretRef: { name: 'account' },
      externalAccountBinding: { keyID: 'kid', keySecretRef: ref('eab', 'hmac') },
      profile: 'shortlived',
      dns01: {
        providers: [
          { name: 'rfc2136', rfc2136: { nameserver: '192.0.2.53' } },
          { name: 'rfc2136-2', rfc2136: { nameserver: '192.0.2.53' } },
        ],
      },
    },
  });
  expect(report.findings.map(({ field, level }) => [field, level])).toEqual([
    ['spec.acme.externalAccountBinding.keyAlgorithm', 'note'],
  ]);
  expect(code).toBe(0);
  const broken = await runImport(issuer([rfc2136], { caBundle: Buffer.from(root).toString('base64') }));
  expect(broken.report).toMatchObject({ complete: false, objects: [], notTaken: [{ name: 'le' }] });
  expect(broken.report.findings[0]?.why).toMatch(/caBundle: certificate 1 of 1 cannot be read/);
});

test('a Certificate keeps its kind of key, its names and when it is renewed', async () => {
  const take = async (spec: object) =>
    (await runImport(together(issuer([rfc2136]), certificate(spec)))).objects['Certificate web']?.spec;
  expect(await take({})).toEqual({
    secretName: 'web-tls',
    dnsNames: ['www.example.com'],
    privateKey: { algorithm: 'RSA' },
    issuerRef: { name: 'le' },
  });
  expect(
    await take({
      commonName: 'www.example.com',
      renewBefore: '1.5h',
      privateKey: { algorithm: 'ECDSA', size: 384, rotationPolicy: 'Never', encoding: 'PKCS8' },
      secretTemplate: { labels: { a: 'b' }, annotations: {} },
      issuerRef: { name: 'le', kind: 'Issuer', group: 'cert-manager.io' },
      isCA: false,
    }),
  ).toEqual({
    secretName: 'web-tls',
    secretTemplate: { labels: { a: 'b' } },
    dnsNames: ['www.example.com'],
    renewBefore: '1h30m',
    privateKey: { algorithm: 'ECDSA', size: 384, rotationPolicy: 'Never' },
    issuerRef: { name: 'le', kind: 'Issuer' },
  });
  expect(await take({ renewBeforePercentage: 25 })).toMatchObject({ renewBefore: '25%' });
});

const leftOut: readonly [field: string, spec: object][] = [
  ['spec.subject', { subject: { organizations: ['x'] } }],
  ['spec.privateKey.encoding', { privateKey: { encoding: 'PKCS1' } }],
  ['spec.keystores', { keystores: { jks: { create: true, password: 'hunter2' } } }],
  ['spec.additionalOutputFormats', { additionalOutputFormats: [{ type: 'DER' }] }],
  ['spec.commonName', { commonName: 'other.example.com' }],
  ['spec.later', { later: 1 }],
];
test.each(leftOut)('%s is left out, and the Certificate taken over', async (field, spec) => {
  const { code, report, objects, printed } = await runImport(together(issuer([rfc2136]), certificate(spec)));
  expect(report.findings).toMatchObject([{ level: 'left-out', object: 'Certificate web', field, line: 3 }]);
  expect(Object.keys(objects)).toEqual(['Issuer le', 'Certificate web']);
  expect(violations('import.schema.json', report)).toEqual([]);
  expect(code).toBe(1);
  expect(printed).not.toContain('hunter2');
});

const notTaken: readonly [field: string | undefined, spec: object][] = [
  ['spec.ipAddresses', { ipAddresses: ['192.0.2.1'] }],
  ['spec.uris', { uris: ['spiffe://a'] }],
  ['spec.emailAddresses', { emailAddresses: ['a@example.com'] }],
  ['spec.privateKey.algorithm', { privateKey: { algorithm: 'Ed25519' } }],
  ['spec.privateKey.size', { privateKey: { algorithm: 'ECDSA', size: 521 } }],
  ['spec.isCA', { isCA: true }],
  ['spec.issuerRef.group', { issuerRef: { name: 'le', group: 'awspca.cert-manager.io' } }],
  ['spec.issuerRef', { issuerRef: { name: 'other' } }],
  [undefined, { dnsNames: ['a_b.example.com'] }],
];
test.each(notTaken)('because of %s the Certificate is not taken over', async (field, spec) => {
  const { report, objects } = await runImport(together(issuer([rfc2136]), certificate(spec)));
  expect(Object.keys(objects)).toEqual(['Issuer le']);
  expect(report.notTaken).toMatchObject([{ kind: 'Certificate', name: 'web', line: 3 }]);
  expect(report.findings).toMatchObject([{ level: 'left-out', object: 'Certificate web' }]);
  expect(report.findings[0]?.field).toBe(field);
  expect(violations('import.schema.json', report)).toEqual([]);
});

const foreignIssuers: readonly [why: RegExp, text: string][] = [
  [/\(selfSigned\)/, JSON.stringify({ apiVersion: 'cert-manager.io/v1', kind: 'Issuer', metadata: { name: 'le' }, spec: { selfSigned: {} } })],
  [/not by HTTP01/, issuer([{ http01: { ingress: {} } }])],
  [/no provider for the webhook acme\.vendor\.example\/dns/, issuer([{ dns01: { webhook: { groupName: 'acme.vendor.example', solverName: 'dns', config: { token: 'hunter2' } } } }])],
  [/no provider for Azure DNS/, issuer([{ dns01: { azureDNS: { subscriptionID: 'x' } } }])],
  [/updates a server at an address only/, issuer([{ dns01: { rfc2136: { nameserver: 'ns.example.com:53' } } }])],
  [/Secret with it was not read/, issuer([{ dns01: { route53: { accessKeyIDSecretRef: ref('aws', 'id'), secretAccessKeySecretRef: ref('aws', 'key') } } }])],
  [/is not served by cert-manager since 1\.6/, issuer([rfc2136]).replace('cert-manager.io/v1', 'cert-manager.io/v1alpha2')],
]; // biome-ignore format: rows
test.each(foreignIssuers)(
  'an Issuer of which is said %s is not taken over, nor its Certificates',
  async (why, text) => {
    const { report, objects, code, printed } = await runImport(together(text, certificate()));
    expect(objects).toEqual({});
    expect(report.notTaken.map(({ kind }) => kind)).toEqual(['Issuer', 'Certificate']);
    expect(report.findings.map((finding) => finding.why).join(' ')).toMatch(why);
    expect({ code, written: report.written }).toEqual({ code: 1, written: [] });
    expect(printed).not.toContain('hunter2');
  },
);

test('what only tools of others read stays behind; what cert-manager made for an Ingress is said', async () => {
  const { objects, report } = await runImport(
    together(
      issuer([rfc2136]),
      certificate(
        {},
        {
          labels: { team: 'shop', 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: { 'meta.helm.sh/release-name': 'x', 'cert-manager.io/x': 'y', 'example.com/keep': 'yes' },
          ownerReferences: [{ kind: 'Ingress', name: 'shop' }],
          resourceVersion: '7',
        },
      ),
    ),
  );
  expect(objects['Certificate web']?.metadata).toEqual({
    name: 'web',
    labels: { team: 'shop' },
    annotations: { 'example.com/keep': 'yes' },
  });
  expect(report.findings).toMatchObject([
    { field: 'metadata.ownerReferences', why: expect.stringContaining('Ingress shop') },
  ]);
});

test('wrong usage is told, and no file that is imported is written over', () =>
  inDirectory(async (directory) => {
    const file = join(directory, 'cm.yaml');
    await writeFile(file, issuer([rfc2136]));
    const run = (...argv: string[]) => runMain(['import', 'cert-manager', ...argv]);
    const out = join(directory, 'out.yaml');
    expect(await run('--out', out)).toMatchObject({ code: 2, err: expect.stringContaining('--from-cluster') });
    expect(await run(file)).toMatchObject({ code: 2, err: expect.stringContaining('--out') });
    expect(await run(file, '--from-cluster', '--out', out)).toMatchObject({ code: 2 });
    expect(await run(file, '--context', 'a', '--out', out)).toMatchObject({ code: 2 });
    expect(await run(file, '--out', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('cm.yaml is one of'),
    });
    await writeFile(join(directory, 'bad.yaml'), 'a: [');
    expect(await run(directory, '--out', out)).toMatchObject({
      code: 2,
      err: expect.stringContaining('bad.yaml:1:5: error'),
    });
    await writeFile(join(directory, 'bad.yaml'), 'kind: Pod');
    expect(await run(join(directory, 'bad.yaml'), '--out', out)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing of cert-manager'),
    });
    expect(await readdir(directory)).toEqual(['bad.yaml', 'cm.yaml']);
  }));

test('a directory gets a file for each object; Secrets are for their owner alone', () =>
  inDirectory(async (directory) => {
    const [file, out] = [join(directory, 'cm.yaml'), join(directory, 'out')];
    await mkdir(out);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'eab' }, stringData: { hmac: 'YWJjZA' } };
    const eab = { externalAccountBinding: { keyID: 'kid', keySecretRef: ref('eab', 'hmac') } };
    await writeFile(file, together(issuer([rfc2136], eab), certificate(), JSON.stringify(secret)));
    expect(await runMain(['import', 'cert-manager', file, '--out', out])).toMatchObject({ code: 0, err: '' });
    expect((await readdir(out)).sort()).toEqual(['certificate.web.yaml', 'issuer.le.yaml', 'secrets.yaml']);
    expect((await stat(join(out, 'secrets.yaml'))).mode & 0o77).toBe(0);
    expect(await runMain(['validate', out])).toMatchObject({ code: 0 });
  }));
