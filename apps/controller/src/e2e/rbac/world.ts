import { execFileSync } from 'node:child_process';
import { type Clock, onAbort, systemClock, systemRandom, systemTimers, type Timers } from '@zoneproof/core';
import { tool } from '@zoneproof/farm';
import { resourcePath } from '../../crds/api-form.ts';
import { type KubeApi, KubernetesStore } from '../../kubernetes/index.ts';
import type { Condition, ObjectKey, OrderSpec } from '../../resources/types.ts';
import type { WithStatus } from '../../store/store.ts';

/** Who acts, and where. Each action makes the objects that it works on. */
export interface World {
  /** As the identity whose rights are in question. */
  readonly me: KubeApi;
  /** As somebody who may do everything. */
  readonly admin: KubeApi;
  readonly adminKubeconfig: string;
  /** Of this action alone. */
  readonly namespace: string;
}

export interface StoreOptions {
  /** Left out: the whole cluster. */
  readonly namespaces?: readonly string[];
  readonly watchSecrets?: boolean;
  readonly tell?: (message: string) => void;
  /** How much faster its clock and its timers run than ours. */
  readonly speed?: number;
}

export const condition: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Issuing',
  message: 'For a test.',
  observedGeneration: 1,
  lastTransitionAt: 1_700_000_000_000,
};
export const orderSpec: OrderSpec = {
  dnsNames: ['example.com'],
  issuerRef: { name: 'ca', kind: 'Issuer' },
  privateKeySecretName: 'key',
};

/** A store as `me`, while `use` runs. */
export async function withStore(
  { me }: World,
  use: (store: KubernetesStore) => Promise<void>,
  { namespaces = [], watchSecrets = false, tell, speed = 1 }: StoreOptions = {},
): Promise<void> {
  const store = await KubernetesStore.open({
    api: me,
    namespaces,
    clusterResourceNamespace: 'zoneproof',
    ...faster(speed),
    random: systemRandom,
    signal: new AbortController().signal,
    secretResyncMs: 3_600_000,
    watchSecrets,
    ...(tell && { tell }),
  });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

/** Makes an object as a person would. */
export async function create(
  { admin, namespace }: World,
  kind: WithStatus,
  meta: { readonly finalizers?: readonly string[] } = {},
): Promise<ObjectKey> {
  // A ClusterIssuer has the name of the action's namespace, so that each has one.
  const key = { kind, namespace: kind === 'ClusterIssuer' ? '' : namespace, name: `of-${namespace}` };
  const { apiVersion, spec } = { apiVersion: 'zoneproof.dev/v1alpha1', spec: specs[kind] };
  const metadata = { name: key.name, ...(key.namespace && { namespace }), ...meta };
  const path = resourcePath(kind, key.namespace || undefined);
  await admin.request({ method: 'POST', path, body: { apiVersion, kind, metadata, spec } });
  return key;
}

/** Changes it at once, while the caller waits. */
export function annotate({ adminKubeconfig }: World, { kind, namespace, name }: ObjectKey): void {
  const where = namespace === '' ? [] : ['--namespace', namespace];
  const what = ['annotate', `${kind.toLowerCase()}.zoneproof.dev/${name}`, 'test/seen=no'];
  execFileSync(tool('kubectl'), ['--kubeconfig', adminKubeconfig, ...where, ...what], { stdio: 'pipe' });
}

/** One whose watches stand, and say nothing. */
export function withSilentWatch(api: KubeApi): KubeApi {
  const { server, namespace } = api;
  return {
    server,
    namespace,
    request: (request) => api.request(request),
    async *watch({ signal }) {
      await new Promise<void>((resolve) => onAbort(signal, resolve));
    },
    close: () => {},
  };
}

const issuer = {
  acme: {
    server: 'https://ca.example/directory',
    privateKeySecretRef: { name: 'account' },
    dns01: { providers: [{ name: 'one', rfc2136: { nameserver: '192.0.2.53' } }] },
  },
};
const specs: Readonly<Record<WithStatus, object>> = {
  Issuer: issuer,
  ClusterIssuer: issuer,
  Certificate: { secretName: 'tls', dnsNames: ['example.com'], issuerRef: { name: 'ca' } },
  Order: orderSpec,
};

function faster(speed: number): { readonly clock: Clock; readonly timers: Timers } {
  const from = systemClock.now();
  return {
    clock: { now: () => from + (systemClock.now() - from) * speed },
    timers: {
      setTimeout: (callback, ms) => systemTimers.setTimeout(callback, ms / speed),
      clearTimeout: (handle) => systemTimers.clearTimeout(handle),
    },
  };
}
