import type { KubernetesStore } from '../../kubernetes/index.ts';
import type { WithStatus } from '../../store/store.ts';
import { lead } from './lead.ts';
import { tellEvents } from './tell-events.ts';
import { annotate, condition, create, orderSpec, type World, withSilentWatch, withStore } from './world.ts';

const finalizer = 'zoneproof.dev/dns01-cleanup';
const content = { type: 'Opaque', data: { 'tls.key': 'of an account' } };
const kinds: Readonly<Record<string, WithStatus>> = {
  issuers: 'Issuer',
  clusterissuers: 'ClusterIssuer',
  certificates: 'Certificate',
  orders: 'Order',
};
const secretMeta = ({ namespace }: World) => ({ namespace, name: 'account' });

export type Action = (world: World) => Promise<void>;

/** What the controller does with each permission. Each fails when that one is missing, and only then. */
export const actions: Readonly<Record<string, Action>> = {
  ...ofEachKind('get', recoverFromConflict),
  ...ofEachKind('list', (world) => withStore(world, async () => {})),
  ...ofEachKind('watch', seeChange),
  ...Object.fromEntries(
    Object.entries(kinds).map(([plural, kind]) => [`update ${plural}/status`, (world) => writeStatus(world, kind)]),
  ),
  'patch issuers': (world) => removeFinalizer(world, 'Issuer'),
  'patch clusterissuers': (world) => removeFinalizer(world, 'ClusterIssuer'),
  'patch orders': (world) => removeFinalizer(world, 'Order'),
  'create orders': (world) =>
    withStore(world, async (store) => {
      await store.createOrder({ namespace: world.namespace, name: 'made' }, orderSpec);
    }),
  'delete orders': async (world) => {
    const key = await create(world, 'Order');
    await withStore(world, (store) => store.delete(key));
  },
  'get secrets': (world) =>
    withStore(world, async (store) => {
      await store.readSecret(world.namespace, 'account');
    }),
  'create secrets': (world) =>
    withStore(world, async (store) => {
      await store.writeSecret(secretMeta(world), content, { ifAbsent: true });
    }),
  'patch secrets': (world) =>
    withStore(world, async (store) => {
      await store.writeSecret(secretMeta(world), content, { ifAbsent: true });
      await store.writeSecret(secretMeta(world), content);
    }),
  'delete secrets': (world) =>
    withStore(world, async (store) => {
      await store.writeSecret(secretMeta(world), content, { ifAbsent: true });
      await store.delete({ kind: 'Secret', ...secretMeta(world) });
    }),
  'create events': (world) => tellEvents(world, 1),
  'patch events': (world) => tellEvents(world, 2),
  'create leases': (world) => lead(world, 'first'),
  'get leases': (world) => lead(world, 'again'),
  'update leases': (world) => lead(world, 'again'),
};

/** The same for what `watchSecrets` adds. */
export const watchSecretsActions: typeof actions = {
  'list secrets': (world) => withStore(world, async () => {}, { watchSecrets: true }),
  'watch secrets': seeSecretChange,
};

function ofEachKind(verb: string, act: (world: World, kind: WithStatus) => Promise<void>): typeof actions {
  return Object.fromEntries(
    Object.entries(kinds).map(([plural, kind]) => [`${verb} ${plural}`, (world) => act(world, kind)]),
  );
}

/** Somebody changes the object before our write, and the watch does not tell: it is read again, and written then. */
async function recoverFromConflict(world: World, kind: WithStatus): Promise<void> {
  const key = await create(world, kind);
  let asked = 0;
  await withStore({ ...world, me: withSilentWatch(world.me) }, async (store) => {
    await store.updateStatus(kind, key.namespace, key.name, (object) => {
      if (++asked === 1) annotate(world, key);
      return { ...object.status, conditions: [condition] } as typeof object.status;
    });
  });
  if (asked < 2) throw new Error('there was no conflict');
}

async function writeStatus(world: World, kind: WithStatus): Promise<void> {
  const key = await create(world, kind);
  await withStore(world, async (store) => {
    await store.updateStatus(kind, key.namespace, key.name, ({ status }) => ({ ...status, conditions: [condition] }));
  });
}

async function removeFinalizer(world: World, kind: WithStatus): Promise<void> {
  const key = await create(world, kind, { finalizers: [finalizer] });
  await withStore(world, (store) => store.removeFinalizer(key, finalizer));
}

function seeChange(world: World, kind: WithStatus): Promise<void> {
  return whileFollowing(world, false, async (store, seen) => {
    const off = store.watch((key) => key.kind === kind && seen());
    await create(world, kind);
    return off;
  });
}

async function seeSecretChange(world: World): Promise<void> {
  const { admin, namespace } = world;
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  const secret = (value: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'watched' },
    stringData: { token: value },
  });
  await admin.request({ method: 'POST', path, body: secret('old') });
  await whileFollowing(world, true, async (store, seen) => {
    await store.readSecret(namespace, 'watched');
    const off = store.onPersonsChange((key) => key.kind === 'Secret' && seen());
    await admin.request({ method: 'PUT', path: `${path}/watched`, body: secret('new') });
    return off;
  });
}

/** Until the change is seen. @throws what the store tells when it cannot follow */
async function whileFollowing(
  world: World,
  watchSecrets: boolean,
  change: (store: KubernetesStore, seen: () => void) => Promise<() => void>,
): Promise<void> {
  let lost: (message: string) => void = () => {};
  const isLost = new Promise<never>((_resolve, reject) => {
    lost = (message) => reject(new Error(message));
  });
  const follow = async (store: KubernetesStore): Promise<void> => {
    let seen: () => void = () => {};
    const isSeen = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const off = await change(store, seen);
    await Promise.race([isSeen, isLost]).finally(off);
  };
  await withStore(world, follow, { watchSecrets, tell: lost, speed: 20 });
}
