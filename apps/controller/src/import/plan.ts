import type { ProviderRegistry } from '@zoneproof/core';
import { convertCertificate } from './certificate.ts';
import { withoutInvalid } from './check.ts';
import type { Finding, Told } from './finding.ts';
import { convertIssuer, findingOf } from './issuer.ts';
import type { ForeignObject, Read } from './objects.ts';
import type { Fields } from './rules.ts';
import { findGiven, type SecretUse, textOf } from './secrets.ts';
import { takeSecrets } from './take-secrets.ts';
import type { Taken } from './taken.ts';

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
  const current = read.objects.filter((object) => isCurrent(object, findings));
  const given = options.inPlace ? [] : read.secrets;
  const converted = current
    .filter(({ kind }) => kind !== 'Certificate')
    .map((from) => convertIssuer(from, ({ name, key }) => textOf(findGiven(read.secrets, from, name), key), findings));
  const keyEntries = new Map(converted.map(({ from, keyEntry }) => [from, keyEntry]));
  const check = (objects: readonly Taken[], isLast: boolean): Promise<readonly Taken[]> =>
    withoutInvalid(
      objects,
      (some) => takeSecrets(some, given, keyEntries, [], options.now).secrets,
      options.registry,
      (from, told) => {
        if (isLast || told.level === 'refused') findings.push(findingOf(from, [], told));
      },
    );
  const issuers = await check(converted.flatMap(takenOf), false);
  const good = converted.map((issuer) =>
    issuers.some(({ from }) => from === issuer.from) ? issuer : { ...issuer, manifest: undefined },
  );
  const certificates = current
    .filter(({ kind }) => kind === 'Certificate')
    .flatMap((from) => takenOf({ from, manifest: convertCertificate(from, good, findings) }));
  const objects = await check([...issuers, ...certificates], true);
  const { secrets, expected } = takeSecrets(objects, given, keyEntries, findings, options.now);
  return { objects, notTaken: notTaken(read.objects, objects), secrets, expected, findings: findings.sort(byPlace) };
}

function takenOf({ from, manifest }: { from: ForeignObject; manifest: Fields | undefined }): readonly Taken[] {
  return manifest === undefined ? [] : [{ from, manifest }];
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
