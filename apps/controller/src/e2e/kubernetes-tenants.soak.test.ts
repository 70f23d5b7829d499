import { describeReal } from '@zoneproof/farm';
import { until } from '../kubernetes/testing/until.ts';
import { type RunningController, serviceAccount, startKubernetesController } from './kubernetes-controller.ts';
import { certificate, clusterIssuerRef, issuer, namespace } from './kubernetes-objects.ts';
import { type KubernetesWorld, type Plural, type SeenObject, startKubernetesWorld } from './kubernetes-world.ts';

const zones = ['tenant.test'];

describeReal(['kubernetes', 'bind', 'pebble'], 'tenants of a cluster', () => {
  let world: KubernetesWorld;
  let controller: RunningController;

  beforeAll(async () => {
    world = await startKubernetesWorld(zones);
    controller = await startKubernetesController(world, await world.cluster.kubeconfigFor(serviceAccount), zones);
    await world.apply([
      namespace('tenant'),
      namespace('stranger'),
      ...issuer(world.real, { namespace: 'tenant' }),
      ...issuer(world.real, 'cluster'),
    ]);
  }, 180_000);

  afterAll(async () => {
    await controller?.stop();
    await world?.stop();
  }, 30_000);

  const find = async (kind: Plural, name: string, where: string | undefined = 'tenant') =>
    (await world.list(kind, where)).find(({ metadata }) => metadata.name === name);
  const ready = (object: SeenObject | undefined) => object?.status?.conditions?.find(({ type }) => type === 'Ready');
  const issued = (name: string, where = 'tenant') =>
    until(`${name} is issued`, async () => ready(await find('certificates', name, where))?.reason === 'Issued');
  const patch = (kind: string, name: string, body: object, where = 'tenant') =>
    world.kubectl(['patch', kind, name, '-n', where, '--type=merge', '-p', JSON.stringify(body)]);
  const waitsFor = (reason: string, name: string, where?: string) =>
    until(`${name} says ${reason}`, async () => ready(await find('certificates', name, where))?.reason === reason);

  test('labels and annotations follow secretTemplate without a new certificate; those of others stay', async () => {
    const secretTemplate = { labels: { team: 'one' }, annotations: { note: 'x' } };
    await world.apply([certificate({ namespace: 'tenant', name: 'www' }, ['www.tenant.test'], { secretTemplate })]);
    await issued('www');
    const serial = (await find('certificates', 'www'))?.status?.serial;
    await world.kubectl(['label', 'secret', 'www-tls', '-n', 'tenant', 'theirs=stays']);
    await patch('certificate', 'www', { spec: { secretTemplate: { labels: { team: 'two' }, annotations: null } } });
    const labels = async () => (await find('secrets', 'www-tls'))?.metadata.labels;
    await until('the label is another one', async () => (await labels())?.team === 'two');
    expect(await labels()).toMatchObject({ team: 'two', theirs: 'stays' });
    expect((await find('secrets', 'www-tls'))?.metadata.annotations?.note).toBeUndefined();
    await patch('certificate', 'www', { spec: { secretTemplate: null } });
    await until('the label is gone', async () => (await labels())?.team === undefined);
    expect(await labels()).toMatchObject({ theirs: 'stays' });
    expect((await find('certificates', 'www'))?.status?.serial).toBe(serial);
  }, 60_000);

  test('what somebody does to ca.crt or a label is made right within the resync, without a new certificate', async () => {
    await patch('certificate', 'www', { spec: { secretTemplate: { labels: { team: 'three' } } } });
    await until('labelled', async () => (await find('secrets', 'www-tls'))?.metadata.labels?.team === 'three');
    const before = await find('secrets', 'www-tls');
    await patch('secret', 'www-tls', { metadata: { labels: { team: 'mine' } }, data: { 'ca.crt': 'bWluZQ==' } });
    await until(
      'it is as before',
      async () => {
        const { metadata, data } = (await find('secrets', 'www-tls')) ?? {};
        return metadata?.labels?.team === 'three' && data?.['ca.crt'] === before?.data?.['ca.crt'];
      },
      30_000,
    );
    expect((await find('secrets', 'www-tls'))?.data).toEqual(before?.data);
  }, 60_000);

  test('a Secret of somebody else, or of another type, costs no order and is left as it is', async () => {
    const secret = (name: string, more: object) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', stringData: { 'tls.crt': 'theirs', 'tls.key': 'theirs' } },
      ...more,
      metadata: { namespace: 'tenant', name, ...(more as { metadata?: object }).metadata },
    });
    const ours = { 'app.kubernetes.io/managed-by': 'zoneproof' };
    await world.apply([
      secret('theirs', { type: 'kubernetes.io/tls' }),
      secret('opaque', { metadata: { labels: ours } }),
      certificate({ namespace: 'tenant', name: 'taken' }, ['taken.tenant.test'], { secretName: 'theirs' }),
      certificate({ namespace: 'tenant', name: 'typed' }, ['typed.tenant.test'], { secretName: 'opaque' }),
    ]);
    for (const name of ['taken', 'typed']) await waitsFor('SecretNotOurs', name);
    for (const name of ['theirs', 'opaque'])
      expect((await find('secrets', name))?.data).toMatchObject({
        'tls.crt': Buffer.from('theirs').toString('base64'),
      });
    const orders = (await world.list('orders', 'tenant')).map(({ metadata }) => metadata.name);
    expect(orders.filter((name) => /^(taken|typed)-/.test(name))).toEqual([]);
  }, 60_000);

  test('a ClusterIssuer serves the namespaces and domains that it lists, and at once those that are added', async () => {
    const lists = { allowedNamespaces: ['tenant'], allowedDomains: ['ok.tenant.test'] };
    await world.kubectl(['patch', 'clusterissuer', 'pebble', '--type=merge', '-p', JSON.stringify({ spec: lists })]);
    await world.apply([
      certificate({ namespace: 'tenant', name: 'inside' }, ['a.ok.tenant.test'], clusterIssuerRef),
      certificate({ namespace: 'tenant', name: 'outside' }, ['other.tenant.test'], clusterIssuerRef),
      certificate({ namespace: 'stranger', name: 'foreign' }, ['b.ok.tenant.test'], clusterIssuerRef),
    ]);
    await issued('inside');
    await waitsFor('DomainNotAllowed', 'outside');
    await waitsFor('NamespaceNotAllowed', 'foreign', 'stranger');
    expect(await world.list('orders', 'stranger')).toEqual([]);
    const more = { spec: { allowedNamespaces: ['tenant', 'stranger'] } };
    await world.kubectl(['patch', 'clusterissuer', 'pebble', '--type=merge', '-p', JSON.stringify(more)]);
    await issued('foreign', 'stranger');
  }, 60_000);

  test('an Issuer of a namespace leads nowhere it must not, and the condition says why', async () => {
    const [made] = issuer(world.real, { namespace: 'stranger' }) as [{ spec: { acme: object } }];
    const hostile = (name: string, acme: object) => ({
      ...made,
      metadata: { namespace: 'stranger', name },
      spec: { acme: { ...made.spec.acme, privateKeySecretRef: { name }, ...acme } },
    });
    const { port } = new URL(world.cluster.url);
    const requests = (await world.cluster.audit()).length;
    await world.apply([
      hostile('api-server', { server: `https://localhost:${port}/` }),
      hostile('metadata', { server: 'https://169.254.169.254/latest/' }),
      hostile('ambient', { dns01: { providers: [{ name: 'aws', routedns: { region: 'eu-central-1' } }] } }),
    ]);
    const reason = async (name: string) => ready(await find('issuers', name, 'stranger'))?.reason;
    for (const name of ['api-server', 'metadata'])
      await until(`${name} is refused`, async () => (await reason(name)) === 'AddressNotAllowed');
    await until('ambient is refused', async () =>
      JSON.stringify((await find('issuers', 'ambient', 'stranger'))?.status ?? {}).includes(
        'AmbientCredentialsNotAllowed',
      ),
    );
    const anonymous = (await world.cluster.audit()).slice(requests).filter(({ user }) => user === 'system:anonymous');
    expect(anonymous).toEqual([]);
  }, 60_000);

  test('an Issuer is held by one write, however much is issued through it, and let go when nothing needs it', async () => {
    const patches = (await world.cluster.audit()).filter(
      ({ verb, resource, subresource, user, name }) =>
        verb === 'patch' &&
        resource === 'issuers' &&
        subresource === undefined &&
        name === 'pebble' &&
        user.includes(':zoneproof:'),
    );
    expect(patches).toHaveLength(1);
    expect((await find('issuers', 'pebble'))?.metadata).toMatchObject({ finalizers: ['zoneproof.dev/dns01-cleanup'] });
    await world.kubectl(['delete', 'issuer', 'pebble', '-n', 'tenant', '--timeout=20s']);
    expect(await find('issuers', 'pebble')).toBeUndefined();
    // What was issued stays.
    expect((await find('secrets', 'www-tls'))?.data?.['tls.crt']).toBeDefined();
  }, 60_000);
});
