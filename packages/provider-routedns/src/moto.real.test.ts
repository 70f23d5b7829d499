import { createEgress, type Egress, type Zone } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { describeReal, type Moto, startMoto } from '@zoneproof/farm';
import { closeProviders, startProvider } from './testing/host.ts';

/** An emulator that nobody of this project wrote: names, XML and paths are understood elsewhere as well. */
describeReal(['moto'], 'routedns against moto', () => {
  let moto: Moto;
  let egress: Egress;

  beforeAll(async () => {
    moto = await startMoto();
    egress = createEgress({ caBundle: moto.rootPem });
  }, 60_000);

  afterAll(async () => {
    await closeProviders();
    await egress?.close();
    await moto?.stop();
  });

  /** Past the provider. */
  async function ask(method: 'GET' | 'POST', path: string, body?: string): Promise<string> {
    const authorization =
      'AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/route53/aws4_request, SignedHeaders=host, Signature=0';
    const url = `${moto.origin}/2013-04-01/${path}`;
    const answer = await egress.http({ method, url, headers: { authorization }, ...(body !== undefined && { body }) });
    return Buffer.from(answer.body).toString();
  }

  test('a zone is found, values are written, in sync and removed', async () => {
    const xmlns = 'https://route53.amazonaws.com/doc/2013-04-01/';
    await ask(
      'POST',
      'hostedzone',
      `<CreateHostedZoneRequest xmlns="${xmlns}"><Name>example.test</Name><CallerReference>1</CallerReference></CreateHostedZoneRequest>`,
    );
    const { provider, call } = startProvider(
      {
        region: 'us-east-1',
        accessKeyID: 'AKIATEST',
        secretAccessKeySecretRef: { name: 'aws', key: 'secret' },
        endpoint: moto.origin,
        caBundle: moto.rootPem,
      },
      { secret: 'secret' },
    );
    expect((await provider.check(call)).map(({ what, result }) => `${what} ${result}`)).toEqual([
      'credentials ok',
      'zones ok',
    ]);
    const zones = await provider.listZones?.(call);
    expect(zones).toMatchObject([{ name: 'example.test', visibility: 'public' }]);
    const [zone] = zones as [Zone];

    const held = { values: [], ttl: undefined };
    const change = (state: 'present' | 'absent', label: string) =>
      ({
        state,
        name: toDnsName(`_acme-challenge.${label}.example.test`),
        value: `of-${label}`,
        ttl: 60,
        held,
      }) as const;
    const stored = async () =>
      [...(await ask('GET', `hostedzone/${zone.id}/rrset`)).matchAll(/<Value>"?([\w-]+)"?<\/Value>/g)].map(
        ([, value]) => value,
      );
    const written = await provider.apply(zone, [change('present', 'a'), change('present', 'b')], call);
    expect(written).toMatchObject([{ status: 'changed' }, { status: 'changed' }]);
    expect(await stored()).toEqual(expect.arrayContaining(['of-a', 'of-b']));

    const [first] = written;
    if (first?.status !== 'changed' || first.receipt === undefined) throw new Error('no receipt');
    expect(await provider.syncState?.(first.receipt, call)).toEqual({ state: 'synced' });

    expect(await provider.apply(zone, [change('absent', 'a')], call)).toMatchObject([{ status: 'changed' }]);
    expect(await stored()).not.toContain('of-a');
    expect(await stored()).toContain('of-b');
  }, 30_000);
});
