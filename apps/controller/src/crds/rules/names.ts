import type { ValidationRule } from '../structural.ts';

const letter = String.raw`[a-zA-Z0-9]|[^\x00-\x7f]`;
const label = `(${letter})(((${letter}|-){0,61})(${letter}))?`;

const isAddress = String.raw`self.matches(r'^([0-9]{1,3}\.){3}[0-9]{1,3}$')`;

const advice = [
  `self.contains('://') ? 'is a URL; write the domain name alone'`,
  `self.contains('@') ? 'is an e-mail address; write a domain name'`,
  `self.contains(':') || ${isAddress} ? 'is an IP address; DNS01 proves domain names only'`,
  `self.contains('_') ? 'has a "_", which no name of a certificate may have'`,
  String.raw`self.matches(r'^\*\.[^.]+\.?$') ? 'would cover a whole top-level domain; no CA issues that'`,
  `self.contains('..') ? 'is not a domain name: it has an empty label'`,
  `'is not a domain name: labels have letters, digits and "-" (63 at most), with "*." in front of a wildcard'`,
].join(' : ');

/**
 * Names of a certificate, as manifests take them: U-labels, any case, a final dot. What an A-label stands for and how
 * long a U-label becomes CEL cannot tell.
 */
export const certificateName: readonly ValidationRule[] = [
  {
    rule: String.raw`self.matches(r'^((\*\.(${label}\.)+)|(${label}\.)*)${label}\.?$') && !${isAddress}`,
    message: 'not a domain name that a certificate can have; write it like example.com or *.example.com',
    messageExpression: `"'" + self + "' " + (${advice})`,
  },
  {
    rule: "self.size() <= (self.startsWith('*.') ? 239 : 237) + (self.endsWith('.') ? 1 : 0)",
    message: 'too long: _acme-challenge has to fit in front of it',
  },
];

/** Names of zones and domains that a provider serves. */
export const domainName: ValidationRule = {
  // There may be many thousands of them, which is why this is short: the budget of a CRD goes by the length.
  rule: "!self.matches('[ /:,@]')",
  message: 'not a domain name: it holds a space, "/", ":", "," or "@"',
};

/** Names of objects (RFC 1123), as Kubernetes has them. */
export const objectName: ValidationRule = {
  rule: "self.matches('^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$')",
  message: 'not a name: a-z, 0-9, "-" and "." with a letter or digit at both ends',
};
