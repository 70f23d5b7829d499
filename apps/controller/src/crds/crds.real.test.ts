import { defineProvider, type ProviderPlugin, Type } from '@zoneproof/core';
import { type Cluster, describeReal } from '@zoneproof/farm';
import { plugins } from '../cli/testing/run-main.ts';
import { documentedManifests } from '../docs/testing/documented-manifests.ts';
import { markdownFiles } from '../docs/testing/markdown.ts';
import { badManifests, certificate, issuer, open } from '../manifests/testing/bad-manifests.ts';
import type { ObjectOfKind } from '../resources/index.ts';
import { orderJson, readObject, resourcePath, statusJson } from './api-form.ts';
import { refusals, send } from './testing/admission.ts';
import { condition, fullOrderStatus } from './testing/full-order-status.ts';
import { crdList, must, startClusterWithCrds } from './testing/world.ts';

/** What a test of manifests gives to `zoneproof validate`, and what an API server says of it. */
const verdicts: Readonly<Record<string, RegExp | `condition: ${string}` | `not for it: ${string}`>> = {
  'an Issuer without spec': /spec: Required value/,
  'an empty Issuer spec names what is missing':
    /spec\.acme\.server: Required value, spec\.acme\.privateKeySecretRef: Required/,
  'a ClusterIssuer has no namespace': 'not for it: the field is dropped',
  'an Order': /spec: Required value/,
  'a name that is a number': 'not for it: a Secret',
  'a Secret value that is a number': 'not for it: a Secret',
  'a field with a typo beside the block': /unknown field "spec\.acme\.dns01\.providers\[0\]\.nmae"/,
  'an Issuer of another namespace': 'condition: IssuerNotFound',
  'a ClusterIssuer referred to as an Issuer': 'condition: IssuerNotFound',
  'two certificates with one Secret': 'condition: SecretNotOurs',
  "a certificate's Secret that is the account key's": 'condition: SecretNotOurs',
  'a mapping to a provider that is not there': 'condition: ProviderNotChosen',
  'a mapping of a domain that is not in dnsNames': /spec\.dns01: .*names a domain that is not among dnsNames/,
  'an A-label that stands for nothing': 'condition: SpecInvalid',
  'a break in the structure, told once and not for each line after it': 'not for it: YAML',
  'keys that are there twice, each of them': 'not for it: YAML',
  'the file of a Secret, which is not repeated': 'not for it: YAML',
  'apex and wildcard given to different providers': /spec\.dns01: .*to two providers; the two share one TXT record/,
  'a domain that no selector matches': 'condition: ProviderNotChosen',
  'a name covered by a wildcard of the same certificate': 'condition: CARefused',
  'a selector that is no name': /selector\.dnsZones\[0\]: Invalid value: "a b": not a domain name/,
  'more than 100 names': /spec\.dnsNames: Too many: 101: must have at most 100 items/,
  'an empty list of names': /spec\.dnsNames in body should have at least 1 items/,
};

const provider = (fields: string): string => issuer(`        - {name: a, ${fields}}`);
const acme = (field: string): string => issuer(open).replace('    dns01:', `    ${field}\n    dns01:`);
const names = (...list: string[]): string => certificate(`  dnsNames: ${JSON.stringify(list)}`);
const one = (field: string): string => certificate(`  dnsNames: [a.example]\n  ${field}`);
const token = '{name: a, key: b}';

