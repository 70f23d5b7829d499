import { adoptAnnotation } from '../resources/adopt.ts';
import type { Secret } from '../resources/index.ts';
import { ForeignSecretError, type NewMeta, type SecretContent, SecretUnreadableError } from '../store/store.ts';
import type { KubeApi, KubeRequest } from './api.ts';
import { isKubeApiError, type KubeApiError } from './api-error.ts';
import { type Attempts, TryAgain } from './attempts.ts';
import { fieldManager } from './object-requests.ts';
import {
  managedByLabel,
  managedByUs,
  readSecretJson,
  type SecretJson,
  type SecretMeta,
  secretJson,
  secretPath,
  whyForeign,
  withoutCertManager,
} from './secret-json.ts';
import type { SecretVersions } from './secret-versions.ts';

export interface SecretsOptions {
  readonly api: KubeApi;
  readonly attempts: Attempts;
  readonly versions: SecretVersions;
  readonly beforeWrite: (() => void) | undefined;
  /** The owner of a Secret does not exist any more, so that another may have it. */
  readonly isGone: (namespace: string, owner: NonNullable<NewMeta['owner']>) => boolean;
}

/** Secrets one by one, by name: nothing of their content is kept here. */
export class Secrets {
  readonly #options: SecretsOptions;

  constructor(options: SecretsOptions) {
    this.#options = options;
  }

  /** @throws SecretUnreadableError */
  async read(namespace: string, name: string): Promise<Secret | undefined> {
    try {
      const json = await this.#get(namespace, name);
      this.#options.versions.seen(namespace, name, json?.metadata);
      return json && readSecretJson(json);
    } catch (error) {
      if (!isKubeApiError(error)) throw error;
      const message = `Secret ${namespace}/${name} cannot be read. ${error.message}`;
      throw new SecretUnreadableError(message, undefined, error.isTransient);
    }
  }

  /** @throws ForeignSecretError, KubeApiError */
  async write(meta: NewMeta, content: SecretContent, ifAbsent: boolean): Promise<'written' | 'exists'> {
    return ifAbsent ? this.#create(meta, content) : this.#apply(meta, content);
  }

