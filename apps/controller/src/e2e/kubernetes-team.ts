import { createPrivateKey, X509Certificate } from 'node:crypto';
import { orderLabel } from '../resources/names.ts';
import { certificate, issuer, namespace } from './kubernetes-objects.ts';
import type { KubernetesWorld, Plural, SeenObject } from './kubernetes-world.ts';
import { untilNone } from './until-none.ts';

/** Certificates of each team. */
export const names = ['a', 'b', 'c'] as const;

/** A namespace `NAME` with an Issuer, its credentials and three Certificates for names in a zone of its own, `NAME.test`. */
export class Team {
  readonly name: string;
  readonly #world: KubernetesWorld;
  /** All that was ever asked for. */
  readonly #domains = new Set<string>();

  constructor(world: KubernetesWorld, name: string) {
    this.#world = world;
    this.name = name;
  }

  /** Applies all of it. @param dnsNames default: a name and its wildcard */
  async apply(dnsNames: (name: string) => readonly string[] = (name) => this.#apexAndWildcard(name)): Promise<void> {
    for (const domain of names.flatMap(dnsNames)) this.#domains.add(domain.replace(/^\*\./, ''));
    await this.#world.apply([
      namespace(this.name),
      ...issuer(this.#world.real, { namespace: this.name }),
      ...names.map((name) => certificate({ namespace: this.name, name }, dnsNames(name))),
    ]);
  }

  /** Applies all of it; the values are written then, and nothing goes on before {@link follow}. */
  async beginOrders(): Promise<void> {
    this.#world.lag(`${this.name}.test`, true);
    await this.apply();
    await untilNone(`the values of ${this.name}`, async () => {
      const written = await this.#world.real.leftovers(...names.map((name) => `${name}.${this.name}.test`));
      return written.length === 2 * names.length ? [] : [`${written.length} are in the zone`];
    });
  }

  /** The second name server has all by now. */
  follow(): void {
    this.#world.lag(`${this.name}.test`, false);
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.#world.kubectl(['--namespace', this.name, ...args]);
  }

  list(kind: Plural): Promise<readonly SeenObject[]> {
    return this.#world.list(kind, this.name);
  }

  /** Waits until each Certificate has what it declares, and its values are gone. @throws Error with what is not so */
  allWell(ms?: number): Promise<void> {
    return untilNone(`team ${this.name}`, () => this.wrong(), ms);
  }

  /** Waits until nothing of its Orders is left; some of that is written down seconds later. @throws Error with what is left */
  nothingLeft(): Promise<void> {
    return untilNone(`team ${this.name}`, () => this.#left());
  }

  /** Of the certificates in the Secrets. */
  async serials(): Promise<readonly (string | undefined)[]> {
    const secrets = await this.list('secrets');
    return names.map((name) => leafOf(secrets, name)?.serialNumber);
  }

  /** What is not as declared. */
  async wrong(): Promise<readonly string[]> {
    const certificates = await this.list('certificates');
    const unready = names.flatMap((name) => whyUnready(name, certificates));
    if (unready.length > 0) return unready;
    const secrets = await this.list('secrets');
    return [...names.flatMap((name) => whyUnfit(name, certificates, secrets)), ...(await this.#valuesLeft())];
  }

  async #left(): Promise<readonly string[]> {
    const [orders, secrets] = await Promise.all([this.list('orders'), this.list('secrets')]);
    const running = orders.filter(({ status }) => status?.result !== 'valid' || (status.ledger ?? []).length > 0);
    const keys = secrets.filter(({ metadata }) => metadata.labels?.[orderLabel] !== undefined);
    return [
      ...running.map(({ metadata }) => `Order ${metadata.name} is not over`),
      ...keys.map(({ metadata }) => `Secret ${metadata.name}`),
      ...(await this.#valuesLeft()),
    ];
  }

  async #valuesLeft(): Promise<readonly string[]> {
    return (await this.#world.real.leftovers(...this.#domains)).map((value) => `TXT ${value}`);
  }

  #apexAndWildcard(name: string): readonly string[] {
    return [`${name}.${this.name}.test`, `*.${name}.${this.name}.test`];
  }
}

function whyUnready(name: string, certificates: readonly SeenObject[]): readonly string[] {
  const { conditions = [] } = certificates.find(({ metadata }) => metadata.name === name)?.status ?? {};
  const [ready, issuing] = ['Ready', 'Issuing'].map((type) => conditions.find((one) => one.type === type));
  return ready?.status === 'True' && issuing?.status === 'False' ? [] : [`${name}: ${ready?.reason} ${ready?.message}`];
}

function whyUnfit(
  name: string,
  certificates: readonly SeenObject[],
  secrets: readonly SeenObject[],
): readonly string[] {
  const leaf = leafOf(secrets, name);
  const key = secrets.find(({ metadata }) => metadata.name === `${name}-tls`)?.data?.['tls.key'] ?? '';
  if (leaf === undefined || key === '') return [`${name}: no certificate`];
  const { dnsNames = [] } = certificates.find(({ metadata }) => metadata.name === name)?.spec ?? {};
  const held = leaf.subjectAltName?.split(', ').sort().join();
  const declared = dnsNames
    .map((domain) => `DNS:${domain}`)
    .sort()
    .join();
  if (held !== declared) return [`${name}: for ${held}`];
  return isPair(leaf, key) ? [] : [`${name}: key and certificate do not belong together`];
}

function leafOf(secrets: readonly SeenObject[], name: string): X509Certificate | undefined {
  const chain = secrets.find(({ metadata }) => metadata.name === `${name}-tls`)?.data?.['tls.crt'];
  try {
    return chain === undefined ? undefined : new X509Certificate(Buffer.from(chain, 'base64'));
  } catch {
    return undefined;
  }
}

function isPair(leaf: X509Certificate, key: string): boolean {
  try {
    return leaf.checkPrivateKey(createPrivateKey(Buffer.from(key, 'base64')));
  } catch {
    return false;
  }
}
