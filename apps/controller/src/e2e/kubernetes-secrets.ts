import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RunningController } from './kubernetes-controller.ts';
import { groups, type KubernetesWorld, type Plural } from './kubernetes-world.ts';

/** Collects what must not be told, and looks whether it was. */
export class SecretTexts {
  readonly #texts = new Set<string>();

  /** All that Secrets hold now: what is deleted later counts, too. */
  async note({ list }: KubernetesWorld): Promise<void> {
    for (const { data = {} } of await list('secrets'))
      for (const [entry, value] of Object.entries(data))
        if (entry !== 'tls.crt' && entry !== 'ca.crt') this.#add(Buffer.from(value, 'base64').toString());
  }

  /**
   * Where one of them stands: log, metrics, Events, or the objects with their statuses.
   *
   * @param controllers those that ran; the last one runs still
   */
  async told({ list }: KubernetesWorld, controllers: readonly RunningController[]): Promise<readonly string[]> {
    const places: (readonly [string, string])[] = [];
    for (const { kubeconfig, printed } of controllers) {
      this.#addToken(await readFile(kubeconfig, 'utf8'));
      places.push(['log', printed()]);
    }
    places.push(['metrics', (await controllers.at(-1)?.metrics()) ?? '']);
    for (const kind of Object.keys(groups) as Plural[])
      if (kind !== 'secrets') places.push([kind, JSON.stringify(await list(kind))]);
    return places
      .filter(([, text]) => [...this.#texts].some((secret) => text.includes(secret)))
      .map(([place]) => place);
  }

  get size(): number {
    return this.#texts.size;
  }

  #add(text: string): void {
    const value = text.trim();
    if (!value.includes('PRIVATE KEY')) {
      this.#texts.add(value);
      return;
    }
    // Line by line: in JSON there are other line breaks. In the third one of an ECDSA key there is the public half only.
    for (const line of value.split('\n').slice(1, 3)) this.#texts.add(line);
    this.#texts.add(createPrivateKey(value).export({ format: 'jwk' }).d as string);
  }

  #addToken(kubeconfig: string): void {
    const { users } = JSON.parse(kubeconfig) as { readonly users: readonly { readonly user: { token: string } }[] };
    for (const { user } of users) this.#texts.add(user.token);
  }
}
