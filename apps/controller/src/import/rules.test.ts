import { createRegistry } from '@zoneproof/core';
import fc from 'fast-check';
import { plugins } from '../cli/testing/run-main.ts';
import { certificateScope } from './certificate-rules.ts';
import { fromGoDuration } from './go-duration.ts';
import { acmeScope } from './issuer-rules.ts';
import { type ForeignObject, readForeign } from './objects.ts';
import { planImport } from './plan.ts';
import { providerMappings } from './provider-rules.ts';
import { certificate, issuer } from './testing/run-import.ts';

// From the API reference of cert-manager 1.20: https://cert-manager.io/docs/reference/api-docs/
const known: readonly [string, readonly { readonly field: string }[], readonly string[]][] = [
  ['CertificateSpec', certificateScope.rules, ['subject', 'literalSubject', 'commonName', 'duration', 'renewBefore', 'renewBeforePercentage', 'dnsNames', 'ipAddresses', 'uris', 'otherNames', 'emailAddresses', 'secretName', 'secretTemplate.annotations', 'secretTemplate.labels', 'keystores', 'issuerRef.name', 'issuerRef.kind', 'issuerRef.group', 'isCA', 'usages', 'privateKey.rotationPolicy', 'privateKey.encoding', 'privateKey.algorithm', 'privateKey.size', 'signatureAlgorithm', 'encodeUsagesInRequest', 'revisionHistoryLimit', 'additionalOutputFormats', 'nameConstraints']],
  ['ACMEIssuer', acmeScope.rules, ['email', 'server', 'preferredChain', 'caBundle', 'skipTLSVerify', 'externalAccountBinding.keyID', 'externalAccountBinding.keySecretRef', 'externalAccountBinding.keyAlgorithm', 'privateKeySecretRef.name', 'privateKeySecretRef.key', 'solvers', 'disableAccountKeyGeneration', 'enableDurationFeature', 'profile']],
  ['route53', rulesOf('route53'), ['auth', 'accessKeyID', 'accessKeyIDSecretRef', 'secretAccessKeySecretRef', 'role', 'hostedZoneID', 'region']],
  ['cloudDNS', rulesOf('cloudDNS'), ['serviceAccountSecretRef', 'project', 'hostedZoneName']],
  ['cloudflare', rulesOf('cloudflare'), ['email', 'apiKeySecretRef', 'apiTokenSecretRef']],
  ['akamai', rulesOf('akamai'), ['serviceConsumerDomain', 'clientTokenSecretRef', 'clientSecretSecretRef', 'accessTokenSecretRef']],
  ['rfc2136', rulesOf('rfc2136'), ['nameserver', 'tsigSecretSecretRef', 'tsigKeyName', 'tsigAlgorithm', 'protocol']],
  ['acmeDNS', rulesOf('acmeDNS'), ['host', 'accountSecretRef']],
]; // biome-ignore format: rows
test.each(known)('each field of %s has a rule, and no rule another field', (_type, rules, fields) => {
  expect(rules.map(({ field }) => field).sort()).toEqual([...fields].sort());
});

function rulesOf(solver: string): readonly { readonly field: string }[] {
  return providerMappings.find((mapping) => mapping.solver === solver)?.rules ?? [];
}

test.each([
  ['360h0m0s', '360h'],
  ['2160h', '2160h'],
  ['1.5h', '1h30m'],
  ['90s', '1m30s'],
  ['1h500ms', '1h1s'],
  ['+10m', '10m'],
  ['1ms', undefined],
  ['30d', undefined],
  ['', undefined],
])('%s in Go is %s here', (text, expected) => expect(fromGoDuration(text)).toBe(expected));

const registry = createRegistry(
  plugins.map(({ key }) => ({ key, packageName: `given-${key}`, version: '0.0.0', directory: '' })),
  { importPlugin: async ({ key }) => ({ plugin: plugins.find((one) => one.key === key) }) },
);

test('whatever stands in a field, it is taken over in a valid form or told', async () => {
  const solver = { route53: { region: 'eu-central-1', accessKeyIDSecretRef: { name: 'a', key: 'b' } } };
  const rfc2136 = {
    rfc2136: { nameserver: '192.0.2.53', tsigKeyName: 'k', tsigSecretSecretRef: { name: 'a', key: 'b' } },
  };
  const documents = [
    issuer([{ dns01: solver }, { dns01: rfc2136, selector: { dnsZones: ['example.com'], matchLabels: { a: 'b' } } }], {
      externalAccountBinding: { keyID: 'kid', keySecretRef: { name: 'a', key: 'b' } },
      caBundle: 'AA==',
    }),
    certificate(
      { privateKey: { algorithm: 'RSA', size: 2048 }, renewBefore: '1h', secretTemplate: { labels: { a: 'b' } } },
      { labels: { a: 'b' }, ownerReferences: [{ kind: 'Ingress', name: 'a' }] },
    ),
  ];
  const odd = fc.oneof(
    fc.constantFrom(null, true, -1, '', '*', '\u0000', [], {}, [null], ['']),
    fc.anything({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(), odd, async (at, value) => {
      const changed = documents.map((text, i) =>
        replaced(JSON.parse(text), { left: at % 40, value: i === at % 2 ? value : undefined }),
      );
      const objects: readonly ForeignObject[] = changed.flatMap(
        (document) => readForeign(document, () => ({ line: 1 })).objects,
      );
      const plan = await planImport({ objects, secrets: [] }, { registry, now: 0, inPlace: false });
      const told = new Set(plan.findings.map(({ object }) => object.split(' ')[0]));
      expect(plan.notTaken.every(({ kind }) => told.has(kind))).toBe(true);
      expect(plan.objects.length + plan.notTaken.length).toBe(objects.length);
    }),
    { numRuns: 50 },
  );
});

/** The document with its `left`-th field replaced; as it is when `value` is undefined. */
function replaced(node: unknown, step: { left: number; readonly value: unknown }): unknown {
  if (step.left-- === 0 && step.value !== undefined) return step.value;
  if (Array.isArray(node)) return node.map((item) => replaced(item, step));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, replaced(item, step)]));
}
