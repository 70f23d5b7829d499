import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describeReal } from '@zoneproof/farm';
import { until } from '../kubernetes/testing/until.ts';
import { type RunningController, serviceAccount, startKubernetesController } from './kubernetes-controller.ts';
import { certificate, clusterIssuerRef, issuer, namespace } from './kubernetes-objects.ts';
import { SecretTexts } from './kubernetes-secrets.ts';
import { type KubernetesWorld, type SeenObject, startKubernetesWorld } from './kubernetes-world.ts';
import { untilNone } from './until-none.ts';

const zones = ['shop.test', 'counted.test'];
const countedCertificates = 10;

describeReal(['kubernetes', 'bind', 'pebble'], 'certificates in Kubernetes', () => {
  let world: KubernetesWorld;
  let kubeconfig: string;
  const controllers: RunningController[] = [];
  const secrets = new SecretTexts();

  beforeAll(async () => {
    world = await startKubernetesWorld(zones);
    kubeconfig = await world.cluster.kubeconfigFor(serviceAccount);
    await restart();
  }, 180_000);

  async function restart(): Promise<void> {
    expect((await controllers.at(-1)?.stop()) ?? 0).toBe(0);
    controllers.push(await startKubernetesController(world, kubeconfig, zones));
  }

  afterAll(async () => {
    await controllers.at(-1)?.stop();
    await world?.stop();
  }, 30_000);

  const secretOf = async (name: string): Promise<SeenObject> =>
    JSON.parse(await world.kubectl(['get', 'secret', name, '-n', 'shop', '-o', 'json']));

  test('kubectl apply of Issuer, ClusterIssuer, Secrets and Certificates; kubectl wait until all are Ready', async () => {
    const shop = (name: string, names: readonly string[], more?: object) =>
      certificate({ namespace: 'shop', name }, names, more);
    const secretTemplate = { labels: { team: 'shop' }, annotations: { 'example.com/reload': 'true' } };
    await world.apply([
      namespace('shop'),
      ...issuer(world.real, { namespace: 'shop' }),
      ...issuer(world.real, 'cluster'),
      shop('www', ['shop.test', '*.shop.test'], { secretTemplate }),
      shop('api', ['api.shop.test', 'v1.api.shop.test', 'v2.api.shop.test']),
      shop('by-cluster', ['by-cluster.shop.test'], clusterIssuerRef),
    ]);
    await world.kubectl([
      'wait',
      '--for=condition=Ready',
      'issuers,certificates',
      '--all',
      '-n',
      'shop',
      '--timeout=30s',
    ]);
    await world.kubectl(['wait', '--for=condition=Ready', 'clusterissuer/pebble', '--timeout=5s']);
    expect(await world.real.leftovers('shop.test', 'api.shop.test', 'by-cluster.shop.test')).toEqual([]);
  }, 60_000);

  test.each([
    ['www', ['*.shop.test', 'shop.test']],
    ['api', ['api.shop.test', 'v1.api.shop.test', 'v2.api.shop.test']],
    ['by-cluster', ['by-cluster.shop.test']],
  ])(
    'the Secret of %s: key, chain and names belong together, and it is owned by its Certificate',
    async (name, names) => {
      const { type, data = {}, metadata } = await secretOf(`${name}-tls`);
      expect(type).toBe('kubernetes.io/tls');
      expect(Object.keys(data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
      const [chain = '', key = '', above = ''] = ['tls.crt', 'tls.key', 'ca.crt'].map((entry) =>
        Buffer.from(data[entry] ?? '', 'base64').toString(),
      );
      const [leaf, ...others] = pems(chain).map((pem) => new X509Certificate(pem));
      expect(leaf?.checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(leaf?.subjectAltName?.split(', ').sort()).toEqual(names.map((one) => `DNS:${one}`));
      expect(leaf?.checkIssued(others[0] as X509Certificate)).toBe(true);
      expect(pems(above)).toEqual(pems(chain).slice(1));
      const [owner] = (await world.list('certificates')).filter((one) => one.metadata.name === name);
      expect(metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'Certificate', name, uid: owner?.metadata.uid, controller: true }),
      ]);
    },
  );

  test('secretTemplate: its labels and annotations are on the Secret', async () => {
    const { metadata } = await secretOf('www-tls');
    expect(metadata.labels).toEqual({ team: 'shop', 'app.kubernetes.io/managed-by': 'zoneproof' });
    expect(metadata.annotations).toMatchObject({ 'example.com/reload': 'true' });
  });

  test('kubectl get tells at a glance', async () => {
    const [head, ...rows] = columns(await world.kubectl(['get', 'certificates', '-n', 'shop']));
    expect(head).toEqual(['NAME', 'READY', 'REASON', 'NOT AFTER', 'RENEWAL', 'AGE']);
    expect(rows.map((row) => row.slice(0, 3))).toEqual(
      ['api', 'by-cluster', 'www'].map((name) => [name, 'True', 'Issued']),
    );
    const all = await world.kubectl(['get', 'zoneproof', '-A']);
    for (const kind of ['certificate', 'clusterissuer', 'issuer', 'order'])
      expect(all).toContain(` ${kind}.zoneproof.dev/`);
  });

  test('Events: one at the beginning and one at the end of each certificate', async () => {
    const events = JSON.parse(await world.kubectl(['get', 'events', '-n', 'shop', '-o', 'json'])) as {
      readonly items: readonly { readonly reason: string; readonly involvedObject: { readonly name: string } }[];
    };
    const of = (name: string) =>
      events.items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
    expect(of('www').sort()).toEqual(['Issued', 'Issuing']);
    expect(of('pebble')).toEqual(['AccountRegistered']);
    expect(await world.kubectl(['describe', 'certificate', 'www', '-n', 'shop'])).toMatch(
      /Events:\n(.*\n)+.* Issuing .*\n/,
    );
  });

  /** Applies all of them at once; the writes of each by kind, until the controller has stopped. */
  async function countWrites(dnsNames: (name: string) => readonly string[]): Promise<Readonly<Record<string, number>>> {
    const before = (await world.cluster.audit()).length;
    const names = Array.from({ length: countedCertificates }, (_, index) => `c${index}`);
    await world.apply(
      names.map((name) => certificate({ namespace: 'counted', name }, dnsNames(name), clusterIssuerRef)),
    );
    await untilNone('all are issued', async () => {
      const [certificates, orders] = [
        await world.list('certificates', 'counted'),
        await world.list('orders', 'counted'),
      ];
      const wanted = orders.filter(({ spec }) => spec.dnsNames?.length === dnsNames('').length);
      if (wanted.length < names.length || orders.length > names.length) return [`${orders.length} Orders`];
      return certificates.flatMap(({ metadata, status }) =>
        status?.conditions?.every(
          ({ reason, observedGeneration }) => reason === 'Issued' && observedGeneration === metadata.generation,
        )
          ? []
          : [metadata.name],
      );
    });
    // What is not urgent is written down at last now.
    await restart();
    const writes: Record<string, number> = {};
    for (const request of (await world.cluster.audit()).slice(before)) {
      const { verb, resource, subresource, namespace: where, name, user } = request;
      if (where !== 'counted' || ['get', 'list', 'watch'].includes(verb)) continue;
      const what = resource === 'secrets' && name.endsWith('-key') ? 'secrets (key)' : resource;
      const kind = `${user.split(':').at(-1)}: ${verb} ${what}${subresource === undefined ? '' : `/${subresource}`}`;
      writes[kind] = (writes[kind] ?? 0) + 1 / countedCertificates;
    }
    return writes;
  }

  test.each([
    ['its first issuance', 10, (name: string) => [`${name}.counted.test`]],
    [
      // A renewal is as this, without somebody who edits.
      'the next one, with an edit and the end of the Order before',
      11,
      (name: string) => [`${name}.counted.test`, `b.${name}.counted.test`],
    ],
  ])(
    'the writes that a certificate costs, %s, kubectl apply and finalizers included: at most %d, and 2 Events',
    async (title, most, dnsNames) => {
      await world.apply([namespace('counted')]);
      const rows = Object.entries(await countWrites(dnsNames)).sort(([a], [b]) => a.localeCompare(b));
      console.log([title, ...rows.map(([kind, count]) => `${count.toFixed(1).padStart(5)}  ${kind}`)].join('\n'));
      const sum = (isEvent: boolean) =>
        rows.filter(([kind]) => kind.endsWith('events') === isEvent).reduce((all, [, count]) => all + count, 0);
      expect(sum(true)).toBeLessThanOrEqual(2 + 1e-6);
      expect(sum(false)).toBeLessThanOrEqual(most + 1e-6);
    },
    60_000,
  );

  test('no secret stands in log, metrics, Events or objects', async () => {
    await secrets.note(world);
    expect(secrets.size).toBeGreaterThan(20);
    expect(await secrets.told(world, controllers)).toEqual([]);
    expect(controllers.flatMap((one) => one.lines()).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a Certificate that is deleted takes its Secret and its Orders along', async () => {
    await world.kubectl(['delete', 'certificates', '--all', '-n', 'counted']);
    await until('nothing is left', async () => {
      const left = await Promise.all([world.list('orders', 'counted'), world.list('secrets', 'counted')]);
      return left.flat().length === 0;
    });
  }, 60_000);
});

function pems(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

function columns(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}
