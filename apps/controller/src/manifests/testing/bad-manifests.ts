export const issuer = (providers: string) => `apiVersion: zoneproof.dev/v1alpha1
kind: Issuer
metadata: {name: lab}
spec:
  acme:
    server: https://ca.example/directory
    privateKeySecretRef: {name: account}
    dns01:
      providers:
${providers}
`;
export const open = '        - {name: open, rfc2136: {nameserver: 192.0.2.1}}';
export const certificate = (fields: string, name = 'shop') => `---
apiVersion: zoneproof.dev/v1alpha1
kind: Certificate
metadata: {name: ${name}}
spec:
  secretName: ${name}-tls
  issuerRef: {name: lab}
${fields}
`;

/** Title, manifest, and what the loader says of it: one mistake each. */
export const badManifests: readonly (readonly [string, string, readonly RegExp[]])[] = [
  [
    'an Issuer without spec',
    '{apiVersion: zoneproof.dev/v1alpha1, kind: Issuer, metadata: {name: a}}',
    [/^1:1 spec: missing\.$/],
  ],
  [
    'an empty Issuer spec names what is missing',
    '{apiVersion: zoneproof.dev/v1alpha1, kind: Issuer, metadata: {name: a}, spec: {acme: {}}}',
    [/spec\.acme\.server: missing field server\.$/, /privateKeySecretRef: missing/, /dns01: missing/],
  ],
  [
    'a ClusterIssuer has no namespace',
    issuer(open).replace('kind: Issuer', 'kind: ClusterIssuer').replace('{name: lab}', '{name: lab, namespace: x}'),
    [/^3:23 metadata\.namespace: a ClusterIssuer belongs to no namespace/],
  ],
  [
    'an Order',
    '{apiVersion: zoneproof.dev/v1alpha1, kind: Order, metadata: {name: a}}',
    [/Orders are made by zoneproof itself/],
  ],
  [
    'a name that is a number',
    '{apiVersion: v1, kind: Secret, metadata: {name: 123}}',
    [/metadata\.name: "123" is not text; write it in quotes/],
  ],
  [
    'a Secret value that is a number',
    '{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {b: 1}}',
    [/stringData\.b: the value is not text/],
  ],
  [
    'a field with a typo beside the block',
    issuer('        - {nmae: a, rfc2136: {nameserver: 192.0.2.1}}'),
    [/name: missing/, /nmae/],
  ],
  [
    'an Issuer of another namespace',
    issuer(open).replace('{name: lab}', '{name: lab, namespace: prod}') + certificate('  dnsNames: [a.example]'),
    [/issuerRef\.name: there is no Issuer "lab" in namespace default; there is one in namespace prod/],
  ],
  [
    'a ClusterIssuer referred to as an Issuer',
    issuer(open).replace('kind: Issuer', 'kind: ClusterIssuer') + certificate('  dnsNames: [a.example]'),
    [/write issuerRef\.kind: ClusterIssuer/],
  ],
  [
    'two certificates with one Secret',
    issuer(open) +
      certificate('  dnsNames: [a.example]', 'a') +
      certificate('  dnsNames: [b.example]', 'b').replace('b-tls', 'a-tls'),
    [/^24:3 spec\.secretName: Secret "a-tls" is also used by Certificate default\/a/],
  ],
  [
    "a certificate's Secret that is the account key's",
    issuer(open) + certificate('  dnsNames: [a.example]').replace('shop-tls', 'account'),
    [/Secret "account" is also used by the account key of Issuer default\/lab/],
  ],
  [
    'a mapping to a provider that is not there',
    issuer(open) + certificate('  dnsNames: [a.example]\n  dns01: [{provider: opne, domains: [a.example]}]'),
    [/dns01\[0\]\.provider: Issuer default\/lab has no provider "opne"; did you mean "open"\?/],
  ],
  [
    'a mapping of a domain that is not in dnsNames',
    issuer(open) + certificate('  dnsNames: [a.example]\n  dns01: [{provider: open, domains: [b.example]}]'),
    [/dns01\[0\]\.domains\[0\]: b\.example is not among the certificate's dnsNames/],
  ],
  [
    'an A-label that stands for nothing',
    issuer(open) + certificate('  dnsNames: ["*.xn--zzzzzz.example", xn--bcher-kva.example]'),
    [/dnsNames\[0\]: "\*\.xn--zzzzzz\.example" has a label with "xn--" that stands for no Unicode name/],
  ],
  [
    'a break in the structure, told once and not for each line after it',
    'apiVersion: v1\n kind: Secret\nmetadata:\n   name: a\n  type: x\n b: [\n',
    [/^1:13 not valid YAML: /],
  ],
  ['keys that are there twice, each of them', 'a: 1\na: 2\nb: 1\nb: 2\n', [/^2:1 /, /^4:1 /]],
  ['the file of a Secret, which is not repeated', 'sesame-open', [/; this is a text\.$/]],
  [
    'apex and wildcard given to different providers',
    issuer(`${open}\n        - {name: more, rfc2136: {nameserver: 192.0.2.2}}`) +
      certificate(
        '  dnsNames: [a.example, "*.a.example"]\n  dns01: [{provider: open, domains: [a.example]}, {provider: more, domains: ["*.a.example"]}]',
      ),
    [/dns01\[1\]\.domains\[0\]: a\.example is given to another provider by dns01\[0\]/],
  ],
  [
    'a domain that no selector matches',
    issuer('        - {name: a, selector: {dnsZones: [x.example]}, rfc2136: {nameserver: 192.0.2.1}}') +
      certificate('  dnsNames: [y.example]'),
    [/dnsNames\[0\]: no provider of Issuer default\/lab serves y\.example: no selector matches it/],
  ],
  [
    'a name covered by a wildcard of the same certificate',
    issuer(open) + certificate('  dnsNames: ["*.a.example", www.a.example]'),
    [/^\d+:\d+ warning spec\.dnsNames\[1\]: www\.a\.example is covered by \*\.a\.example already/],
  ],
  [
    'a selector that is no name',
    issuer('        - {name: a, selector: {dnsZones: [a b]}, rfc2136: {nameserver: 192.0.2.1}}'),
    [/selector\.dnsZones\[0\]: "a b" is not a domain name/],
  ],
  [
    'more than 100 names',
    issuer(open) + certificate(`  dnsNames: [${Array.from({ length: 101 }, (_, i) => `n${i}.example`).join(', ')}]`),
    [/spec\.dnsNames: .*100/],
  ],
  ['an empty list of names', issuer(open) + certificate('  dnsNames: []'), [/spec\.dnsNames: /]],
];