/** Every check of src/manifests and of the six providers that CEL can make. */
const mistakes: readonly (readonly [string, string, RegExp])[] = [
  ['a misspelt field', one('renewBfore: 30d'), /unknown field "spec\.renewBfore"/],
  ['an e-mail address', acme('email: ops(at)example.com'), /spec\.acme\.email: .*not an e-mail address; write one address/],
  ['plain http', issuer(open).replace('https://ca', 'http://ca'), /spec\.acme\.server: .*not an https URL/],
  ['a password in the URL', issuer(open).replace('//ca', '//me:pw@ca'), /acme\.server: .*holds a user name or password/],
  ['no PEM', acme('caBundle: not pem'), /spec\.acme\.caBundle: .*holds no PEM certificate/],
  ['a private key', acme('caBundle: "-----BEGIN CERTIFICATE----- -----BEGIN PRIVATE KEY-----"'), /holds a private key/],
  ['an account Secret', issuer(open).replace('{name: account}', '{name: My_Key}'), /privateKeySecretRef\.name: .*not a name/],
  ['a resolver', issuer(open).replace('      providers', '      selfCheck: {nameservers: [192.0.2.1]}\n      providers'), /nameservers\[0\]: .*write one server as host:port/],
  ['two resolvers in one', issuer(open).replace('      providers', '      selfCheck: {finalResolvers: ["192.0.2.1:53,192.0.2.2:53"]}\n      providers'), /finalResolvers\[0\]: .*write one server/],
  ['ClusterIssuer only', issuer(open).replace('spec:\n', 'spec:\n  allowedDomains: [a.example]\n'), /unknown field "spec\.allowedDomains"/],
  ['a namespace', issuer(open).replace('kind: Issuer', 'kind: ClusterIssuer').replace('spec:\n', 'spec:\n  allowedNamespaces: ["shop-*"]\n'), /allowedNamespaces\[0\]: .*not the name of a namespace/],
  ['a domain', issuer(open).replace('kind: Issuer', 'kind: ClusterIssuer').replace('spec:\n', 'spec:\n  allowedDomains: ["*.a.example"]\n'), /allowedDomains\[0\]: .*leave out the "\*\."/],

  ['no block', issuer('        - {name: a}'), /providers\[0\]: .*it has no provider block; add one of acmedns, clouddns, edgedns/],
  ['two blocks', provider('rfc2136: {nameserver: 192.0.2.1}, clouddns: {project: x}'), /providers\[0\]: .*exactly one: make an element of its own for each/],
  ['a misspelt block', provider('rfc2163: {nameserver: 192.0.2.1}'), /unknown field "spec\.acme\.dns01\.providers\[0\]\.rfc2163"/],
  ['a misspelt field of a block', provider('rfc2136: {nameserver: 192.0.2.1, tsigKeyNam: a}'), /unknown field ".*\.rfc2136\.tsigKeyNam"/],
  ['two of one name', issuer(`${open}\n${open}`), /providers\[1\]: Duplicate value: \{"name":"open"\}/],
  ['a block that is no object', provider('rfc2136: 192.0.2.1'), /rfc2136: .*must be of type object/],

  ['names: a label', names('a..b'), /dnsNames\[0\]: .*'a\.\.b' is not a domain name: it has an empty label/],
  ['names: an IPv4 address', names('a.example', '192.0.2.1'), /dnsNames\[1\]: .*is an IP address; DNS01 proves domain names only/],
  ['names: an IPv6 address', names('2001:db8::1'), /dnsNames\[0\]: .*is an IP address/],
  ['names: a URL', names('https://a.example'), /is a URL; write the domain name alone/],
  ['names: an e-mail address', names('me@a.example'), /is an e-mail address; write a domain name/],
  ['names: a top-level domain', names('*.com'), /would cover a whole top-level domain; no CA issues that/],
  ['names: an underscore', names('a_b.example'), /has a "_", which no name of a certificate may have/],
  ['names: a space', names('a b.example'), /'a b\.example' is not a domain name: labels have letters, digits and "-"/],
  ['names: a wildcard inside', names('a.*.example'), /is not a domain name/],
  ['names: a hyphen at the end', names('a-.example'), /is not a domain name/],
  ['names: a long label', names(`${'a'.repeat(64)}.example`), /is not a domain name.*63 at most/],
  ['names: too long', names(`${'abcdefg.'.repeat(29)}example`), /too long: _acme-challenge has to fit in front of it/],
  ['names: twice', names('www.a.example', 'WWW.a.example'), /spec\.dnsNames: .*a name is listed twice; remove one/],
  ['renewBefore', one('renewBefore: a month'), /renewBefore: .*no duration: write it like 720h, 30d or 33%/],
  ['renewBefore of nothing', one('renewBefore: 0h'), /no duration/],
  ['RSA size', one('privateKey: {algorithm: RSA, size: 256}'), /privateKey\.size: .*2048, 3072, 4096 or 8192 for RSA/],
  ['ECDSA size', one('privateKey: {size: 2048}'), /privateKey\.size: .*256 or 384 for ECDSA/],
  ['an algorithm', one('privateKey: {algorithm: Ed25519}'), /algorithm: Unsupported value: "Ed25519": supported values: "ECDSA", "RSA"/],
  ['a secretName', certificate('  dnsNames: [a.example]').replace('shop-tls', 'Shop_TLS'), /spec\.secretName: .*not a name: a-z, 0-9/],
  ['a label of ours', one('secretTemplate: {labels: {zoneproof.dev/order: a}}'), /secretTemplate\.labels: .*zoneproof itself sets/],
  ['an annotation', one('secretTemplate: {annotations: {"a b": c}}'), /secretTemplate\.annotations: .*a key is none/],
  ['a label', one('secretTemplate: {labels: {team: a b}}'), /secretTemplate\.labels\.team: .*should match/],
  ['a command', one('onIssued: [touch, x]'), /onIssued works standalone only/],
  ['a long name', certificate('  dnsNames: [a.example]', 'x'.repeat(240)), /metadata\.name has more than 230 characters/],

  ['routedns: an availability zone', provider('routedns: {region: eu-central-1a}'), /routedns\.region: .*not the name of a region/],
  ['routedns: half a key', provider('routedns: {region: eu-central-1, accessKeyID: AKIA1}'), /accessKeyID and secretAccessKeySecretRef go together/],
  ['routedns: a session key', provider(`routedns: {region: eu-central-1, accessKeyID: ASIA1, secretAccessKeySecretRef: ${token}}`), /accessKeyID: .*belongs to a session/],
  ['routedns: an ARN for a key', provider(`routedns: {region: eu-central-1, accessKeyID: "a:b", secretAccessKeySecretRef: ${token}}`), /accessKeyID: .*letters and digits only/],
  ['routedns: a zone name', provider('routedns: {region: eu-central-1, hostedZoneID: example.com}'), /hostedZoneID: .*not the id of a hosted zone/],
  ['routedns: a role', provider('routedns: {region: eu-central-1, role: dns01}'), /role: .*not the ARN of a role/],
  ['routedns: externalID alone', provider('routedns: {region: eu-central-1, externalID: abc}'), /externalID: .*set role, or leave it out/],
  ['routedns: externalID', provider('routedns: {region: eu-central-1, role: "arn:aws:iam::123456789012:role/dns01", externalID: a b}'), /externalID: .*may have letters/],
  ['routedns: endpoint', provider('routedns: {region: eu-central-1, endpoint: "http://a.example"}'), /endpoint: .*starts with https/],
  ['clouddns: endpoint', provider('clouddns: {project: x, endpoint: "https://me@a.example"}'), /endpoint: .*no user name/],
  ['clouddns: a display name', provider('clouddns: {project: My Project}'), /clouddns\.project: .*should match/],
  ['clouddns: caBundle', provider('clouddns: {project: x, caBundle: x}'), /clouddns\.caBundle: .*holds no certificate/],
  ["edgedns: Akamai's keys", provider(`edgedns: {clientTokenSecretRef: ${token}}`), /clientTokenSecretRef belongs to Akamai.*use fastdns/],
  ["edgedns: Akamai's host", provider(`edgedns: {host: akab-1.luna.akamaiapis.net, apiTokenSecretRef: ${token}}`), /host belongs to Akamai.*use fastdns/],
  ['edgedns: nothing', provider('edgedns: {}'), /no credentials: set apiTokenSecretRef, or email together with apiKeySecretRef/],
  ['edgedns: both', provider(`edgedns: {apiTokenSecretRef: ${token}, email: a@b.example}`), /use either the token or the other two/],
  ['edgedns: half', provider('edgedns: {email: a@b.example}'), /email and apiKeySecretRef go together/],
  ['edgedns: an e-mail address', provider(`edgedns: {email: ab, apiKeySecretRef: ${token}}`), /edgedns\.email/],
  ['fastdns: a URL', provider(fastdns({ serviceConsumerDomain: 'https://akab-1.luna.akamaiapis.net' })), /serviceConsumerDomain: .*without scheme and path/],
  ['fastdns: one label', provider(fastdns({ serviceConsumerDomain: 'akab' })), /serviceConsumerDomain: .*not a host name/],
  ['fastdns: one entry for two', provider(fastdns({ clientSecretSecretRef: { name: 'akamai', key: 'clientToken' } })), /two of the three references name the same entry/],
  ['fastdns: endpoint with a path', provider(fastdns({ endpoint: 'https://a.example/config-dns/v2' })), /endpoint: .*has a path/],
  ['fastdns: a secret in the block', provider(fastdns({ clientSecret: 'sesame' })), /clientSecret belongs into a Secret: use clientSecretSecretRef/],
  ['rfc2136: a host name', provider('rfc2136: {nameserver: ns.example}'), /rfc2136\.nameserver: .*no address of a DNS server/],
  ['rfc2136: half a key', provider('rfc2136: {nameserver: 192.0.2.1, tsigKeyName: a}'), /a TSIG key needs tsigKeyName and tsigSecretSecretRef/],
  ['rfc2136: an algorithm without a key', provider('rfc2136: {nameserver: 192.0.2.1, tsigAlgorithm: HMACSHA512}'), /tsigAlgorithm: .*a TSIG key needs/],
  ['rfc2136: an algorithm', provider(`rfc2136: {nameserver: 192.0.2.1, tsigAlgorithm: SHA256, tsigKeyName: a, tsigSecretSecretRef: ${token}}`), /tsigAlgorithm: .*no TSIG algorithm; take one of/],
  ['acmedns: a host', provider(`acmedns: {host: auth.example.net, accountSecretRef: ${token}}`), /acmedns\.host: .*write it with its scheme/],
  ['acmedns: a password', provider(`acmedns: {host: "https://me:pw@auth.example.net", accountSecretRef: ${token}}`), /acmedns\.host: .*carries a user name or password/],
  ['acmedns: a query', provider(`acmedns: {host: "https://auth.example.net/?a", accountSecretRef: ${token}}`), /neither "\?" nor "#"/],
  ['acmedns: nameserver', provider(`acmedns: {host: "https://auth.example.net", accountSecretRef: ${token}, nameserver: dns}`), /acmedns\.nameserver: .*no address of a DNS server/],
]; // biome-ignore format: one line a row

