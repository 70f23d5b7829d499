import type { Certificate, ObjectKey } from '../resources/types.ts';
import { actOnCertificate } from './certificate-act.ts';
import { decideCertificate, type SeenCertificate, type Stored } from './certificate-decide.ts';
import { readStored } from './certificate-secret.ts';
import { reportCertificate, showCertificate } from './certificate-status.ts';
import { invalidSpec } from './invalid-spec.ts';
import { issuanceHash } from './issuance.ts';
import { earliest } from './order-decide.ts';
import { type Problem, toProblem } from './problem.ts';
import type { Services } from './services.ts';

/** The Secret of a Certificate at rest is looked at again at this pace, in case someone damaged or deleted it. */
const resyncMs = 600_000;
const retryMs = 30_000;

/** What a Secret held when it was last read; a read and a parse for each look would cost more than all else. */
interface Known {
  readonly at: number;
  readonly version: string;
  readonly stored: Stored;
  readonly restoredAt?: number;
}

/** Keeps one certificate in its Secret current: begins Orders, takes what they deliver, renews in time. */
export class CertificateReconciler {
  readonly #services: Services;
  readonly #known = new Map<string, Known>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Works until there is nothing to do; tells when to come again. */
  async reconcile(key: ObjectKey): Promise<number | undefined> {
    for (;;) {
      const { clock, signal } = this.#services;
      if (signal.aborted) return undefined;
      try {
        const seen = await this.#observe(key);
        if (seen === undefined) return undefined;
        const { step, wakeAt } = decideCertificate(seen, clock.now());
        const stored = await actOnCertificate(step, seen, this.#services);
        const isRestored = step.do === 'restore-secret' && step.stored.drift === 'other';
        if (stored !== undefined) this.#remember(seen.certificate, stored, isRestored);
        if (step.do === 'show') return earliest(wakeAt, this.#nextLook());
      } catch (error) {
        if (signal.aborted) return undefined;
        return this.#noteObstacle(key, toProblem(error, clock.now()));
      }
    }
  }

  async #observe(key: ObjectKey): Promise<SeenCertificate | undefined> {
    const { store } = this.#services;
    const certificate = store.get('Certificate', key.namespace, key.name);
    if (certificate === undefined || certificate.metadata.deletedAt !== undefined) {
      this.#known.delete(`${key.namespace}/${key.name}`);
      return undefined;
    }
    const invalid = invalidSpec(certificate);
    if (invalid !== undefined) throw invalid;
    const { kind = 'Issuer', name } = certificate.spec.issuerRef;
    const running = certificate.status.order;
    const orders = store.ordersOf(certificate);
    const { stored, restoredAt } = await this.#look(certificate);
    return {
      certificate,
      issuer: store.get(kind, kind === 'ClusterIssuer' ? '' : key.namespace, name),
      stored,
      ...(restoredAt === undefined ? {} : { restoredAt }),
      order: orders.find((order) => order.metadata.name === running),
      formerOrders: orders.filter((order) => order.metadata.name !== running),
    };
  }

  async #look(certificate: Certificate): Promise<Known> {
    const { namespace, name } = certificate.metadata;
    const known = this.#known.get(`${namespace}/${name}`);
    const { store, clock } = this.#services;
    const isFresh =
      known?.version === this.#version(certificate) &&
      (store.secretVersion !== undefined || clock.now() < known.at + resyncMs);
    return isFresh ? known : this.#remember(certificate, await readStored(certificate, this.#services), false);
  }

  #remember(certificate: Certificate, stored: Stored, isRestored: boolean): Known {
    const { namespace, name } = certificate.metadata;
    const at = this.#services.clock.now();
    const restoredAt = isRestored ? at : this.#known.get(`${namespace}/${name}`)?.restoredAt;
    const version = this.#version(certificate);
    const known = { at, version, stored, ...(restoredAt === undefined ? {} : { restoredAt }) };
    this.#known.set(`${namespace}/${name}`, known);
    return known;
  }

  /** Where the store looks after Secrets, it knows their versions; else any change by a person may be one of them. */
  #version({ metadata, spec }: Certificate): string {
    const { store, changes } = this.#services;
    const { namespace, generation } = metadata;
    return `${generation} ${store.secretVersion?.(namespace, spec.secretName) ?? changes()}`;
  }

  #nextLook(): number | undefined {
    const { store, clock } = this.#services;
    return store.secretVersion === undefined ? clock.now() + resyncMs : undefined;
  }

  async #noteObstacle(key: ObjectKey, problem: Problem): Promise<number> {
    const { store, clock } = this.#services;
    const certificate = store.get('Certificate', key.namespace, key.name);
    const now = clock.now();
    const retryAt = problem.retryAt ?? now + retryMs;
    if (certificate === undefined) return retryAt;
    const before = certificate.status.conditions?.find(({ type }) => type === 'Ready');
    if (before?.message !== problem.message)
      reportCertificate(certificate, this.#services, problem.reason, problem.message, { level: 'warn', retryAt });
    const { notAfter = 0, issuedFor } = certificate.status;
    const ready = notAfter > now && issuedFor === issuanceHash(certificate.spec);
    await showCertificate(certificate, { ready, issuing: false, problem }, this.#services).catch(() => undefined);
    return retryAt;
  }
}
