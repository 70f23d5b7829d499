import type { ValidationRule } from '../structural.ts';
import { certificateName, objectName } from './names.ts';

const templateKeys: readonly ValidationRule[] = [
  {
    rule: String.raw`self.all(key, !key.matches(r'^([a-z0-9.-]+\.)?zoneproof\.dev/|^app\.kubernetes\.io/managed-by$'))`,
    message: 'a key is one of those that zoneproof itself sets; choose another',
  },
  {
    rule: "self.all(key, key.matches('^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",
    message: 'a key is none: it has an optional domain with "/", then at most 63 letters, digits, "-", "_" and "."',
  },
];

/** What the API server checks of a Certificate, by the path of the field. */
export const certificateRules: Readonly<Record<string, readonly ValidationRule[]>> = {
  '': [
    {
      rule: 'size(self.metadata.name) <= 230',
      message: 'metadata.name has more than 230 characters; Orders and their Secrets are named after it',
    },
  ],
  spec: [
    {
      rule: '!has(self.dns01) || self.dns01.all(entry, entry.domains.all(domain, domain in self.dnsNames))',
      message: 'dns01 names a domain that is not among dnsNames; write it as it is there',
      fieldPath: '.dns01',
    },
    {
      // Apex and wildcard are proven at the same name, so by the same provider.
      rule: "!has(self.dns01) || self.dnsNames.all(name, self.dns01.filter(entry, name in entry.domains || '*.' + name in entry.domains).size() <= 1)",
      message: 'dns01 gives a name, or a name and its wildcard, to two providers; the two share one TXT record',
      fieldPath: '.dns01',
    },
    {
      rule: '!has(self.onIssued)',
      message: 'onIssued works standalone only; here, watch the Secret',
    },
  ],
  'spec.secretName': [objectName],
  'spec.dnsNames': [
    {
      rule: 'self.all(name, self.exists_one(other, other.lowerAscii() == name.lowerAscii()))',
      message: 'a name is listed twice; remove one',
    },
  ],
  'spec.dnsNames[]': certificateName,
  'spec.secretTemplate.labels': templateKeys,
  'spec.secretTemplate.annotations': templateKeys,
  'spec.privateKey': [
    {
      rule: "!has(self.size) || self.size in (has(self.algorithm) && self.algorithm == 'RSA' ? [2048, 3072, 4096, 8192] : [256, 384])",
      message: 'size is 256 or 384 for ECDSA, and 2048, 3072, 4096 or 8192 for RSA',
      fieldPath: '.size',
    },
  ],
  'spec.renewBefore': [
    {
      rule: String.raw`self.matches(r'^([0-9]{1,2}(\.[0-9]+)?%|([0-9]+[smhd])+)$') && self.matches('[1-9]')`,
      message: 'no duration: write it like 720h, 30d or 33% (of the lifetime)',
    },
  ],
};
