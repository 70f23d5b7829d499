import { closeProviders, startProvider } from './testing/host.ts';
import { type Route53Fixture, startRoute53Fixture } from './testing/route53-fixture.ts';

let fixture: Route53Fixture;

beforeEach(async () => {
  fixture = await startRoute53Fixture();
});

afterEach(async () => {
  await closeProviders();
  await fixture.close();
});

describe('check', () => {
  const check = async () => {
    const host = startProvider(fixture.config, { secret: fixture.aws.secretAccessKey });
    return host.provider.check(host.call);
  };

  test('counts the public zones', async () => {
    expect(await check()).toMatchObject([
      { what: 'credentials', result: 'ok' },
      { what: 'zones', result: 'ok', detail: expect.stringContaining('2 public hosted zones') },
    ]);
  });

  test('tells of a clock that is off while AWS still bears with it', async () => {
    fixture.aws.setSkewMs(-100_000);
    expect((await check()).at(-1)).toMatchObject({
      what: 'clock',
      result: 'warning',
      detail: expect.stringMatching(/1\d\d s ahead of/),
    });
  });

  test('tells of an account without zones', async () => {
    for (const name of ['example.test', 'deep.example.test']) fixture.aws.removeZone(fixture.aws.zoneIdOf(name));
    expect((await check())[1]).toMatchObject({ what: 'zones', result: 'warning' });
  });
});

describe('the state of a change', () => {
  const stateOf = (host = startProvider(fixture.config, { secret: fixture.aws.secretAccessKey }), token = 'C0NEVER') =>
    host.provider.syncState?.({ kind: 'route53-change', token }, host.call);

  test('that AWS no longer knows is unknown', async () => {
    expect(await stateOf()).toMatchObject({ state: 'unknown', reason: expect.stringContaining('NoSuchChange') });
  });

  test('that may not be seen is unknown, with one warning', async () => {
    fixture.aws.setPolicy({ Version: '2012-10-17', Statement: [] });
    const host = startProvider(fixture.config, { secret: fixture.aws.secretAccessKey });
    for (const _again of [1, 2])
      expect(await stateOf(host)).toMatchObject({
        state: 'unknown',
        reason: expect.stringContaining('route53:GetChange'),
      });
    expect(host.warnings).toHaveLength(1);
  });

  test('throws what else goes wrong', async () => {
    fixture.aws.fail({ kind: 'throttled' });
    await expect(stateOf()).rejects.toMatchObject({ kind: 'rate-limited' });
  });
});
