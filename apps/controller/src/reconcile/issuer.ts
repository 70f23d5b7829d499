import { isDeepStrictEqual } from 'node:util';
import { generateAccountKey } from '@zoneproof/acme';
import type { CheckItem } from '@zoneproof/core';
import type { Condition, Issuer, IssuerStatus, ObjectKey } from '../resources/types.ts';
import { backoffMs } from './backoff.ts';
import { condition, setCondition } from './conditions.ts';
import { invalidSpec } from './invalid-spec.ts';
import { accountOf, decideIssuer, type IssuerStep, type SeenIssuer } from './issuer-decide.ts';
import { decideRelease, hold, release, seeRelease } from './issuer-release.ts';
import { inOneLine, Problem, reasonOfKind, toProblem } from './problem.ts';
import type { Reason } from './reasons.ts';
import { fraction, type IssuerProvider, type Services } from './services.ts';

const checkTimeoutMs = 15_000;

/** Each finding of a check in the words that an Order would use for the same. */
const reasonOfFailed: Readonly<Record<CheckItem['what'], Reason>> = {
  credentials: 'CredentialsRefused',
  clock: 'CredentialsRefused',
  zones: 'PermissionDenied',
  delegation: 'ActionRequired',
  reachable: 'ProviderUnavailable',
};

interface IssuerMemory {
  obstacle: { readonly retryAt: number; readonly changes: number; readonly tries: number } | undefined;
  checked: SeenIssuer['checked'];
}

