import { certificate, issuer, open } from '../../manifests/testing/bad-manifests.ts';

/** An Issuer with one provider of the fields given. */
export const provider = (fields: string): string => issuer(`        - {name: a, ${fields}}`);
const acme = (field: string): string => issuer(open).replace('    dns01:', `    ${field}\n    dns01:`);
/** A Certificate for names. */
export const names = (...list: string[]): string => certificate(`  dnsNames: ${JSON.stringify(list)}`);
/** A Certificate with one more field. */
export const one = (field: string): string => certificate(`  dnsNames: [a.example]\n  ${field}`);
const token = '{name: a, key: b}';

/** Title, manifest, and what an API server says: every check of src/manifests and of the providers that CEL can make. */
export const mistakes: readonly (readonly [string, string, RegExp])[] = [
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
