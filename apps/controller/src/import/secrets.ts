import { certificateFacts, verifyCertificate } from '@zoneproof/acme';
import { isSecretRef, secretRefsOf } from '../manifests/provider.ts';
import { whyForeignUnfit } from '../reconcile/foreign-certificate.ts';
import { adoptAnnotation } from '../resources/adopt.ts';
import { type CertificateSpec, defaultNamespace } from '../resources/index.ts';
import type { Told } from './finding.ts';
import type { ForeignObject, GivenSecret } from './objects.ts';
import type { Fields } from './rules.ts';

/** A Secret that one of our objects refers to. */
export interface SecretUse {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly use: 'account key' | 'credentials' | 'certificate';
}

/** Every Secret that an Issuer needs: its account key, what binds it, and the credentials of its providers. */
export function secretsOfIssuer(manifest: Fields, from: ForeignObject): readonly SecretUse[] {
  const { acme } = manifest.spec as { acme: Fields & { privateKeySecretRef?: { name?: string } } };
  const { privateKeySecretRef, externalAccountBinding, dns01 } = acme;
  const { providers } = dns01 as { providers: readonly Fields[] };
  const { keySecretRef } = (externalAccountBinding ?? {}) as Fields;
  const names = [
    ...providers.flatMap((provider) => secretRefsOf(provider, []).map(({ ref }) => ref.name)),
    ...(isSecretRef(keySecretRef) ? [keySecretRef.name] : []),
  ];
  const { namespace } = from;
  return [
    ...(privateKeySecretRef?.name === undefined
      ? []
      : [{ namespace, name: privateKeySecretRef.name, use: 'account key' } as const]),
    ...[...new Set(names)].map((name) => ({ namespace, name, use: 'credentials' }) as const),
  ];
}

/**
 * The Secret that was given under a name. That of a ClusterIssuer may come from any namespace, cert-manager's own
 * (`cert-manager`, unless it was told otherwise) first.
 */
export function findGiven(
  secrets: readonly GivenSecret[],
  { kind, namespace }: Pick<ForeignObject, 'kind' | 'namespace'>,
  name: string,
): GivenSecret | undefined {
  const named = secrets.filter((secret) => secret.name === name);
  if (kind !== 'ClusterIssuer')
    return named.find((secret) => (secret.namespace ?? defaultNamespace) === (namespace ?? defaultNamespace));
  return named.find((secret) => secret.namespace === 'cert-manager') ?? (named.length === 1 ? named[0] : undefined);
}

/** Text of an entry, when the Secret is there and has it. */
export function textOf(secret: GivenSecret | undefined, entry: string): string | undefined {
  const octets = secret?.content.data[entry];
  return octets === undefined ? undefined : Buffer.from(octets).toString('utf8');
}

/** The Secret as ours: its entries, and nothing of what other controllers wrote on it. */
export function secretManifest(
  secret: GivenSecret,
  namespace: string | undefined,
  o: { readonly keyEntry?: string; readonly adopt?: boolean } = {},
): Fields {
  const { data } = secret.content;
  const accountKey = o.keyEntry === undefined ? undefined : data[o.keyEntry];
  const entries = { ...data, ...(accountKey && { 'tls.key': accountKey }) };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secret.name,
      ...(namespace !== undefined && { namespace }),
      ...(o.adopt === true && { annotations: { ...issuerOf(secret), [adoptAnnotation]: 'true' } }),
    },
    type: secret.content.type ?? 'Opaque',
    data: Object.fromEntries(
      Object.entries(entries).map(([entry, octets]) => [entry, Buffer.from(octets).toString('base64')]),
    ),
  };
}

/** By which Issuer the certificate came: looked at before it is taken over. */
function issuerOf({ annotations }: GivenSecret): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['cert-manager.io/issuer-name', 'cert-manager.io/issuer-kind'].flatMap((key) => {
      const value = annotations[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Why the certificate in a Secret will not be used on but issued again; undefined when it will be. */
export function whyIssuedAgain(secret: GivenSecret, spec: CertificateSpec, now: number): Told | undefined {
  const why = whyUnfit(secret, spec, now);
  return why === undefined
    ? undefined
    : { level: 'note', why: `Its Secret ${secret.name} ${why}.`, todo: 'A new certificate is issued at the start.' };
}

function whyUnfit(secret: GivenSecret, spec: CertificateSpec, now: number): string | undefined {
  const [pemChain, keyPem] = [textOf(secret, 'tls.crt'), textOf(secret, 'tls.key')];
  if (pemChain === undefined || keyPem === undefined) return 'holds no certificate';
  try {
    const { names } = certificateFacts(pemChain);
    verifyCertificate({ pemChain, keyPem, names, now });
    const [held, wanted] = [names, spec.dnsNames].map((list) => [...list].sort().join(', '));
    if (held !== wanted) return `holds a certificate for ${held}`;
  } catch (error) {
    return `holds a certificate that cannot be used (${(error as Error).message.replace(/\.$/, '')})`;
  }
  const why = whyForeignUnfit(pemChain, secret.annotations, spec);
  return why === undefined ? undefined : `holds a certificate that ${why}`;
}
