import {
  type CertificateFacts,
  certificateFacts,
  createCertificateKey,
  renewalTime,
  renewBeforeProblem,
  verifyCertificate,
} from '@zoneproof/acme';
import type { Certificate, CertificateStatus, Condition, ObjectKey, Order } from '../resources/types.ts';
import { ConflictError } from '../store/index.ts';
import { nextIssuanceMs } from './backoff.ts';
import {
  type CertificateStep,
  decideCertificate,
  isReady,
  issuedForAnnotation,
  type SeenCertificate,
  type Shown,
  type Stored,
  validity,
} from './certificate-decide.ts';
import { setCondition } from './conditions.ts';
import { whyForeignUnfit } from './foreign-certificate.ts';
import { issuanceHash, orderKeyName, orderName } from './issuance.ts';
import { cleanupFinalizer } from './order-act.ts';
import { type Problem, toProblem } from './problem.ts';
import type { Reason } from './reasons.ts';
import { parseRenewBefore } from './renew-before.ts';
import { fraction, type Report, type Services } from './services.ts';

/** The Secret of a Certificate at rest is looked at again at this pace, in case someone damaged or deleted it. */
const resyncMs = 600_000;
const retryMs = 30_000;

/** What the conditions of a Certificate say. */
interface Picture {
  readonly ready: boolean;
  readonly issuing: boolean;
  readonly problem: Shown;
}

