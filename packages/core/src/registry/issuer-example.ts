import type { ProviderPlugin } from '../contract/index.ts';

/** The smallest Issuer with this provider, as YAML. */
export function issuerExample({ key, example }: ProviderPlugin): string {
  return `apiVersion: zoneproof.dev/v1alpha1
kind: Issuer
metadata:
  name: letsencrypt
spec:
  acme:
    email: admin@example.com
    server: https://acme-v02.api.letsencrypt.org/directory
    privateKeySecretRef: {name: letsencrypt-account}
    dns01:
      providers:
        - name: my-dns
          ${key}:${blockOf(example)}
`;
}

function blockOf(block: object): string {
  const lines = Object.entries(block).map(([field, value]) => `\n            ${field}: ${flow(value)}`);
  return lines.length === 0 ? ' {}' : lines.join('');
}

/** Secret references and lists on one line: `{name: tsig, key: secret}`. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([field, inner]) => `${field}: ${flow(inner)}`);
    return `{${fields.join(', ')}}`;
  }
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value);
}

/** In quotes whatever YAML could take for something else (a number, a date, a boolean, an indicator). */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z/][\w./@:-]*$/.test(text) && !/:$|^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(text);
  return isPlain || isAddress ? text : JSON.stringify(text);
}
