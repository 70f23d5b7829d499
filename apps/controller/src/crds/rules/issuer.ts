import type { ValidationRule } from '../structural.ts';
import { domainName, objectName } from './names.ts';

const server: ValidationRule = {
  rule: String.raw`self.matches(r'^(tls://[^/?#@,\s]+/?|https://[^/?#@,\s]+/[^?#@,\s{]+(\{[?&]dns\})?|[^/@,\s]+:[0-9]{1,5})$')`,
  message: 'write one server as host:port, tls://host or https://host/path',
};

/** What the API server checks of an Issuer and a ClusterIssuer, by the path of the field. */
export const issuerRules: Readonly<Record<string, readonly ValidationRule[]>> = {
  'spec.acme.email': [
    {
      rule: String.raw`self.matches(r'^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$')`,
      message: 'not an e-mail address; write one address like ops@example.com, without "mailto:"',
    },
  ],
  'spec.acme.server': [
    {
      rule: "self.matches('^(?i)https://[^/?#]')",
      message:
        'not an https URL; ACME is spoken over HTTPS only (RFC 8555 6.1). Write the directory, like https://acme-v02.api.letsencrypt.org/directory',
    },
    {
      rule: "!self.matches('^[^/]*//[^/]*@')",
      message: 'the URL holds a user name or password; ACME knows neither: remove them',
    },
  ],
  'spec.acme.privateKeySecretRef.name': [objectName],
  'spec.acme.caBundle': [
    {
      rule: "self.contains('-----BEGIN CERTIFICATE-----')",
      message: 'it holds no PEM certificate ("-----BEGIN CERTIFICATE-----")',
    },
    {
      rule: "!self.contains('PRIVATE KEY-----')",
      message: 'it holds a private key, which does not belong in a manifest',
    },
  ],
  'spec.acme.dns01.selfCheck.nameservers[]': [server],
  'spec.acme.dns01.selfCheck.finalResolvers[]': [server],
  'spec.acme.dns01.providers[].selector.dnsZones[]': [domainName],
  'spec.acme.dns01.providers[].selector.dnsNames[]': [domainName],
};

/** What the API server checks of a ClusterIssuer besides. */
export const clusterIssuerRules: Readonly<Record<string, readonly ValidationRule[]>> = {
  ...issuerRules,
  'spec.allowedNamespaces[]': [
    {
      rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
      message: 'not the name of a namespace; each one is listed by its whole name',
    },
  ],
  'spec.allowedDomains[]': [
    domainName,
    {
      rule: "!self.startsWith('*.')",
      message: 'a domain covers everything below it, wildcards included; leave out the "*."',
    },
  ],
};
