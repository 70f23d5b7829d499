import { join } from 'node:path';
import { adoptAnnotation, isHandedOver } from '../resources/adopt.ts';
import { orderLabel } from '../resources/names.ts';
import type { Secret } from '../resources/types.ts';
import type { MeasureWrite } from './observe-writes.ts';
import { OrderKeys } from './order-keys.ts';
import { readSecretDirectory, SecretFiles } from './secret-files.ts';
import { ForeignSecretError, type NewMeta, type SecretContent } from './store.ts';

/**
 * Secrets from everywhere: those that people give, by manifest or as mounted files, come first and are never written;
 * then those that zoneproof makes; last those that were handed over, which are the first version of what it makes.
 */
export class FileSecrets {
  readonly #secretsDir: string | undefined;
  readonly #files: SecretFiles;
  readonly #orderKeys: OrderKeys;
  readonly #measure: MeasureWrite;
  readonly #writes = new Map<string, Promise<void>>();
  #declared: ReadonlyMap<string, Secret> = new Map();
  #handedOver: ReadonlyMap<string, Secret> = new Map();

  private constructor(stateDir: string, secretsDir: string | undefined, orderKeys: OrderKeys, measure: MeasureWrite) {
    this.#secretsDir = secretsDir;
    this.#files = new SecretFiles(stateDir);
    this.#orderKeys = orderKeys;
    this.#measure = measure;
  }

  /** @throws StateDirError */
  static async open(stateDir: string, secretsDir: string | undefined, measure: MeasureWrite): Promise<FileSecrets> {
    return new FileSecrets(stateDir, secretsDir, await OrderKeys.open(stateDir), measure);
  }

  /** Replaces the Secrets of the manifests. */
  declare(secrets: readonly Secret[]): void {
    const byPath = (some: readonly Secret[]): ReadonlyMap<string, Secret> =>
      new Map(some.map((secret) => [`${secret.metadata.namespace}/${secret.metadata.name}`, secret]));
    this.#declared = byPath(secrets.filter(({ metadata }) => !isHandedOver(metadata)));
    this.#handedOver = byPath(secrets.filter(({ metadata }) => isHandedOver(metadata)));
  }

  async read(namespace: string, name: string): Promise<Secret | undefined> {
    return (
      (await this.#readGiven(namespace, name)) ??
      this.#orderKeys.read(namespace, name) ??
      (await this.#files.read(namespace, name)) ??
      this.#handedOver.get(`${namespace}/${name}`)
    );
  }

  /**
   * One write of a Secret after the other: two that find it missing must not both make it.
   *
   * @param isGone tells whether the owner of a Secret does not exist any more, so that another may have it
   * @throws ForeignSecretError
   */
  async write(meta: NewMeta, content: SecretContent, ifAbsent: boolean, isGone: IsGone): Promise<'written' | 'exists'> {
    const path = `${meta.namespace}/${meta.name}`;
    const before = this.#writes.get(path) ?? Promise.resolve();
    const write = before.then(() => this.#write(meta, content, ifAbsent, isGone));
    const ended = write.then(
      () => undefined,
      () => undefined,
    );
    this.#writes.set(path, ended);
    try {
      return await write;
    } finally {
      if (this.#writes.get(path) === ended) this.#writes.delete(path);
    }
  }

  async #write(
    meta: NewMeta,
    content: SecretContent,
    ifAbsent: boolean,
    isGone: IsGone,
  ): Promise<'written' | 'exists'> {
    const { namespace, name, owner, labels } = meta;
    if (ifAbsent && (await this.read(namespace, name)) !== undefined) return 'exists';
    await this.check(meta, isGone);
    await this.#measure('Secret', () =>
      owner !== undefined && labels?.[orderLabel] !== undefined
        ? this.#orderKeys.write({ ...meta, owner, labels }, content)
        : this.#files.write(meta, content),
    );
    return 'written';
  }

  /** @throws ForeignSecretError when the Secret exists and is not the owner's to write */
  async check(meta: NewMeta, isGone: IsGone): Promise<void> {
    const { namespace, name, owner } = meta;
    if ((await this.#readGiven(namespace, name)) !== undefined)
      throw foreign(meta, 'is given by a manifest or in the secrets directory');
    const existing = await this.read(namespace, name);
    if (existing === undefined || isHandedOver(existing.metadata)) return;
    const { owner: before, labels } = existing.metadata;
    const isOurs = before?.kind === owner?.kind && before?.name === owner?.name;
    // The key of an Order has its Certificate for an owner, too, and is not the Certificate's Secret for that.
    const isSameUse = labels?.[orderLabel] === meta.labels?.[orderLabel];
    if ((isOurs && isSameUse) || (before !== undefined && isGone(before))) return;
    throw foreign(meta, `belongs to ${before === undefined ? 'something else' : `${before.kind} ${before.name}`}`);
  }

  async remove(namespace: string, name: string): Promise<void> {
    await this.#measure('Secret', async () => {
      if (!(await this.#orderKeys.remove(namespace, name))) await this.#files.remove(namespace, name);
    });
  }

  close(): Promise<void> {
    return this.#orderKeys.close();
  }

  async #readGiven(namespace: string, name: string): Promise<Secret | undefined> {
    const declared = this.#declared.get(`${namespace}/${name}`);
    if (declared !== undefined || this.#secretsDir === undefined) return declared;
    return readSecretDirectory(join(this.#secretsDir, name), namespace, name);
  }
}

type IsGone = (owner: NonNullable<NewMeta['owner']>) => boolean;

function foreign({ namespace, name }: NewMeta, why: string): ForeignSecretError {
  return new ForeignSecretError(
    `Secret ${namespace}/${name} ${why} and is not overwritten. Give the certificate another secretName, or hand the Secret over by the annotation ${adoptAnnotation}: "true".`,
  );
}