  /** @throws ForeignSecretError when a write of this type would, KubeApiError */
  async check(meta: NewMeta, type: string): Promise<void> {
    const { attempts, versions } = this.#options;
    const { namespace, name } = meta;
    const found = await attempts.untilSettled(() => this.#get(namespace, name));
    versions.seen(namespace, name, found?.metadata);
    const why = found && this.#whyForeign(meta, found.metadata);
    if (why !== undefined) throw foreign(meta, why);
    if (found !== undefined && found.type !== type) throw otherType(meta, found);
  }

  /** Deletes a Secret of ours; one of someone else stays. @throws KubeApiError */
  async remove(namespace: string, name: string): Promise<void> {
    const { attempts, versions } = this.#options;
    await attempts.untilSettled(async () => {
      const uid = versions.madeUid(namespace, name) ?? (await this.#uidOfOurs(namespace, name));
      if (uid === undefined) return;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
      try {
        await this.#send({ method: 'DELETE', path: secretPath(namespace, name), body });
      } catch (error) {
        // Another one of that name, which is not the one to go.
        if (!isKubeApiError(error, 'NotFound', 'Conflict')) throw error;
      }
      versions.wrote(namespace, name, undefined);
    });
  }

  #create(meta: NewMeta, content: SecretContent): Promise<'written' | 'exists'> {
    const { attempts, versions } = this.#options;
    const { namespace, name } = meta;
    return attempts.untilSettled(async (wasLost) => {
      try {
        const request = { method: 'POST', path: secretPath(namespace), body: secretJson(meta, content) } as const;
        const made = (await this.#send(request, { fieldManager })) as SecretJson;
        versions.wrote(namespace, name, made.metadata, 'made');
        return 'written';
      } catch (error) {
        if (!isKubeApiError(error, 'AlreadyExists')) throw error;
        const found = wasLost ? await this.#get(namespace, name) : undefined;
        return found !== undefined && hasContent(found, content) ? 'written' : 'exists';
      }
    });
  }

  /**
   * Server-side apply of exactly what was looked at: a Secret that someone makes or changes between the look and the
   * write is a conflict, and looked at again.
   */
  #apply(meta: NewMeta, content: SecretContent): Promise<'written'> {
    const { attempts, versions } = this.#options;
    const { namespace, name } = meta;
    return attempts.untilSettled<'written'>(async () => {
      const seen = (await this.#get(namespace, name))?.metadata;
      const why = seen && this.#whyForeign(meta, seen);
      if (why !== undefined) throw foreign(meta, why);
      const found = await this.#released(seen, meta);
      const request = {
        method: 'PATCH',
        path: secretPath(namespace, name),
        contentType: 'application/apply-patch+yaml',
        body: secretJson(meta, content, found?.resourceVersion),
      } as const;
      // Forced only where the version is pinned: a Secret that just appeared must not lose entries to us.
      const query = { fieldManager, ...(found === undefined ? {} : { force: 'true' }) };
      try {
        const written = (await this.#send(request, query)) as SecretJson;
        versions.wrote(namespace, name, written.metadata);
        return 'written';
      } catch (error) {
        if (!isKubeApiError(error)) throw error;
        if (error.status === 409) throw new TryAgain();
        if (error.status === 422) throw await this.#refused(meta, content, error);
        throw error;
      }
    });
  }

  #whyForeign(meta: NewMeta, found: SecretMeta): string | undefined {
    return whyForeign(found, meta, (before) => this.#options.isGone(meta.namespace, before));
  }

  /** The Secret as it is once cert-manager, which hands it over, owns it no more. @throws TryAgain when it was changed */
  async #released(found: SecretMeta | undefined, { namespace, name }: NewMeta): Promise<SecretMeta | undefined> {
    const ownerReferences = found && withoutCertManager(found);
    if (found === undefined || ownerReferences === undefined) return found;
    const { resourceVersion } = found;
    try {
      const request = {
        method: 'PATCH',
        path: secretPath(namespace, name),
        contentType: 'application/merge-patch+json',
        body: { metadata: { resourceVersion, ownerReferences } },
      } as const;
      return ((await this.#send(request, { fieldManager })) as SecretJson).metadata;
    } catch (error) {
      if (isKubeApiError(error, 'Conflict')) throw new TryAgain();
      throw error;
    }
  }

  /** The type of a Secret cannot be changed, and some Secrets cannot be changed at all. */
  async #refused(meta: NewMeta, content: SecretContent, error: KubeApiError): Promise<Error> {
    const found = await this.#get(meta.namespace, meta.name);
    return found === undefined || found.type === content.type ? error : otherType(meta, found);
  }

  async #uidOfOurs(namespace: string, name: string): Promise<string | undefined> {
    const metadata = (await this.#get(namespace, name))?.metadata;
    return metadata?.labels?.[managedByLabel] === managedByUs ? metadata.uid : undefined;
  }

  /** @throws KubeApiError */
  async metadata(namespace: string, name: string): Promise<SecretMeta | undefined> {
    return (await this.#get(namespace, name, metadataOnly))?.metadata;
  }

  async #get(namespace: string, name: string, accept?: string): Promise<SecretJson | undefined> {
    const { api, attempts } = this.#options;
    const path = secretPath(namespace, name);
    try {
      const request = { method: 'GET', path, signal: attempts.signal, ...(accept && { accept }) } as const;
      return (await api.request(request)) as SecretJson;
    } catch (error) {
      if (isKubeApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #send(request: KubeRequest, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const { api, attempts, beforeWrite } = this.#options;
    return api.request({
      ...request,
      query,
      signal: attempts.signal,
      ...(beforeWrite === undefined ? {} : { beforeSend: beforeWrite }),
    });
  }
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches */
export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const metadataOnlyList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

function hasContent({ data = {} }: SecretJson, content: SecretContent): boolean {
  const entries = Object.entries(content.data);
  return (
    entries.length === Object.keys(data).length &&
    entries.every(([entry, value]) => data[entry] === Buffer.from(value).toString('base64'))
  );
}

function otherType({ namespace, name }: NewMeta, { type }: SecretJson): ForeignSecretError {
  return new ForeignSecretError(
    `Secret ${namespace}/${name} has type ${type}, and no Secret can be given another one. Delete it, or give the certificate another secretName.`,
  );
}

function foreign({ namespace, name }: NewMeta, why: string): ForeignSecretError {
  return new ForeignSecretError(
    `Secret ${namespace}/${name} ${why} and is not overwritten. Give the certificate another secretName, or hand the Secret over by the annotation ${adoptAnnotation}: "true".`,
  );
}
