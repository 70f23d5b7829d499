import { wanted } from './testing/bench-host.ts';
import { Emulated } from './testing/emulated.ts';

const cloud = new Emulated();

describe('an answer that is half known', () => {
  const answering = (action: string, body: (whole: Record<string, unknown>) => object) =>
    cloud.emulator.fail({
      kind: 'change-answer',
      on: { action },
      change: (answer) => ({ ...answer, body: body(answer.body as Record<string, unknown>) }),
    });
  const removal = async () => {
    const domain = cloud.newDomain();
    cloud.plant(domain, 'a');
    cloud.plant(domain, 'foreign');
    return { domain, outcome: cloud.apply(wanted('absent', domain, 'a')) };
  };

  test.each<[string, (whole: Record<string, unknown>) => object]>([
    ['an object that is no list', () => ({})],
    ['words of somebody else', () => ({ message: 'log in first', id: '7' })],
    ['a set without its name', ({ rrsets, ...rest }) => ({ ...rest, rrsets: without('name', rrsets) })],
    ['a set without its type', ({ rrsets, ...rest }) => ({ ...rest, rrsets: without('type', rrsets) })],
    ['a set without its TTL', ({ rrsets, ...rest }) => ({ ...rest, rrsets: without('ttl', rrsets) })],
    ['a set without its records', ({ rrsets, ...rest }) => ({ ...rest, rrsets: without('rrdatas', rrsets) })],
  ])('to the question for sets (%s) is not taken for an empty name, nor for a routing policy', async (_title, body) => {
    answering('dns.resourceRecordSets.list', body);
    const { domain, outcome } = await removal();
    await expect(outcome).rejects.toMatchObject({ kind: 'unavailable', details: { sent: false } });
    expect(cloud.published(domain).values).toEqual(['a', 'foreign']);
  });

  test.each([
    ['dns.managedZones.list', {}],
    ['dns.managedZones.get', { managedZone: 'example-test' }],
  ])('to %s is not taken for the absence of zones', async (action, more) => {
    cloud.emulator.permissions.add('dns.managedZones.get');
    cloud.restart(more);
    answering(action, () => ({ message: 'log in first' }));
    await expect(cloud.bench.provider.listZones?.(cloud.bench.call())).rejects.toMatchObject({ kind: 'unavailable' });
    cloud.emulator.permissions.delete('dns.managedZones.get');
  });

  test('to a write says nothing of what was done', async () => {
    const change = wanted('present', cloud.newDomain(), 'a');
    answering('dns.changes.create', () => ({ message: 'log in first' }));
    await expect(cloud.apply(change)).rejects.toMatchObject({ kind: 'unavailable', details: { sent: true } });
    expect((await cloud.apply(change)).map(({ status }) => status)).toEqual(['unchanged']);
  });

  const without = (field: string, sets: unknown) =>
    (sets as readonly object[]).map((set) => ({ ...set, [field]: undefined }));
});