/** Keeps the account of each Issuer registered and its providers proven. */
export class IssuerReconciler {
  readonly #services: Services;
  readonly #memory = new Map<string, IssuerMemory>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Works until there is nothing to do; tells when to come again. */
  async reconcile(key: ObjectKey): Promise<number | undefined> {
    const { clock, signal, store } = this.#services;
    const path = `${key.kind}/${key.namespace}/${key.name}`;
    const memory = this.#memory.get(path) ?? { obstacle: undefined, checked: undefined };
    this.#memory.set(path, memory);
    for (;;) {
      const issuer = store.get(key.kind as Issuer['kind'], key.namespace, key.name);
      if (issuer === undefined || signal.aborted) {
        if (issuer === undefined) this.#memory.delete(path);
        return undefined;
      }
      if (issuer.metadata.deletedAt !== undefined) return this.#reconcileDeleted(issuer);
      try {
        const { step, wakeAt } = decideIssuer(await this.#observe(issuer, memory), clock.now());
        if (step === undefined) return wakeAt;
        await this.#act(step, issuer, memory);
      } catch (error) {
        if (signal.aborted) return undefined;
        await this.#noteObstacle(issuer, memory, toProblem(error, clock.now()));
      }
    }
  }

  /** Asks nothing of anybody: its Secrets may be gone already. */
  async #reconcileDeleted(issuer: Issuer): Promise<number | undefined> {
    const { step, wakeAt } = decideRelease(issuer, seeRelease(issuer, this.#services), this.#services.clock.now());
    if (step !== undefined) await release(issuer, step, this.#services);
    return wakeAt;
  }

  async #observe(issuer: Issuer, memory: IssuerMemory): Promise<SeenIssuer> {
    const { sessions, changes } = this.#services;
    const seen = { issuer, obstacle: memory.obstacle, checked: memory.checked, changes: changes() };
    const invalid = invalidSpec(issuer);
    if (invalid !== undefined) return { ...seen, key: invalid };
    try {
      const { key } = await sessions.open(issuer);
      return { ...seen, key: { thumbprint: key.thumbprint } };
    } catch (error) {
      const problem = toProblem(error, this.#services.clock.now());
      return { ...seen, key: problem.reason === 'KeyMissing' ? 'missing' : problem };
    }
  }

  async #act(step: IssuerStep, issuer: Issuer, memory: IssuerMemory): Promise<void> {
    switch (step.do) {
      case 'create-key':
        return this.#createKey(issuer);
      case 'hold':
        return hold(issuer, this.#services);
      case 'register':
        await this.#register(issuer);
        memory.obstacle = undefined;
        return;
      case 'check-providers':
        return this.#checkProviders(issuer, memory);
      case 'show-problem':
        throw step.problem;
    }
  }

  /** The key is stored before it is used, and one that is there is never overwritten. */
  async #createKey(issuer: Issuer): Promise<void> {
    const { run, sessions, store } = this.#services;
    const { pem } = await generateAccountKey();
    await run('issuer.store-account-key', () =>
      store.writeSecret(
        { namespace: sessions.secretNamespace(issuer), name: issuer.spec.acme.privateKeySecretRef.name },
        { type: 'Opaque', data: { 'tls.key': pem } },
        { ifAbsent: true },
      ),
    );
  }

  async #register(issuer: Issuer): Promise<void> {
    const { run, sessions, clock, signal } = this.#services;
    const { acme: client, key } = await sessions.open(issuer);
    const { email, server, termsOfServiceAgreed = true } = issuer.spec.acme;
    const eab = await sessions.externalAccount(issuer);
    const account = await run('issuer.register-account', () =>
      client.ensureAccount(
        {
          termsOfServiceAgreed,
          ...(email === undefined ? {} : { contact: [`mailto:${email}`] }),
          ...(eab === undefined ? {} : { eab }),
        },
        signal,
      ),
    );
    if (account.status !== 'valid')
      throw new Problem(
        'AccountNotValid',
        `The CA says that the account ${account.url} is ${account.status}. Name another Secret in privateKeySecretRef to get a new account.`,
        'change',
      );
    const message = account.created ? `The account ${account.url} was made.` : `The account ${account.url} was found.`;
    await this.#store(issuer, (status) => ({
      ...status,
      acme: {
        accountURL: account.url,
        server,
        keyThumbprint: key.thumbprint,
        ...(account.termsOfService === undefined ? {} : { termsOfService: account.termsOfService }),
        ...(termsOfServiceAgreed ? { termsOfServiceAgreedAt: status.acme?.termsOfServiceAgreedAt ?? clock.now() } : {}),
      },
      conditions: setCondition(
        status.conditions,
        { type: 'Ready', status: 'True', reason: 'AccountRegistered', message },
        issuer.metadata.generation,
        clock.now(),
      ),
    }));
    this.#report(issuer, 'info', 'AccountRegistered', message);
  }

  /** A provider that fails does not hold the others: each has its own line in the status. */
  async #checkProviders(issuer: Issuer, memory: IssuerMemory): Promise<void> {
    const { sessions, changes, clock } = this.#services;
    const checked = { at: clock.now(), generation: issuer.metadata.generation, changes: changes() };
    const providers = await Promise.all((await sessions.providers(issuer)).map((provider) => this.#check(provider)));
    for (const { name, ready, reason, message } of providers) {
      const before = issuer.status.providers?.find((known) => known.name === name);
      if (!ready && before?.message !== message) this.#report(issuer, 'warn', reason as Reason, message);
    }
    memory.checked = checked;
    const next = { ...issuer.status, providers, conditions: withProviders(issuer, providers, clock.now()) };
    // An API server sends the fields of an object in an order of its own.
    if (isDeepStrictEqual(next, issuer.status)) return;
    await this.#store(issuer, (status) => ({
      ...status,
      providers,
      conditions: withProviders({ ...issuer, status }, providers, clock.now()),
    }));
  }

  async #check(
    entry: IssuerProvider | { readonly spec: { readonly name: string }; readonly problem: Error },
  ): Promise<NonNullable<IssuerStatus['providers']>[number]> {
    const { clock, signal } = this.#services;
    const { name } = entry.spec;
    if ('problem' in entry) {
      const { reason, message } = toProblem(entry.problem, clock.now());
      return { name, block: '', ready: false, reason, message };
    }
    const { bound } = entry;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]);
    const items = await bound.provider
      .check({ signal: deadline, deadlineAt: clock.now() + checkTimeoutMs, permit: async () => {} })
      .catch((error): readonly CheckItem[] => [
        { what: 'reachable', result: 'failed', detail: toProblem(error, clock.now()).message },
      ]);
    const failed = items.find(({ result }) => result === 'failed');
    const told = failed ?? items.find(({ result }) => result === 'warning');
    return {
      name,
      block: bound.displayName,
      ready: failed === undefined,
      reason: failed === undefined ? 'ProviderReady' : reasonOf(failed),
      message: inOneLine(told?.detail ?? 'The provider answered its check.'),
    };
  }

  async #noteObstacle(issuer: Issuer, memory: IssuerMemory, problem: Problem): Promise<void> {
    const { clock, random, changes } = this.#services;
    const now = clock.now();
    const tries = (memory.obstacle?.tries ?? 0) + 1;
    const pauseMs = problem.cure === 'retry' ? backoffMs(tries, 1_000, 300_000, fraction(random)) : 60_000;
    memory.obstacle = { tries, changes: changes(), retryAt: Math.max(now + pauseMs, problem.retryAt ?? 0) };
    const { reason, message } = problem;
    const before = issuer.status.conditions?.find(({ type }) => type === 'Ready');
    if (before?.message !== message) this.#report(issuer, 'warn', reason, message, memory.obstacle.retryAt);
    const isRegistered = accountOf(issuer) !== undefined;
    // A CA that does not answer now has not lost the account.
    if (isRegistered && problem.cure === 'retry') return;
    await this.#store(issuer, (status) => ({
      ...status,
      conditions: setCondition(
        status.conditions,
        { type: 'Ready', status: 'False', reason, message },
        issuer.metadata.generation,
        now,
      ),
    }));
  }

  async #store(issuer: Issuer, change: (status: IssuerStatus) => IssuerStatus): Promise<void> {
    const { namespace, name } = issuer.metadata;
    await this.#services.run('issuer.store-status', () =>
      this.#services.store.updateStatus(issuer.kind, namespace, name, (current) => change(current.status)),
    );
  }

  #report(issuer: Issuer, level: 'info' | 'warn', reason: Reason, message: string, retryAt?: number): void {
    const { namespace, name } = issuer.metadata;
    const told = { level, kind: issuer.kind, namespace, name, reason, message };
    this.#services.report(retryAt === undefined ? told : { ...told, retryAt });
  }
}

