import { formatServer, type TsigKey } from '@zoneproof/dns';
import type { AcmeDnsAccount } from './acmedns/accounts.ts';
import type { SandboxAcmeDns } from './acmedns/server.ts';
import type { SandboxCa } from './ca/server.ts';
import type { SandboxDns } from './dns/server.ts';

/** The manifests of an issuance in the sandbox by file name. They hold secrets: of the sandbox only. */
export function sandboxManifests(sandbox: {
  readonly ca: SandboxCa;
  readonly dns: SandboxDns;
  readonly acmeDns: SandboxAcmeDns;
  readonly tsigKey: TsigKey;
  readonly acmeDnsAccount: AcmeDnsAccount;
}): Readonly<Record<string, string>> {
  const { ca, dns, acmeDns, tsigKey, acmeDnsAccount } = sandbox;
  return {
    'issuer.yaml': `apiVersion: zoneproof.dev/v1alpha1
kind: Issuer
metadata:
  name: sandbox
spec:
  acme:
    email: admin@example.test
    server: ${ca.directoryUrl}
    caBundle: |
${indent(ca.rootPem, 6)}
    privateKeySecretRef:
      name: sandbox-account-key
    dns01:
      providers:
        - name: rfc2136
          rfc2136:
            nameserver: ${dns.server.address}:${dns.server.port}
            tsigKeyName: ${tsigKey.name}
            tsigAlgorithm: HMACSHA256
            tsigSecretSecretRef:
              name: rfc2136-tsig
              key: secret
        - name: acmedns
          acmedns:
            host: ${acmeDns.url}
            nameserver: ${formatServer(acmeDns.dns)}
            accountSecretRef:
              name: acmedns-account
              key: acmedns.json
`,
    'secrets.yaml': `apiVersion: v1
kind: Secret
metadata:
  name: rfc2136-tsig
stringData:
  secret: ${Buffer.from(tsigKey.secret).toString('base64')}
---
apiVersion: v1
kind: Secret
metadata:
  name: acmedns-account
stringData:
  acmedns.json: |
${indent(JSON.stringify({ 'app.example.test': acmeDnsAccount }, undefined, 2), 4)}
`,
    'certificates.yaml': `apiVersion: zoneproof.dev/v1alpha1
kind: Certificate
metadata:
  name: apex-and-wildcard
spec:
  secretName: apex-and-wildcard-tls
  issuerRef:
    name: sandbox
  dnsNames:
    - example.test
    - "*.example.test"
  dns01:
    - provider: rfc2136
      domains:
        - example.test
        - "*.example.test"
---
apiVersion: zoneproof.dev/v1alpha1
kind: Certificate
metadata:
  name: app
spec:
  secretName: app-tls
  issuerRef:
    name: sandbox
  dnsNames:
    - app.example.test
  dns01:
    - provider: acmedns
      domains:
        - app.example.test
`,
  };
}

function indent(text: string, columns: number): string {
  return text.trimEnd().replace(/^/gm, ' '.repeat(columns));
}