/** Keeps one certificate in its Secret current: begins Orders, takes what they deliver, renews in time. */
export class CertificateReconciler {
  readonly #services: Services;
  /** What the Secrets held when they were last read; a read and a parse for each look would cost more than all else. */
  readonly #stored = new Map<string, { readonly at: number; readonly version: string; readonly stored: Stored }>();

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
        await this.#act(step, seen);
        if (step.do === 'show') return Math.min(wakeAt ?? Number.POSITIVE_INFINITY, clock.now() + resyncMs);
      } catch (error) {
        if (signal.aborted) return undefined;
        return this.#noteObstacle(key, toProblem(error, clock.now()));
      }
    }
  }

  /** Reads the Secret again at the next look. */
  forget(key: ObjectKey): void {
    this.#stored.delete(`${key.namespace}/${key.name}`);
  }

  async #observe(key: ObjectKey): Promise<SeenCertificate | undefined> {
    const { store } = this.#services;
    const certificate = store.get('Certificate', key.namespace, key.name);
    if (certificate === undefined) {
      this.forget(key);
      return undefined;
    }
    const { kind = 'Issuer', name } = certificate.spec.issuerRef;
    const running = certificate.status.order;
    const orders = store.ordersOf(certificate);
    return {
      certificate,
      issuer: store.get(kind, kind === 'ClusterIssuer' ? '' : key.namespace, name),
      stored: await this.#readStored(certificate),
      order: orders.find((order) => order.metadata.name === running),
      formerOrders: orders.filter((order) => order.metadata.name !== running),
    };
  }

  async #readStored(certificate: Certificate): Promise<Stored> {
    const { namespace, name, generation } = certificate.metadata;
    const version = this.#version(generation);
    const now = this.#services.clock.now();
    const known = this.#stored.get(`${namespace}/${name}`);
    if (known !== undefined && known.version === version && now - known.at < resyncMs) return known.stored;
    const stored = await readCertificate(certificate, this.#services);
    this.#remember(certificate, stored);
    return stored;
  }

  #remember({ metadata }: Certificate, stored: Stored): void {
    const { namespace, name, generation } = metadata;
    const at = this.#services.clock.now();
    this.#stored.set(`${namespace}/${name}`, { at, version: this.#version(generation), stored });
  }

  #version(generation: number): string {
    return `${generation} ${this.#services.changes()}`;
  }

  async #act(step: CertificateStep, seen: SeenCertificate): Promise<void> {
    const { run, store } = this.#services;
    const { certificate } = seen;
    const { namespace, name } = certificate.metadata;
    switch (step.do) {
      case 'begin': {
        const issuance = (certificate.status.issuance ?? 0) + 1;
        const order = orderName(certificate, issuance);
        this.#report(certificate, 'Issuing', step.why);
        const problem = { reason: 'Issuing', message: `Order ${order} is under way.` } as const;
        const ready = isReady(seen, this.#services.clock.now());
        const conditions = this.#conditions(certificate, { ready, issuing: true, problem });
        await run('certificate.store-issuance', () =>
          store.updateStatus('Certificate', namespace, name, ({ status }) => ({
            ...status,
            issuance,
            order,
            conditions,
          })),
        );
        return;
      }
      case 'create-order':
        return this.#createOrder(certificate);
      case 'store-certificate':
        return this.#storeCertificate(certificate, step.order);
      case 'record-failure':
        return this.#recordFailure(certificate, step.order);
      case 'drop-order':
        await run('certificate.delete-order', () =>
          store.delete({ kind: 'Order', namespace, name: step.order.metadata.name }),
        );
        await this.#update(certificate, ({ order: _dropped, ...status }) => status);
        return;
      case 'drop-former-orders':
        await run('certificate.delete-order', () =>
          Promise.all(
            step.orders.map((order) => store.delete({ kind: 'Order', namespace, name: order.metadata.name })),
          ),
        );
        return;
      case 'adopt':
        await this.#takeOver(certificate);
        await this.#update(certificate, ({ renewBefore: _before, ...status }) => ({
          ...status,
          ...dates(certificate, step.facts, step.renewAt),
          issuedFor: issuanceHash(certificate.spec),
        }));
        return;
      case 'show':
        return this.#show(certificate, step);
    }
  }

  /** The Secret may be that of a Certificate which is gone, or one that was handed over. @throws ForeignSecretError when it is not */
  async #takeOver({ spec, metadata }: Certificate): Promise<void> {
    const { run, store } = this.#services;
    const { namespace, name, uid } = metadata;
    const secret = await store.readSecret(namespace, spec.secretName);
    const before = secret?.metadata.owner;
    if (secret === undefined || (before?.kind === 'Certificate' && before.name === name)) return;
    const data = Object.fromEntries(secret.data.entries().map((entry) => [entry, secret.data.get(entry) ?? '']));
    await run('certificate.store-certificate', () =>
      store.writeSecret(
        { namespace, name: spec.secretName, owner: { kind: 'Certificate', name, uid } },
        { type: secret.type ?? 'kubernetes.io/tls', data },
      ),
    );
  }

  /** The key is stored before the Order that will use it, and a key that is there is never replaced. */
  async #createOrder(certificate: Certificate): Promise<void> {
    const { run, store } = this.#services;
    const { spec, metadata, status } = certificate;
    const { namespace } = metadata;
    const order = status.order as string;
    const keyName = orderKeyName(order);
    const owner = { kind: 'Order', name: order, uid: '' } as const;
    const keyPem = await this.#newKey(certificate);
    await run('certificate.store-key', () =>
      store.writeSecret(
        { namespace, name: keyName, owner },
        { type: 'Opaque', data: { 'tls.key': keyPem } },
        { ifAbsent: true },
      ),
    );
    const { kind = 'Issuer', name } = spec.issuerRef;
    try {
      await run('certificate.create-order', () =>
        store.createOrder(
          {
            namespace,
            name: order,
            finalizers: [cleanupFinalizer],
            owner: { kind: 'Certificate', name: metadata.name, uid: metadata.uid },
            annotations: { [issuedForAnnotation]: issuanceHash(spec) },
          },
          {
            dnsNames: spec.dnsNames,
            issuerRef: { kind, name },
            privateKeySecretName: keyName,
            ...(spec.dns01 === undefined ? {} : { dns01: spec.dns01 }),
          },
        ),
      );
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }

  async #newKey({ spec, metadata }: Certificate): Promise<string> {
    const { algorithm = 'ECDSA', size, rotationPolicy = 'Always' } = spec.privateKey ?? {};
    if (rotationPolicy === 'Never') {
      const secret = await this.#services.store.readSecret(metadata.namespace, spec.secretName);
      const key = secret?.data.get('tls.key');
      if (key !== undefined) return Buffer.from(key).toString('utf8');
    }
    return createCertificateKey({ algorithm, ...(size === undefined ? {} : { size }) });
  }

  /** The status comes last: what a crash cut off is done again, and no copy of the key stays behind. */
  async #storeCertificate(certificate: Certificate, order: Order): Promise<void> {
    const { run, store } = this.#services;
    const { namespace, name, uid } = certificate.metadata;
    const { secretName } = certificate.spec;
    const { privateKeySecretName } = order.spec;
    const chain = order.status.certificate as string;
    const keyPem = (await store.readSecret(namespace, privateKeySecretName))?.data.get('tls.key');
    if (keyPem !== undefined) {
      await run('certificate.store-certificate', () =>
        store.writeSecret(
          { namespace, name: secretName, owner: { kind: 'Certificate', name, uid } },
          { type: 'kubernetes.io/tls', data: { 'tls.crt': chain, 'tls.key': keyPem, 'ca.crt': issuerChain(chain) } },
        ),
      );
      await run('certificate.delete-key', () =>
        store.delete({ kind: 'Secret', namespace, name: privateKeySecretName }),
      );
    } else if (!(await this.#holds(certificate, chain)))
      return this.#recordFailure(certificate, order, {
        reason: 'KeyMissing',
        message: `The private key of Order ${order.metadata.name} is gone; a new certificate will be asked for.`,
      });
    // Names, key, chain and dates were verified before the Order was called valid.
    const facts = certificateFacts(chain);
    const stored = { state: 'present', facts, ...renewalOf(certificate, facts) } as const;
    this.#remember(certificate, stored);
    // Before the status says that all is done: a crash in between runs it once more rather than never.
    this.#services.issued(certificate);
    const shown = validity(stored, stored.renewAt);
    await this.#update(
      certificate,
      ({ order: _done, lastFailure: _cured, renewRequestedAt: _met, renewBefore: _before, ...status }) => ({
        ...status,
        ...dates(certificate, facts, stored.renewAt),
        issuedFor: order.metadata.annotations?.[issuedForAnnotation] ?? issuanceHash(certificate.spec),
        conditions: this.#conditions(certificate, { ready: true, issuing: false, problem: shown }),
      }),
    );
    this.#report(certificate, 'Issued', shown.message);
  }

  /** Whether the Certificate's Secret has this chain, from before a crash. */
  async #holds({ metadata, spec }: Certificate, chain: string): Promise<boolean> {
    const secret = await this.#services.store.readSecret(metadata.namespace, spec.secretName);
    const held = secret?.data.get('tls.crt');
    return held !== undefined && Buffer.from(held).toString('utf8') === chain;
  }

  async #recordFailure(
    certificate: Certificate,
    order: Order,
    why: { readonly reason: string; readonly message: string; readonly retryAt?: number } | undefined = order.status
      .failure,
  ): Promise<void> {
    const now = this.#services.clock.now();
    const issuedFor = order.metadata.annotations?.[issuedForAnnotation] ?? issuanceHash(certificate.spec);
    const before = certificate.status.lastFailure;
    const count = before?.issuedFor === issuedFor ? before.count + 1 : 1;
    const retryAt = Math.max(now + nextIssuanceMs(count, fraction(this.#services.random)), why?.retryAt ?? 0);
    const { reason = 'OrderInvalid', message = 'The Order failed.' } = why ?? {};
    await this.#update(certificate, ({ order: _failed, renewRequestedAt: _tried, ...status }) => ({
      ...status,
      lastFailure: { at: now, count, reason, message, retryAt, issuedFor },
    }));
    const told = `Order ${order.metadata.name} failed: ${message}`;
    this.#report(certificate, reason as Reason, told, { level: 'warn', retryAt });
  }

  async #show(certificate: Certificate, shown: Picture): Promise<void> {
    const conditions = this.#conditions(certificate, shown);
    if (conditions === certificate.status.conditions) return;
    await this.#update(certificate, (status) => ({ ...status, conditions }));
  }

  #conditions({ metadata, status }: Certificate, { ready, issuing, problem }: Picture): readonly Condition[] {
    const now = this.#services.clock.now();
    const { reason, message } = problem;
    const states = [
      { type: 'Ready', status: ready ? 'True' : 'False', reason, message },
      { type: 'Issuing', status: issuing ? 'True' : 'False', reason, message },
    ] as const;
    return states.reduce(
      (conditions: readonly Condition[] | undefined, state) =>
        setCondition(conditions, state, metadata.generation, now),
      status.conditions,
    ) as readonly Condition[];
  }

  async #noteObstacle(key: ObjectKey, problem: Problem): Promise<number> {
    const certificate = this.#services.store.get('Certificate', key.namespace, key.name);
    const now = this.#services.clock.now();
    if (certificate !== undefined) {
      const before = certificate.status.conditions?.find(({ type }) => type === 'Ready');
      const retryAt = problem.retryAt ?? now + retryMs;
      if (before?.message !== problem.message)
        this.#report(certificate, problem.reason, problem.message, { level: 'warn', retryAt });
      const { notAfter = 0, issuedFor } = certificate.status;
      const ready = notAfter > now && issuedFor === issuanceHash(certificate.spec);
      await this.#show(certificate, { ready, issuing: false, problem }).catch(() => undefined);
    }
    return problem.retryAt ?? now + retryMs;
  }

  async #update(certificate: Certificate, change: (status: CertificateStatus) => CertificateStatus): Promise<void> {
    const { namespace, name } = certificate.metadata;
    await this.#services.run('certificate.store-status', () =>
      this.#services.store.updateStatus('Certificate', namespace, name, (current) => change(current.status)),
    );
  }

  #report(
    { metadata }: Certificate,
    reason: Reason,
    message: string,
    more: Pick<Report, 'level' | 'retryAt'> = { level: 'info' },
  ): void {
    const { namespace, name } = metadata;
    this.#services.report({ ...more, kind: 'Certificate', namespace, name, reason, message });
  }
}

