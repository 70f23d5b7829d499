import { readObject } from '../crds/api-form.ts';
import { invalidSpec } from './invalid-spec.ts';

const metadata = { namespace: 'shop', name: 'www', uid: '1', resourceVersion: '1' };
const certificate = (spec: object) =>
  readObject('Certificate', { metadata, spec: { secretName: 's', issuerRef: { name: 'i' }, ...spec } });
const issuer = (acme: object, provider: object = {}) =>
  readObject('Issuer', {
    metadata,
    spec: {
      acme: {
        server: 'https://ca.example/directory',
        privateKeySecretRef: { name: 'account' },
        dns01: { providers: [{ name: 'a', rfc2136: {}, ...provider }] },
        ...acme,
      },
    },
  });

test.each([
  ['a label that stands for nothing', certificate({ dnsNames: ['xn--zzzzzz.example'] }), /dnsNames\[0\]: .*no Unicode name/],
  ['a name that IDNA does not know', certificate({ dnsNames: ['a.example', '\u2028.example'] }), /dnsNames\[1\]: /],
  ['a name too long as A-labels', certificate({ dnsNames: [`${'ü'.repeat(62)}.example`] }), /dnsNames\[0\]: /],
  ['a CA bundle that was cut', issuer({ caBundle: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----' }), /caBundle: certificate 1 of 1 cannot be read/],
  ['a URL that is none', issuer({ server: 'https://[ca.example/directory' }), /acme\.server: .*is not a URL/],
  ['a port that is none', issuer({ dns01: { providers: [], selfCheck: { nameservers: ['192.0.2.1:99999'] } } }), /nameservers\[0\]: .*is not a port/],
  ['a selector that is no name', issuer({}, { selector: { dnsZones: ['a..b'] } }), /selector\.dnsZones\[0\]: "a\.\.b" is not a domain name/],
] as const)('%s passes the rules of a CRD, and is told as SpecInvalid', (_title, object, message) => {
  expect(invalidSpec(object)).toMatchObject({ reason: 'SpecInvalid', cure: 'change', message: expect.stringMatching(message) });
}); // biome-ignore format: one line a row

test('a name beside its wildcard is no reason to stop', () => {
  expect(invalidSpec(certificate({ dnsNames: ['*.a.example', 'www.a.example'] }))).toBeUndefined();
  expect(invalidSpec(issuer({}))).toBeUndefined();
});