function fastdns(fields: object): string {
  const refs = Object.fromEntries(
    ['clientToken', 'clientSecret', 'accessToken'].map((key) => [`${key}SecretRef`, { name: 'akamai', key }]),
  );
  return `fastdns: ${JSON.stringify({ serviceConsumerDomain: 'akab-1.luna.akamaiapis.net', ...refs, ...fields })}`;
}

describeReal(['kubernetes'], 'CRDs at an API server', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startClusterWithCrds(plugins);
  }, 60_000);
  afterAll(() => cluster?.stop());

  test('every bad manifest is refused, or a condition tells', () =>
    expect(Object.keys(verdicts)).toEqual(badManifests.map(([title]) => title)));

  test.each(badManifests)('%s', async (title, text) => {
    const told = await refusals(cluster, text);
    const verdict = verdicts[title];
    if (verdict instanceof RegExp) expect(told).toEqual([expect.stringMatching(verdict)]);
    else expect(told).toEqual([]);
  });

  test.each(mistakes)('refused: %s', async (_title, text, expected) => {
    const told = await refusals(cluster, text);
    expect(told).toEqual([expect.stringMatching(expected)]);
    expect(told.join()).not.toContain('sesame');
  });

  test('manifests of the documents are taken, but for onIssued', async () => {
    const texts = markdownFiles().flatMap(({ text }) => documentedManifests(text).map((manifest) => manifest.text));
    const here = texts.filter((text) => !text.includes('onIssued:'));
    expect(here.length).toBeGreaterThan(10);
    for (const text of here) expect([text, await refusals(cluster, text)]).toEqual([text, []]);
  });

  test('forms of names that manifests may have are taken', async () => {
    const text = names('Bücher.example', '*.example.com', 'xn--bcher-kva.example.', 'a--b.example', '1.example');
    expect(await refusals(cluster, text)).toEqual([]);
  });

  test('a misspelt field is named by kubectl apply', async () => {
    const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], one('renewBfore: 30d'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('unknown field "spec.renewBfore"')]);
  });

  test('kubectl apply of the same CRDs again changes nothing', async () => {
    const again = await must(cluster, ['apply', '-f', '-'], await crdList(plugins));
    expect(again.trim().split('\n')).toEqual(Array(4).fill(expect.stringMatching(/ unchanged$/)));
    const crds = JSON.parse(await must(cluster, ['get', 'crd', '-o', 'json'])) as { items: Crd[] };
    for (const { status } of crds.items)
      expect(status.conditions.map(({ type }) => type).sort()).toEqual(['Established', 'NamesAccepted']);
  });

  test('kubectl explain tells what a block is, and what its fields are', async () => {
    const block = await must(cluster, ['explain', 'issuer.spec.acme.dns01.providers.routedns']);
    const text = block.replace(/\s+/g, ' ');
    expect(text).toContain('AWS Route 53: public hosted zones. Example: {region: eu-central-1, accessKeyID: ');
    expect(text).toContain('More: zoneproof providers routedns');
    expect(text).toMatch(/region <string> -required- AWS region\. .* Examples: eu-central-1, us-gov-west-1/);
    const field = await must(cluster, ['explain', 'certificates.zoneproof.dev.spec.privateKey.algorithm']);
    expect(field.replace(/\s+/g, ' ')).toMatch(
      /ENUM: ECDSA RSA DESCRIPTION: Algorithm of the private key\. Default: ECDSA\./,
    );
  });

  test('defaults are filled in, and unknown fields of programs that do not ask are dropped', async () => {
    const text = certificate('  dnsNames: [b.example]\n  keystore: {}', 'defaults');
    await must(cluster, ['create', '--validate=ignore', '-f', '-'], text);
    const { spec } = JSON.parse(await must(cluster, ['get', 'zpc', 'defaults', '-o', 'json'])) as { spec: object };
    expect(spec).toEqual({
      secretName: 'defaults-tls',
      issuerRef: { name: 'lab', kind: 'Issuer' },
      dnsNames: ['b.example'],
    });
  });

  test('the table that kubectl get shows', async () => {
    await must(cluster, ['create', '-f', '-'], names('c.example').replaceAll('shop', 'table'));
    const at = Date.UTC(2026, 10, 21, 18, 6);
    await writeStatus('Certificate', 'table', {
      conditions: [{ ...condition, status: 'True', reason: 'Issued', message: 'All is well.' }],
      notAfter: at + 90 * 86_400_000,
      renewAt: at + 60 * 86_400_000,
    });
    const [head = '', row = ''] = (
      await must(cluster, ['get', 'certificates.zoneproof.dev', '-o', 'wide', '--sort-by=.metadata.name'])
    )
      .split('\n')
      .filter((line) => /^(NAME|table)/.test(line));
    expect(head.split(/ {2,}/)).toEqual([
      'NAME',
      'READY',
      'REASON',
      'NOT AFTER',
      'RENEWAL',
      'AGE',
      'SECRET',
      'ISSUER',
      'MESSAGE',
    ]);
    expect(row.split(/ {2,}/)).toEqual([
      'table', 'True', 'Issued', '2027-02-19T18:06:00Z', '2027-01-20T18:06:00Z', expect.stringMatching(/^\d+s$/), 'table-tls', 'lab', 'All is well.',
    ]); // biome-ignore format: one line
    await must(cluster, ['wait', '--for=condition=Ready', 'zpc/table', '--timeout=5s']);
    expect(await must(cluster, ['get', 'zoneproof', '-o', 'name'])).toContain('certificate.zoneproof.dev/table');
  });

  test('an Order for 100 names with all that its status can hold is stored and read as it was', async () => {
    const spec = {
      dnsNames: ['a.example'],
      issuerRef: { name: 'lab', kind: 'Issuer' },
      privateKeySecretName: 'k',
    } as const;
    await must(
      cluster,
      ['create', '-f', '-'],
      JSON.stringify(orderJson({ namespace: 'default', name: 'full-1' }, spec)),
    );
    const status = fullOrderStatus(100);
    const order = await writeStatus('Order', 'full-1', status);
    const cut = (text: string): string => `${text.slice(0, 4093)}...`;
    expect(order.status).toEqual({
      ...status,
      conditions: [{ ...condition, message: cut(condition.message) }],
      waiting: { ...status.waiting, message: cut(condition.message) },
    });
  });

  test("an Order's spec stays as it is", async () => {
    const change = ['patch', 'zpo', 'full-1', '--type=merge', '-p', '{"spec":{"dnsNames":["b.example"]}}'];
    const { code, stderr } = await cluster.kubectl(change);
    expect([code, stderr]).toEqual([1, expect.stringContaining('an Order is what the CA was asked for')]);
  });

  /** What the API server answers, read. */
  async function writeStatus<K extends 'Certificate' | 'Order'>(
    kind: K,
    name: string,
    status: ObjectOfKind[K]['status'],
  ) {
    const path = `${resourcePath(kind, 'default', name)}/status`;
    const { code, body } = await send(cluster, 'PATCH', path, { status: statusJson(kind, status) });
    if (code !== 200) throw new Error(JSON.stringify(body));
    return readObject(kind, body);
  }
});

