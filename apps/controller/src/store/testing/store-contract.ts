import { inspect } from 'node:util';
import type { CertificateStatus, ObjectKey, OrderSpec } from '../../resources/types.ts';
import { ConflictError, ForeignSecretError, type NewMeta, type SecretContent, type Store } from '../store.ts';

/** What a person declares: one namespace, all of it. */
export interface Declared {
  readonly certificates?: Readonly<Record<string, { readonly secretName: string }>>;
  readonly secrets?: Readonly<
    Record<string, { readonly annotations?: Readonly<Record<string, string>>; readonly data: Record<string, string> }>
  >;
}

/** A store with one namespace of its own, and the means to look at it from outside. */
export interface StoreHome {
  readonly namespace: string;
  readonly store: Store;
  /** Resolves when the store shows it. */
  declare(declared: Declared): Promise<void>;
  /** Closes the store and opens one on what it has left behind. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export const finalizer = 'zoneproof.dev/dns01-cleanup';

/** The promises of {@link Store} as tests: each home of zoneproof keeps them. */
export function describeStore(title: string, openHome: () => Promise<StoreHome>): void {
  describe(title, () => {
    let home: StoreHome;
    beforeEach(async () => {
      home = await openHome();
    });
    afterEach(() => home.close());

    const certificate = (name = 'www') => home.store.get('Certificate', home.namespace, name);
    const order = (name: string) => home.store.get('Order', home.namespace, name);
    const update = (
      change: (status: CertificateStatus) => CertificateStatus,
      options?: { readonly durable: boolean },
    ) => home.store.updateStatus('Certificate', home.namespace, 'www', ({ status }) => change(status), options);
    const createOrder = async (name: string, meta: Partial<NewMeta> = {}) =>
      home.store.createOrder(
        { namespace: home.namespace, name, ...ownedBy(certificate()?.metadata.uid), ...meta },
        spec,
      );
    const orderKey = (name: string): ObjectKey => ({ kind: 'Order', namespace: home.namespace, name });
    const declareWww = () => home.declare({ certificates: { www: { secretName: 'www-tls' } } });
    const heard = () => {
      const keys: string[] = [];
      const stop = home.store.watch(({ kind, name }) => keys.push(`${kind} ${name}`));
      return { keys, stop };
    };

    test('what is declared is shown, and nothing else', async () => {
      await declareWww();
      expect(certificate()).toMatchObject({ kind: 'Certificate', spec: { secretName: 'www-tls' }, status: {} });
      expect(certificate('mail')).toBeUndefined();
      expect(home.store.list('Certificate').map(({ metadata }) => metadata.name)).toEqual(['www']);
      expect(home.store.list('Order')).toEqual([]);
    });

    test('another spec is a new generation and keeps the status', async () => {
      await declareWww();
      await update(() => ({ serial: '01' }));
      const before = certificate();
      await declareWww();
      expect(certificate()?.metadata.generation).toBe(before?.metadata.generation);
      const { keys } = heard();
      await home.declare({ certificates: { www: { secretName: 'other' } } });
      expect(certificate()).toMatchObject({ spec: { secretName: 'other' }, status: { serial: '01' } });
      expect(certificate()?.metadata.generation).toBe((before?.metadata.generation ?? 0) + 1);
      expect(keys).toContain('Certificate www');
    });

    test('a status is there after a restart, with its instants', async () => {
      await declareWww();
      const status = {
        issuance: 3,
        renewAt: Date.parse('2026-11-21T18:00:00.123Z'),
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Issued',
            message: 'Valid.',
            observedGeneration: 1,
            lastTransitionAt: 1_763_748_000_000,
          },
        ],
      } as const;
      expect((await update(() => status))?.status).toEqual(status);
      expect(certificate()?.status).toEqual(status);
      await home.reopen();
      expect(certificate()?.status).toEqual(status);
    });

    test('what a status does not have any more is gone from it', async () => {
      await declareWww();
      await update(() => ({ issuance: 1, order: 'www-1' }));
      await update(({ order: _dropped, ...status }) => status);
      expect(certificate()?.status).toEqual({ issuance: 1 });
      await home.reopen();
      expect(certificate()?.status).toEqual({ issuance: 1 });
    });

    test('concurrent changes of one object are all kept', async () => {
      await declareWww();
      const count = ({ issuance = 0, ...status }: CertificateStatus) => ({ ...status, issuance: issuance + 1 });
      await Promise.all(Array.from({ length: 50 }, () => update(count)));
      expect(certificate()?.status.issuance).toBe(50);
      await home.reopen();
      expect(certificate()?.status.issuance).toBe(50);
    });

    test('a change that changes nothing is no write and no news; one that throws harms no other', async () => {
      await declareWww();
      await update(() => ({ issuance: 1 }));
      const before = certificate()?.metadata.resourceVersion;
      const { keys } = heard();
      expect((await update((status) => status))?.metadata.resourceVersion).toBe(before);
      expect(keys).toEqual([]);
      const results = await Promise.allSettled([
        update(() => {
          throw new Error('refused by the caller');
        }),
        update((status) => ({ ...status, issuance: 2 })),
      ]);
      expect(results).toMatchObject([{ status: 'rejected', reason: { message: 'refused by the caller' } }, {}]);
      expect(certificate()?.status.issuance).toBe(2);
    });

    test('a change of what is not there changes nothing', async () => {
      expect(await update(() => ({ issuance: 1 }))).toBeUndefined();
      expect(await update(() => ({ issuance: 1 }), { durable: false })).toBeUndefined();
    });

    test('each change of a status is told once, until the listener goes', async () => {
      await declareWww();
      const { keys, stop } = heard();
      await update(() => ({ issuance: 1 }));
      await update(() => ({ issuance: 2 }), { durable: false });
      await update((status) => ({ ...status, order: 'www-2' }));
      expect(keys).toEqual(['Certificate www', 'Certificate www', 'Certificate www']);
      stop();
      await update(() => ({ issuance: 3 }));
      expect(keys).toHaveLength(3);
    });

    test('news of an object that is gone is no news of the next one of its name', async () => {
      await declareWww();
      const told = (name: string) =>
        home.store.updateStatus('Order', home.namespace, name, (one) => ({ ...one.status, result: 'valid' }), {
          durable: false,
        });
      await createOrder('www-1');
      await told('www-1');
      await home.store.delete(orderKey('www-1'));
      await createOrder('www-1');
      expect(order('www-1')?.status).toEqual({});
      await home.store.updateStatus('Order', home.namespace, 'www-1', () => ({ accountURL: 'a' }));
      expect(order('www-1')?.status).toEqual({ accountURL: 'a' });
      await home.reopen();
      expect(order('www-1')?.status).toEqual({ accountURL: 'a' });
    });

    test('news that is not durable is shown at once, goes with the next durable change, and is not lost on closing', async () => {
      await declareWww();
      const count = ({ issuance = 0, ...status }: CertificateStatus) => ({ ...status, issuance: issuance + 1 });
      expect((await update(count, { durable: false }))?.status.issuance).toBe(1);
      await update(count, { durable: false });
      expect(certificate()?.status.issuance).toBe(2);
      expect(home.store.list('Certificate')[0]?.status.issuance).toBe(2);
      expect((await update((status) => ({ ...count(status), order: 'www-1' })))?.status).toEqual({
        issuance: 3,
        order: 'www-1',
      });
      await update(count, { durable: false });
      await home.reopen();
      expect(certificate()?.status).toEqual({ issuance: 4, order: 'www-1' });
    });

    test('an Order is there when its creation resolves, is made once, and belongs to its Certificate', async () => {
      await declareWww();
      const { keys } = heard();
      const created = await createOrder('www-1', { finalizers: [finalizer], annotations: { a: 'b' } });
      expect(order('www-1')).toEqual(created);
      expect(created).toMatchObject({
        kind: 'Order',
        metadata: { finalizers: [finalizer], annotations: { a: 'b' }, owner: { kind: 'Certificate', name: 'www' } },
        spec,
        status: {},
      });
      expect(keys).toEqual(['Order www-1']);
      await expect(createOrder('www-1')).rejects.toThrow(ConflictError);
      const www = certificate();
      expect(www && home.store.ordersOf(www).map(({ metadata }) => metadata.name)).toEqual(['www-1']);
      const mail = { ...(www as NonNullable<typeof www>), metadata: { ...www?.metadata, name: 'mail' } as never };
      expect(home.store.ordersOf(mail)).toEqual([]);
    });

    test('a deleted Order waits for its finalizer; without one it goes at once', async () => {
      await declareWww();
      await createOrder('www-1', { finalizers: [finalizer] });
      await createOrder('www-2');
      await home.store.delete(orderKey('www-1'));
      await home.store.delete(orderKey('www-2'));
      await home.store.delete(orderKey('never-was'));
      expect(order('www-1')?.metadata.deletedAt).toEqual(expect.any(Number));
      expect(order('www-2')).toBeUndefined();
      await home.store.updateStatus('Order', home.namespace, 'www-1', () => ({ accountURL: 'https://ca.test/1' }));
      await home.store.removeFinalizer(orderKey('www-1'), 'another/one');
      expect(order('www-1')).toMatchObject({ status: { accountURL: 'https://ca.test/1' } });
      await home.store.removeFinalizer(orderKey('www-1'), finalizer);
      expect(order('www-1')).toBeUndefined();
      await home.reopen();
      expect(home.store.list('Order')).toEqual([]);
    });

    test('a finalizer that is removed before the deletion lets it go at once', async () => {
      await declareWww();
      await createOrder('www-1', { finalizers: [finalizer] });
      await home.store.removeFinalizer(orderKey('www-1'), finalizer);
      expect(order('www-1')?.metadata.finalizers ?? []).toEqual([]);
      await home.store.delete(orderKey('www-1'));
      expect(order('www-1')).toBeUndefined();
      await home.store.removeFinalizer(orderKey('www-1'), finalizer);
    });

    test('a finalizer is added once, and not to what is being deleted or gone', async () => {
      await declareWww();
      await createOrder('www-1', { finalizers: [finalizer] });
      await home.store.addFinalizer(orderKey('www-1'), 'zoneproof.dev/second');
      const before = order('www-1');
      expect(before?.metadata.finalizers).toEqual([finalizer, 'zoneproof.dev/second']);
      await home.store.addFinalizer(orderKey('www-1'), finalizer);
      expect(order('www-1')).toEqual(before);
      await home.store.delete(orderKey('www-1'));
      await home.store.addFinalizer(orderKey('www-1'), 'zoneproof.dev/third');
      expect(order('www-1')?.metadata.finalizers).toEqual([finalizer, 'zoneproof.dev/second']);
      await home.store.addFinalizer(orderKey('never-was'), finalizer);
    });

    test('of an Order that went, the name is free again', async () => {
      await declareWww();
      const first = await createOrder('www-1');
      await home.store.delete(orderKey('www-1'));
      const second = await createOrder('www-1');
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect(order('www-1')?.metadata.uid).toBe(second.metadata.uid);
    });

    describe('Secrets', () => {
      const tls = (crt: string, key: string): SecretContent => ({
        type: 'kubernetes.io/tls',
        data: { 'tls.crt': crt, 'tls.key': key },
      });
      const opaque = (data: SecretContent['data']): SecretContent => ({ type: 'Opaque', data });
      const write = (name: string, content: SecretContent, meta: Partial<NewMeta> = {}, ifAbsent = false) =>
        home.store.writeSecret({ namespace: home.namespace, name, ...meta }, content, { ifAbsent });
      const entries = async (name: string) => {
        const secret = await home.store.readSecret(home.namespace, name);
        return secret && Object.fromEntries(secret.data.entries().map((entry) => [entry, `${secret.data.get(entry)}`]));
      };
      const remove = (name: string) => home.store.delete({ kind: 'Secret', namespace: home.namespace, name });

      test('all entries of a Secret are replaced together, with type, owner, labels and annotations', async () => {
        await declareWww();
        const meta = { ...ownedBy(certificate()?.metadata.uid), labels: { team: 'a' }, annotations: { note: 'b' } };
        expect(await entries('www-tls')).toBeUndefined();
        expect(await write('www-tls', { ...tls('c1', 'k1'), data: { ...tls('c1', 'k1').data, old: 'x' } }, meta)).toBe(
          'written',
        );
        expect(await entries('www-tls')).toEqual({ 'tls.crt': 'c1', 'tls.key': 'k1', old: 'x' });
        await write('www-tls', tls('c2', 'k2'), meta);
        expect(await entries('www-tls')).toEqual({ 'tls.crt': 'c2', 'tls.key': 'k2' });
        const secret = await home.store.readSecret(home.namespace, 'www-tls');
        expect(secret).toMatchObject({
          type: 'kubernetes.io/tls',
          metadata: {
            owner: { kind: 'Certificate', name: 'www' },
            labels: { team: 'a' },
            annotations: { note: 'b' },
          },
        });
        await home.reopen();
        expect(await entries('www-tls')).toEqual({ 'tls.crt': 'c2', 'tls.key': 'k2' });
      });

      test('two that find a Secret missing make it once; one that is there is left alone', async () => {
        const make = (key: string) => write('account', opaque({ 'tls.key': key }), {}, true);
        const made = await Promise.all([make('1'), make('2')]);
        expect([...made].sort()).toEqual(['exists', 'written']);
        const winner = made[0] === 'written' ? '1' : '2';
        expect(await make('3')).toBe('exists');
        expect(await entries('account')).toEqual({ 'tls.key': winner });
      });

      test("someone else's Secret is not overwritten, unless it is handed over", async () => {
        const data = { 'tls.crt': 'theirs', 'tls.key': 'theirs' };
        await home.declare({
          certificates: { www: { secretName: 'theirs' } },
          secrets: { theirs: { data }, given: { data, annotations: { 'zoneproof.dev/adopt': 'true' } } },
        });
        const owner = ownedBy(certificate()?.metadata.uid);
        await expect(write('theirs', tls('c', 'k'), owner)).rejects.toThrow(ForeignSecretError);
        expect(await entries('theirs')).toEqual(data);
        expect(await write('given', tls('c', 'k'), owner)).toBe('written');
        expect(await entries('given')).toEqual({ 'tls.crt': 'c', 'tls.key': 'k' });
      });

      test('the Secret of another Certificate is not overwritten, until that one is gone', async () => {
        await home.declare({ certificates: { www: { secretName: 's' }, mail: { secretName: 's' } } });
        await write('s', tls('www', 'www'), ownedBy(certificate()?.metadata.uid));
        const mail = ownedBy(certificate('mail')?.metadata.uid, 'mail');
        await expect(write('s', tls('mail', 'mail'), mail)).rejects.toThrow('belongs to Certificate www');
        expect(await entries('s')).toMatchObject({ 'tls.crt': 'www' });
        await home.declare({ certificates: { mail: { secretName: 's' } } });
        expect(await write('s', tls('mail', 'mail'), mail)).toBe('written');
        expect(await entries('s')).toMatchObject({ 'tls.crt': 'mail' });
      });

      test('a deleted Secret is gone, and its deletion can be repeated', async () => {
        await write('k', opaque({ 'tls.key': 'x' }), {}, true);
        await remove('k');
        expect(await entries('k')).toBeUndefined();
        await remove('k');
        await write('k', opaque({ 'tls.key': 'y' }), {}, true);
        await home.reopen();
        await remove('k');
        expect(await entries('k')).toBeUndefined();
      });

      test('a Secret prints the names of its entries only', async () => {
        await write('s', opaque({ token: 'hunter2' }), {}, true);
        const secret = await home.store.readSecret(home.namespace, 's');
        const printed = inspect(secret, { depth: 9 }) + JSON.stringify(secret);
        expect(printed).toContain('token');
        expect(printed).not.toMatch(/hunter2|aHVudGVyMg/);
      });
    });
  });
}

const spec: OrderSpec = {
  dnsNames: ['example.com'],
  issuerRef: { name: 'ca', kind: 'Issuer' },
  privateKeySecretName: 'www-1-key',
};

function ownedBy(uid = '', name = 'www'): Pick<NewMeta, 'owner'> {
  return { owner: { kind: 'Certificate', name, uid } };
}