/** The conditions after the check of all providers, which also says that Ready is about the spec as it is now. */
function withProviders(
  { metadata, status }: Pick<Issuer, 'metadata' | 'status'>,
  providers: NonNullable<IssuerStatus['providers']>,
  now: number,
): readonly Condition[] {
  const ready = condition(status.conditions, 'Ready');
  const current =
    ready === undefined
      ? status.conditions
      : setCondition(status.conditions, { ...ready, reason: ready.reason as Reason }, metadata.generation, now);
  const failing = providers.filter((provider) => !provider.ready);
  const [first] = failing;
  const state =
    first === undefined
      ? ({ status: 'True', reason: 'ProviderReady', message: 'All providers answered their checks.' } as const)
      : ({
          status: 'False',
          reason: first.reason as Reason,
          message: failing.map(({ name, message }) => `${name}: ${message}`).join(' '),
        } as const);
  return setCondition(current, { type: 'ProvidersReady', ...state }, metadata.generation, now);
}

/** `aborted` is a check that was out of time, so that nothing answered. */
function reasonOf({ what, kind = 'aborted', denied = false }: CheckItem): Reason {
  if (denied) return 'AddressNotAllowed';
  return kind === 'aborted' ? reasonOfFailed[what] : reasonOfKind(kind);
}