describeReal(['kubernetes'], 'CRDs with the blocks of strangers', () => {
  test('parts that have no structural form are taken as they come, and words of CEL may be keys', async () => {
    const [some] = plugins as readonly [ProviderPlugin];
    const strange = defineProvider({
      ...some,
      key: 'namespace',
      schema: Type.Object({
        either: Type.Union([Type.String(), Type.Object({ a: Type.String() })]),
        list: Type.Array(Type.String()),
      }),
      example: { either: 'x', list: ['x'] },
      admission: [{ rule: 'self.list.size() > 0', message: 'the list is empty', path: 'list' }],
    }) as unknown as ProviderPlugin;
    const cluster = await startClusterWithCrds([strange]);
    try {
      expect(await refusals(cluster, provider('namespace: {either: {a: x}, list: [x]}'))).toEqual([]);
      expect(await refusals(cluster, provider('namespace: {either: 3, list: [x]}'))).toEqual([]);
      expect(await refusals(cluster, provider('namespace: {either: x, list: []}'))).toEqual([
        expect.stringMatching(/providers\[0\]\.namespace\.list: .*the list is empty/),
      ]);
      expect(await refusals(cluster, issuer('        - {name: a}'))).toEqual([
        expect.stringMatching(/no provider block; add one of namespace/),
      ]);
    } finally {
      await cluster.stop();
    }
  }, 60_000);
});

interface Crd {
  readonly status: { readonly conditions: readonly { readonly type: string }[] };
}
