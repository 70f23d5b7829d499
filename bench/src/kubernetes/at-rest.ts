import { type AdminApi, forEachIndex } from './api.ts';
import type { ClusterWorld } from './cluster-world.ts';
import { type ControllerProcess, pause, startControllerProcess } from './controller-process.ts';
import { measureIssuance } from './issuance.ts';
import { apiVersion, certificateObject, certificatesPath, namespace } from './objects.ts';

/** What Ready certificates cost that nobody touches. */
export interface RestFigures {
  readonly certificates: number;
  /** From the start of the process until /readyz says yes, and until it leads. */
  readonly readyMs: number;
  readonly leadingMs: number;
  /** From then on until the first look at all Secrets was over: until less than a fifth of a CPU is used. */
  readonly firstLooksMs: number;
  readonly rssMiB: number;
  /** Share of one CPU in percent over `seconds` after that. */
  readonly cpuPercent: number;
  readonly seconds: number;
  /** Certificates that were Ready at the end. */
  readonly ready: number;
}

/** Certificates at rest: one is issued, and the others are copies of it with Secrets and Orders of their own. */
export async function measureRest(
  world: ClusterWorld,
  certificates: number,
  seconds: number,
  progress: (text: string) => void,
): Promise<RestFigures> {
  await measureIssuance(world, 1);
  progress(`kubernetes: making ${certificates} certificates`);
  await makeCopies(world, 'c1-0', certificates);
  progress('kubernetes: start with all of them');
  const controller = await startControllerProcess(world.kubeconfig, world.servers);
  try {
    const firstLooksMs = await untilQuiet(controller);
    progress(`kubernetes: at rest for ${seconds} s`);
    const cpuMs = await controller.cpuMs();
    await pause(seconds * 1_000);
    const used = (await controller.cpuMs()) - cpuMs;
    return {
      certificates,
      readyMs: controller.startMs.ready,
      leadingMs: controller.startMs.leading,
      firstLooksMs,
      rssMiB: await controller.rssMiB(),
      cpuPercent: used / seconds / 10,
      seconds,
      ready: await readyCopies(world),
    };
  } finally {
    await controller.stop();
  }
}

interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: object;
    readonly annotations?: object;
  };
  readonly spec: { readonly secretName: string; readonly dnsNames: readonly string[] };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  readonly type: string;
  readonly data: object;
}

/** Certificate, Secret and the Order that tells how it was come by. */
async function makeCopies({ admin }: ClusterWorld, name: string, count: number): Promise<void> {
  const secretsPath = `/api/v1/namespaces/${namespace}/secrets`;
  const ordersPath = certificatesPath.replace('/certificates', '/orders');
  const { spec, status } = await admin.send<ApiObject>('GET', `${certificatesPath}/${name}`);
  const order = await admin.send<ApiObject>('GET', `${ordersPath}/${name}-1`);
  const { metadata, type, data } = await admin.send<ApiObject>('GET', `${secretsPath}/${spec.secretName}`);
  const { labels = {}, annotations = {} } = metadata;
  await forEachIndex(count, 32, async (index) => {
    const copy = `rest-${index}`;
    const made = await admin.send<ApiObject>('POST', certificatesPath, certificateObject(copy, spec.dnsNames));
    const ownerReferences = [{ apiVersion, kind: 'Certificate', name: copy, uid: made.metadata.uid, controller: true }];
    const itsOrder = {
      apiVersion,
      kind: 'Order',
      metadata: { ...order.metadata, ...nothingOfTheServer, name: `${copy}-1`, ownerReferences },
      spec: { ...order.spec, privateKeySecretName: `${copy}-1-key` },
    };
    await Promise.all([
      admin.send('POST', secretsPath, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${copy}-tls`, namespace, labels, annotations, ownerReferences },
        type,
        data,
      }),
      admin.send('POST', ordersPath, itsOrder).then(() => writeStatus(admin, ordersPath, itsOrder, order.status)),
      writeStatus(admin, certificatesPath, certificateObject(copy, spec.dnsNames) as NamedObject, status),
    ]);
  });
}

/** What the API server sets itself, and nobody may send. */
const nothingOfTheServer = {
  uid: undefined,
  resourceVersion: undefined,
  creationTimestamp: undefined,
  managedFields: undefined,
};

interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function writeStatus(admin: AdminApi, path: string, { kind, metadata: { name } }: NamedObject, status: object) {
  return admin.send('PATCH', `${path}/${name}/status`, { apiVersion, kind, metadata: { name, namespace }, status });
}

/** Milliseconds until a second has used less than a fifth of a CPU, twice in a row. */
async function untilQuiet(controller: ControllerProcess): Promise<number> {
  const startedAt = performance.now();
  let before = await controller.cpuMs();
  for (let quiet = 0; quiet < 2; ) {
    await pause(1_000);
    const now = await controller.cpuMs();
    quiet = now - before < 200 ? quiet + 1 : 0;
    before = now;
  }
  return performance.now() - startedAt - 2_000;
}

async function readyCopies({ admin }: ClusterWorld): Promise<number> {
  const { items } = await admin.send<{ readonly items: readonly ApiObject[] }>('GET', certificatesPath);
  const isReady = ({ status }: ApiObject) =>
    status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  return items.filter((item) => item.metadata.name.startsWith('rest-') && isReady(item)).length;
}
