import {
  type CertificateFacts,
  certificateFacts,
  renewalTime,
  renewBeforeProblem,
  verifyCertificate,
} from '@zoneproof/acme';
import type { Certificate, Secret } from '../resources/types.ts';
import type { NewMeta, SecretContent } from '../store/store.ts';
import type { Stored } from './certificate-decide.ts';
import { whyForeignUnfit } from './foreign-certificate.ts';
import { parseRenewBefore } from './renew-before.ts';
import { driftOf, templateMeta } from './secret-template.ts';
import type { Services } from './services.ts';

/** What the Secret of the Certificate holds. @throws SecretUnreadableError */
export async function readStored(certificate: Certificate, { store, clock }: Services): Promise<Stored> {
  const secret = await store.readSecret(certificate.metadata.namespace, certificate.spec.secretName);
  const { chain, key } = pairOf(secret);
  if (secret === undefined || (chain === undefined && key === undefined)) return { state: 'missing' };
  if (chain === undefined || key === undefined) return { state: 'damaged', why: 'lacks its key or its chain' };
  try {
    const names = certificateFacts(chain).names;
    const facts = verifyCertificate({ pemChain: chain, keyPem: key, names, now: clock.now() });
    const { owner, annotations = {} } = secret.metadata;
    const unfit = owner === undefined ? whyForeignUnfit(chain, annotations, certificate.spec) : undefined;
    const drift = isOwn(secret, certificate)
      ? driftOf(secret, certificate.spec.secretTemplate, contentOf(chain, key))
      : undefined;
    return {
      state: 'present',
      facts,
      ...renewalOf(certificate, facts),
      ...(unfit === undefined ? {} : { unfit }),
      ...(drift === undefined ? {} : { drift }),
    };
  } catch (error) {
    return { state: 'damaged', why: `cannot be used (${(error as Error).message})` };
  }
}

/** Key and chain together, with the labels and annotations of the Certificate's own. @throws ForeignSecretError */
export async function writePair(
  certificate: Certificate,
  chain: string,
  key: string,
  services: Services,
): Promise<void> {
  await services.run('certificate.store-certificate', () =>
    services.store.writeSecret(metaOf(certificate), contentOf(chain, key)),
  );
}

/** Writes what can be made right without a new certificate: ca.crt, labels, annotations. @throws ForeignSecretError */
export async function restoreSecret(certificate: Certificate, services: Services): Promise<void> {
  const secret = await services.store.readSecret(certificate.metadata.namespace, certificate.spec.secretName);
  const { chain, key } = pairOf(secret);
  if (chain !== undefined && key !== undefined) await writePair(certificate, chain, key, services);
}

/** The Secret may be that of a Certificate which is gone, or one that was handed over. @throws ForeignSecretError when it is not */
export async function takeOver(certificate: Certificate, { run, store }: Services): Promise<void> {
  const secret = await store.readSecret(certificate.metadata.namespace, certificate.spec.secretName);
  const { chain = '', key = '' } = pairOf(secret);
  if (secret === undefined || isOwn(secret, certificate)) return;
  const held = Object.fromEntries(secret.data.entries().map((entry) => [entry, secret.data.get(entry) ?? '']));
  const { type, data } = contentOf(chain, key);
  await run('certificate.store-certificate', () =>
    store.writeSecret(metaOf(certificate), { type, data: { ...held, ...data } }),
  );
}

/** Whether the Certificate's Secret has this chain, from before a crash. */
export async function holdsChain({ metadata, spec }: Certificate, chain: string, services: Services): Promise<boolean> {
  return pairOf(await services.store.readSecret(metadata.namespace, spec.secretName)).chain === chain;
}

/** When a certificate is due, and why renewBefore could not be followed. */
export function renewalOf(
  { spec }: Certificate,
  facts: CertificateFacts,
): { readonly renewAt: number; readonly warning?: string } {
  const renewBefore = spec.renewBefore === undefined ? undefined : parseRenewBefore(spec.renewBefore);
  const warning = renewBefore === undefined ? undefined : renewBeforeProblem(facts, renewBefore);
  return { renewAt: renewalTime(facts, renewBefore), ...(warning === undefined ? {} : { warning }) };
}

/** What the Secret of a Certificate is called and whose it is. */
export function metaOf({ metadata: { namespace, name, uid }, spec }: Certificate): NewMeta {
  return {
    namespace,
    name: spec.secretName,
    owner: { kind: 'Certificate', name, uid },
    ...templateMeta(spec.secretTemplate),
  };
}

/** Of the Secret of a Certificate. */
export const tlsType = 'kubernetes.io/tls';

function contentOf(chain: string, key: string): SecretContent {
  return { type: tlsType, data: { 'tls.crt': chain, 'tls.key': key, 'ca.crt': issuerChain(chain) } };
}

function pairOf(secret: Secret | undefined): { readonly chain: string | undefined; readonly key: string | undefined } {
  const text = (entry: string): string | undefined => {
    const value = secret?.data.get(entry);
    return value === undefined ? undefined : Buffer.from(value).toString('utf8');
  };
  return { chain: text('tls.crt'), key: text('tls.key') };
}

/** That of an earlier Certificate of the same name goes with it in Kubernetes, unless it is taken over. */
function isOwn({ metadata: { owner } }: Secret, { metadata }: Certificate): boolean {
  return owner?.kind === 'Certificate' && owner.name === metadata.name && owner.uid === metadata.uid;
}

/** The certificates above the leaf. */
function issuerChain(pemChain: string): string {
  const [, ...issuers] = pemChain.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return issuers.length === 0 ? '' : `${issuers.join('\n')}\n`;
}
