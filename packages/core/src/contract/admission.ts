/**
 * One check of a provider block that an API server makes when an Issuer is applied, so that mistakes are refused at
 * once: the part of a plugin's `problems` that CEL can express. What a rule refuses, `problems` has to call an error.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export interface AdmissionRule {
  /** CEL over the block, which is `self`; true when all is well. Optional fields are asked for by `has` first. */
  readonly rule: string;
  /** What is wrong and what to do, in one sentence; completes `endpoint: ...`. */
  readonly message: string;
  /** The field it is about: `tsigKeyName`. The block as a whole when left out. */
  readonly path?: string;
}

/** For the optional field `caBundle`. */
export const bundleAdmission: AdmissionRule = {
  path: 'caBundle',
  rule: "!has(self.caBundle) || self.caBundle.contains('-----BEGIN CERTIFICATE-----')",
  message: 'holds no certificate; it has to be PEM text with "BEGIN CERTIFICATE" lines',
};

/** For the optional fields `endpoint` and `caBundle`; see `endpointProblems`. */
export const endpointAdmission: readonly AdmissionRule[] = [
  {
    path: 'endpoint',
    rule: "!has(self.endpoint) || self.endpoint.startsWith('https://')",
    message: 'not a URL that starts with https://; credentials are sent to it',
  },
  {
    path: 'endpoint',
    rule: "!has(self.endpoint) || !self.endpoint.matches('^[^/]*//[^/]*@|[?#]')",
    message: 'a base URL has no user name, no "?" and no "#"; credentials belong into a Secret',
  },
  bundleAdmission,
];

/** For a field that holds an IP address with an optional port. */
export function serverAdmission(field: string, need: 'required' | 'optional'): AdmissionRule {
  const isServer = String.raw`self.${field}.matches(r'^(([0-9]{1,3}\.){3}[0-9]{1,3}(:[0-9]{1,5})?|[0-9a-fA-F]*:[0-9a-fA-F:.]*|\[[0-9a-fA-F:.]+\](:[0-9]{1,5})?)$')`;
  return {
    path: field,
    rule: need === 'required' ? isServer : `!has(self.${field}) || ${isServer}`,
    message:
      'no address of a DNS server; write an IP address and, where it is not 53, a port: 192.0.2.1:5353 or [2001:db8::1]:5353',
  };
}
