import { defineProvider, type ProviderPlugin, Type } from '@zoneproof/core';
import { type Cluster, describeReal } from '@zoneproof/farm';
import { plugins } from '../cli/testing/run-main.ts';
import { documentedManifests } from '../docs/testing/documented-manifests.ts';
import { markdownFiles } from '../docs/testing/markdown.ts';
import { badManifests, certificate } from '../manifests/testing/bad-manifests.ts';
import type { ObjectOfKind } from '../resources/index.ts';
import { orderJson, readObject, resourcePath, statusJson } from './api-form.ts';
import { refusals, send } from './testing/admission.ts';
import { condition, fullOrderStatus } from './testing/full-order-status.ts';
import { mistakes, names, one, provider } from './testing/mistakes.ts';
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

  test('a part of a block that has no structural form is taken as it comes, and words of CEL may be keys', async () => {
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
    await must(cluster, ['apply', '-f', '-'], await crdList([strange]));
    const told = async (fields: string) => (await refusals(cluster, provider(fields))).join();
    // The API server takes a moment until it goes by a definition that was changed.
    const deadline = Date.now() + 10_000;
    while ((await told('namespace: {either: {a: x}, list: [x]}')) !== '' && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await told('namespace: {either: {a: x}, list: [x]}')).toBe('');
    expect(await told('namespace: {either: 3, list: [x]}')).toBe('');
    expect(await told('namespace: {either: x, list: []}')).toMatch(
      /providers\[0\]\.namespace\.list: .*the list is empty/,
    );
    expect(await told('selector: {dnsZones: [a.example]}')).toMatch(/no provider block; add one of namespace/);
  }, 30_000);

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

interface Crd {
  readonly status: { readonly conditions: readonly { readonly type: string }[] };
}
