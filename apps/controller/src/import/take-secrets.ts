import { type CertificateSpec, defaultNamespace } from '../resources/index.ts';
import type { Finding, Told } from './finding.ts';
import { findingOf } from './issuer.ts';
import type { ForeignObject, GivenSecret } from './objects.ts';
import type { Fields } from './rules.ts';
import { findGiven, type SecretUse, secretManifest, secretsOfIssuer, textOf, whyIssuedAgain } from './secrets.ts';
import type { Taken } from './taken.ts';

/** Which entry of its Secret holds the account key of an Issuer, where that is not `tls.key`. */
export type KeyEntries = ReadonlyMap<ForeignObject, string | undefined>;

/** The Secrets that our objects need: what was given comes along, the rest has to be there. */
export function takeSecrets(
  objects: readonly Taken[],
  given: readonly GivenSecret[],
  keyEntries: KeyEntries,
  findings: Finding[],
  now: number,
): { readonly secrets: readonly Fields[]; readonly expected: readonly SecretUse[] } {
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
        const again = whyIssuedAgain(secret, manifest.spec as CertificateSpec, now);
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
function secretUses({ from, manifest }: Taken): readonly SecretUse[] {
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
