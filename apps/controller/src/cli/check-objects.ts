import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestObject } from '../manifests/index.ts';
import type { CertificateSpec, Issuer, IssuerSpec, ObjectMeta, Secret } from '../resources/types.ts';
import { readState } from '../store/file-store.ts';
import { secretData } from '../store/index.ts';
import { readSecretDirectory, SecretFiles } from '../store/secret-files.ts';
import type { Store } from '../store/store.ts';

/** The objects of manifests with what the state directory knows of them, read without its lock and never written. */
export interface PlannedObjects extends Pick<Store, 'get' | 'readSecret'> {
  readonly issuers: readonly Issuer[];
  readonly certificates: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly spec: CertificateSpec;
  }[];
}

/** @throws StateDirError when there is a state directory and it cannot be read */
export async function createPlannedObjects(
  objects: readonly ManifestObject[],
  stateDir: string,
  secretsDir: string | undefined,
): Promise<PlannedObjects> {
  const known = existsSync(stateDir) ? (await readState(stateDir)).issuers : [];
  const issuers = objects
    .filter(({ kind }) => kind === 'Issuer' || kind === 'ClusterIssuer')
    .map((object): Issuer => {
      const { kind, namespace, name } = object as ManifestObject & { kind: Issuer['kind'] };
      const before = known.find(
        (one) => one.kind === kind && one.metadata.namespace === namespace && one.metadata.name === name,
      );
      return { kind, metadata: metaOf(object), spec: object.spec as IssuerSpec, status: before?.status ?? {} };
    });
  const secrets = new Map(
    objects
      .filter(({ kind }) => kind === 'Secret')
      .map((object) => [`${object.namespace}/${object.name}`, toSecret(object)]),
  );
  const files = new SecretFiles(stateDir);
  return {
    issuers,
    certificates: objects
      .filter(({ kind }) => kind === 'Certificate')
      .map(({ namespace, name, spec }) => ({ namespace, name, spec: spec as CertificateSpec })),
    get: ((kind: string, namespace: string, name: string) =>
      issuers.find(
        (one) => one.kind === kind && one.metadata.namespace === namespace && one.metadata.name === name,
      )) as PlannedObjects['get'],
    async readSecret(namespace, name) {
      const declared = secrets.get(`${namespace}/${name}`);
      if (declared !== undefined) return declared;
      const mounted =
        secretsDir === undefined ? undefined : await readSecretDirectory(join(secretsDir, name), namespace, name);
      return mounted ?? files.read(namespace, name);
    },
  };
}

function toSecret(object: ManifestObject): Secret {
  const { type, data } = object.spec as { type?: string; data: Readonly<Record<string, Uint8Array>> };
  return { kind: 'Secret', metadata: metaOf(object), ...(type !== undefined && { type }), data: secretData(data) };
}

function metaOf({ namespace, name }: ManifestObject): ObjectMeta {
  return { namespace, name, uid: '', generation: 1, resourceVersion: '0', createdAt: 0 };
}