async function readCertificate(certificate: Certificate, { store, clock }: Services): Promise<Stored> {
  const { namespace } = certificate.metadata;
  const secret = await store.readSecret(namespace, certificate.spec.secretName);
  const chain = secret?.data.get('tls.crt');
  const key = secret?.data.get('tls.key');
  if (secret === undefined || (chain === undefined && key === undefined)) return { state: 'missing' };
  if (chain === undefined || key === undefined) return { state: 'damaged', why: 'lacks its key or its chain' };
  try {
    const [pemChain, keyPem] = [Buffer.from(chain).toString('utf8'), Buffer.from(key).toString('utf8')];
    const facts = verifyCertificate({ pemChain, keyPem, names: certificateFacts(pemChain).names, now: clock.now() });
    const { owner, annotations = {} } = secret.metadata;
    const unfit = owner === undefined ? whyForeignUnfit(pemChain, annotations, certificate.spec) : undefined;
    return { state: 'present', facts, ...renewalOf(certificate, facts), ...(unfit === undefined ? {} : { unfit }) };
  } catch (error) {
    return { state: 'damaged', why: `cannot be used (${(error as Error).message})` };
  }
}

function renewalOf(
  { spec }: Certificate,
  facts: CertificateFacts,
): { readonly renewAt: number; readonly warning?: string } {
  const renewBefore = spec.renewBefore === undefined ? undefined : parseRenewBefore(spec.renewBefore);
  const warning = renewBefore === undefined ? undefined : renewBeforeProblem(facts, renewBefore);
  return { renewAt: renewalTime(facts, renewBefore), ...(warning === undefined ? {} : { warning }) };
}

function dates({ spec }: Certificate, facts: CertificateFacts, renewAt: number): Partial<CertificateStatus> {
  const { notBefore, notAfter, serial, issuer } = facts;
  const { renewBefore } = spec;
  return { notBefore, notAfter, serial, issuer, renewAt, ...(renewBefore === undefined ? {} : { renewBefore }) };
}

/** The certificates above the leaf. */
function issuerChain(pemChain: string): string {
  const [, ...issuers] = pemChain.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return issuers.length === 0 ? '' : `${issuers.join('\n')}\n`;
}
