import type { ProviderRegistry } from '@zoneproof/core';
import { checkManifests, type ManifestProblem } from '../manifests/index.ts';
import type { CertificateSpec } from '../resources/index.ts';
import { defaultNamespace } from '../resources/index.ts';
import { convertCertificate } from './certificate.ts';
import type { Finding, Told } from './finding.ts';
import { convertIssuer, findingOf } from './issuer.ts';
import type { ForeignObject, GivenSecret, Read } from './objects.ts';
import type { Fields } from './rules.ts';
import { findGiven, type SecretUse, secretManifest, secretsOfIssuer, textOf, whyIssuedAgain } from './secrets.ts';
import { manifestText } from './write.ts';

/** One of our objects, made from one of theirs. */
export interface Taken {
  readonly from: ForeignObject;
  readonly manifest: Fields;
}

export interface Plan {
  readonly objects: readonly Taken[];
  readonly notTaken: readonly ForeignObject[];
  /** Secrets that come along, since they were given. */
  readonly secrets: readonly Fields[];
  /** Secrets that were not given: they have to be there already. */
  readonly expected: readonly SecretUse[];
  readonly findings: readonly Finding[];
}

export interface PlanOptions {
  readonly registry: ProviderRegistry;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Secrets in `read` are for looking at only: they stay where they are. */
  readonly inPlace: boolean;
}

/** What our manifests are to be, and everything that does not come along. Writes and sends nothing. */
export async function planImport(read: Read, options: PlanOptions): Promise<Plan> {
  const findings: Finding[] = [];
  const foreign = read.objects.filter((object) => isCurrent(object, findings));
  const issuers = foreign
    .filter(({ kind }) => kind !== 'Certificate')
    .map((from) => convertIssuer(from, ({ name, key }) => textOf(findGiven(read.secrets, from, name), key), findings));
  const converted: Taken[] = issuers.flatMap(({ from, manifest }) =>
    manifest === undefined ? [] : [{ from, manifest }],
  );
  for (const from of foreign.filter(({ kind }) => kind === 'Certificate')) {
    const manifest = convertCertificate(from, issuers, findings);
    if (manifest !== undefined) converted.push({ from, manifest });
  }
  const given = options.inPlace ? [] : read.secrets;
  const keyEntries = new Map(issuers.map(({ from, keyEntry }) => [from, keyEntry]));
  const objects = await withoutInvalid(converted, given, keyEntries, options.registry, findings);
  const { secrets, expected } = takeSecrets(objects, given, keyEntries, findings, options.now);
  return { objects, notTaken: notTaken(read.objects, objects), secrets, expected, findings: findings.sort(byPlace) };
}

function notTaken(all: readonly ForeignObject[], taken: readonly Taken[]): readonly ForeignObject[] {
  return all.filter((object) => !taken.some(({ from }) => from === object));
}

/** In the order of lines; files stay in theirs. */
function byPlace(a: Finding, b: Finding): number {
  return a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : 0;
}

function isCurrent(from: ForeignObject, findings: Finding[]): boolean {
  if (from.apiVersion === 'cert-manager.io/v1') return true;
  const told: Told = {
    level: 'refused',
    why: `${from.apiVersion} is not served by cert-manager since 1.6.`,
    todo: 'Read the object from the cluster, or write it as cert-manager.io/v1.',
  };
  findings.push(findingOf(from, ['apiVersion'], told));
  return false;
}

/** Our own check of manifests has the last word; what it refuses is left out, and then what depends on that. */
async function withoutInvalid(
  converted: readonly Taken[],
  given: readonly GivenSecret[],
  keyEntries: KeyEntries,
  registry: ProviderRegistry,
  findings: Finding[],
): Promise<readonly Taken[]> {
  for (let objects = converted; ; ) {
    const texts = [
      ...objects.map(({ manifest }, i) => ({ file: `${i}`, text: manifestText(manifest) })),
      ...takeSecrets(objects, given, keyEntries, [], undefined).secrets.map((secret, i) => ({
        file: `secret ${i}`,
        text: manifestText(secret),
      })),
    ];
    const { problems } = await checkManifests(texts, { registry, secretsElsewhere: true });
    const about = (object: number): readonly ManifestProblem[] => problems.filter(({ file }) => file === `${object}`);
    const bad = objects.filter((_taken, i) => about(i).some(({ severity }) => severity === 'error'));
    for (const [i, { from }] of objects.entries())
      for (const { severity, message } of about(i))
        if (severity === 'error' || bad.length === 0)
          findings.push(
            findingOf(from, [], {
              level: severity === 'error' ? 'refused' : 'note',
              why: severity === 'error' ? `zoneproof would not take it: ${message}` : message,
              todo: severity === 'error' ? 'Correct that in what is imported.' : 'It is taken over nevertheless.',
            }),
          );
    if (bad.length === 0) return objects;
    objects = objects.filter((taken) => !bad.includes(taken));
  }
}

type KeyEntries = ReadonlyMap<ForeignObject, string | undefined>;

function takeSecrets(
  objects: readonly Taken[],
  given: readonly GivenSecret[],
  keyEntries: KeyEntries,
  findings: Finding[],
  now: number | undefined,
): Pick<Plan, 'secrets' | 'expected'> {
  const secrets = new Map<string, Fields>();
  const expected: SecretUse[] = [];
  for (const { from, manifest } of objects) {
    const tell = (path: readonly (string | number)[], told: Told): void =>
      void findings.push(findingOf(from, path, told));
    for (const use of secretUses({ from, manifest })) {
      const secret = findGiven(given, from, use.name);
      const keyEntry = use.use === 'account key' ? keyEntries.get(from) : undefined;
      if (keyEntry !== undefined && textOf(secret, keyEntry) === undefined)
        tell(keyEntryPath, copyEntry(use, keyEntry));
      if (secret === undefined) {
        if (!expected.some(({ namespace, name }) => namespace === use.namespace && name === use.name))
          expected.push(use);
        continue;
      }
      const namespace = from.kind === 'ClusterIssuer' ? defaultNamespace : use.namespace;
      const path = `${namespace ?? defaultNamespace}/${use.name}`;
      if (use.use === 'certificate') {
        const again = whyIssuedAgain(secret, manifest.spec as CertificateSpec, now ?? 0);
        if (again !== undefined) tell(['spec', 'secretName'], again);
      } else if (from.kind === 'ClusterIssuer' && secret.namespace !== defaultNamespace && !secrets.has(path))
        tell([], inDefault(secret));
      if (!secrets.has(path) || keyEntry !== undefined)
        secrets.set(
          path,
          secretManifest(secret, namespace, {
            adopt: use.use === 'certificate',
            ...(keyEntry !== undefined && { keyEntry }),
          }),
        );
    }
  }
  return { secrets: [...secrets.values()], expected };
}

/** The Secrets that one of our objects refers to. */
export function secretUses({ from, manifest }: Taken): readonly SecretUse[] {
  if (from.kind !== 'Certificate') return secretsOfIssuer(manifest, from);
  const { secretName } = manifest.spec as { secretName?: string };
  return typeof secretName === 'string' ? [{ namespace: from.namespace, name: secretName, use: 'certificate' }] : [];
}

const keyEntryPath = ['spec', 'acme', 'privateKeySecretRef', 'key'];

function copyEntry({ namespace, name }: SecretUse, entry: string): Told {
  const at = `-n ${namespace ?? defaultNamespace} secret ${name}`;
  const value = `$(kubectl get ${at} -o jsonpath='{.data.${entry.replaceAll('.', '\\.')}}')`;
  return {
    level: 'left-out',
    why: `zoneproof reads the account key from entry "tls.key", not from ${JSON.stringify(entry)}.`,
    todo: `Copy it, or a new account is made: kubectl patch ${at} --type=merge -p "{\\"data\\":{\\"tls.key\\":\\"${value}\\"}}"`,
  };
}

function inDefault({ namespace = defaultNamespace, name }: GivenSecret): Told {
  return {
    level: 'note',
    why: `Its Secret ${namespace}/${name} is written into namespace ${defaultNamespace}, where a standalone zoneproof looks for those of ClusterIssuers.`,
    todo: 'For Kubernetes import without Secrets: there they stay where they are.',
  };
}
