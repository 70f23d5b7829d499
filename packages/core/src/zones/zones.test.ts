import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { type DnsProvider, ProviderError, type Zone } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import type { BoundProvider } from '../writer/index.ts';
import { createZoneFinder, longestZone } from './index.ts';

function zones(...texts: string[]): Zone[] {
  return texts.map((text) => {
    const [name = '', flag] = text.split(' ');
    return {
      id: flag !== undefined && flag !== 'private' ? flag : name,
      name: toDnsName(name),
      ...(flag === 'private' && { visibility: 'private' as const }),
    };
  });
}

test.each<[name: string, zones: string[], expected: string | undefined]>([
  ['_acme-challenge.example.com', ['example.com'], 'example.com'],
  ['_acme-challenge.www.example.com', ['example.com', 'www.example.com'], 'www.example.com'],
  ['_acme-challenge.www.example.com', ['www.example.com', 'example.com'], 'www.example.com'],
  ['example.com', ['example.com'], 'example.com'],
  ['_acme-challenge.badexample.com', ['example.com'], undefined],
  ['_acme-challenge.example.com', ['www.example.com'], undefined],
  ['_acme-challenge.example.com', ['example.com private', 'com'], 'com'],
  ['_acme-challenge.example.com', ['example.com private', 'example.com z2'], 'z2'],
  ['_acme-challenge.example.com', ['example.com z1', 'example.com z2', 'com'], 'ambiguous z1 z2'],
  ['_acme-challenge.www.example.com', ['example.com z1', 'example.com z2', 'www.example.com'], 'www.example.com'],
  ['_acme-challenge.example.com', ['example.com z1', 'example.com z1'], 'z1'],
  ['_acme-challenge.example.com', [], undefined],
])('%s among %j: %s', (name, seen, expected) => {
  const found = longestZone(toDnsName(name), zones(...seen));
  const text =
    found !== undefined && 'ambiguous' in found
      ? `ambiguous ${found.ambiguous.map(({ id }) => id).join(' ')}`
      : found?.id;
  expect(text).toBe(expected);
});

test('the zone found holds the name, and no zone between them is there', () => {
  const label = fc.constantFrom('a', 'b', 'aa');
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => toDnsName(labels.join('.')));
  fc.assert(
    fc.property(name, fc.uniqueArray(name, { maxLength: 8 }), (wanted, names) => {
      const found = longestZone(wanted, zones(...names));
      const suffixes = wanted.split('.').map((_label, i, all) => all.slice(i).join('.'));
      const expected = suffixes.find((suffix) => names.some((one) => one === suffix));
      expect(found).toEqual(expected === undefined ? undefined : zones(expected)[0]);
    }),
    { numRuns: 300, seed: 20260106 },
  );
});

const target = (name: string) => ({
  domain: toDnsName(name),
  challengeName: toDnsName(`_acme-challenge.${name}`),
  name: toDnsName(`_acme-challenge.${name}`),
});
const signal = new AbortController().signal;

function setUp(provider: Partial<DnsProvider>) {
  const clock = new FakeClock();
  const finder = createZoneFinder({ clock, timers: clock });
  const bound: BoundProvider = {
    block: { issuer: 'Issuer/default/ca', name: 'prod', key: 'routedns', config: {} },
    displayName: 'routedns "prod"',
    account: 'routedns:AKIA',
    capabilities: {
      model: 'rrset',
      maxValuesPerName: 9,
      batch: { maxChanges: 9, atomic: true },
      writeScope: 'zone',
      compareAndSet: true,
      ttl: { min: 0, max: 60, default: 60 },
      sync: false,
      buckets: [],
    },
    provider: { apply: async () => [], check: async () => [], ...provider },
  };
  return { clock, finder, bound };
}

describe('a provider that lists its zones', () => {
  test('is asked once for all who ask meanwhile, and again after five minutes or when told to forget', async () => {
    let calls = 0;
    const { clock, finder, bound } = setUp({
      listZones: async () => {
        calls++;
        return zones('example.com', 'example.org');
      },
    });
    const found = await Promise.all(
      ['example.com', 'www.example.org'].map((name) => finder.find(bound, target(name), signal)),
    );
    expect(found.map((zone) => zone.id)).toEqual(['example.com', 'example.org']);
    expect(calls).toBe(1);
    await clock.advance(299_000);
    await finder.find(bound, target('example.com'), signal);
    expect(calls).toBe(1);
    await clock.advance(2_000);
    await finder.find(bound, target('example.com'), signal);
    expect(calls).toBe(2);
    finder.forget(bound);
    await finder.find(bound, target('example.com'), signal);
    expect(calls).toBe(3);
  });

  test('a failure is not kept', async () => {
    let calls = 0;
    const { finder, bound } = setUp({
      listZones: async () => {
        calls++;
        if (calls === 1) throw new ProviderError({ kind: 'auth', message: 'wrong key' });
        return zones('example.com');
      },
    });
    await expect(finder.find(bound, target('example.com'), signal)).rejects.toMatchObject({ kind: 'auth' });
    expect((await finder.find(bound, target('example.com'), signal)).id).toBe('example.com');
  });

  test('one who stops waiting does not stop the others; the last one does', async () => {
    const signals: AbortSignal[] = [];
    const { finder, bound } = setUp({
      listZones: (call) =>
        new Promise((_resolve, reject) => {
          signals.push(call.signal);
          call.signal.addEventListener('abort', () =>
            reject(new ProviderError({ kind: 'aborted', message: 'stopped' })),
          );
        }),
    });
    const stops = [new AbortController(), new AbortController()];
    const waiting = stops.map((stop) => finder.find(bound, target('example.com'), stop.signal));
    const outcomes = Promise.allSettled(waiting);
    stops[0]!.abort();
    await expect(waiting[0]).rejects.toMatchObject({ kind: 'aborted' });
    expect(signals[0]?.aborted).toBe(false);
    stops[1]!.abort();
    await outcomes;
    expect(signals[0]?.aborted).toBe(true);
    expect(signals).toHaveLength(1);
  });

  test.each<[seen: string[], message: string]>([
    [
      ['example.org', 'example.net', 'corp.example'],
      'routedns "prod": no zone holds _acme-challenge.shop.example.com (3 zones seen: example.org, example.net, corp.example). Add the zone to this account or choose another provider for shop.example.com.',
    ],
    [
      [],
      'routedns "prod": no zone holds _acme-challenge.shop.example.com (the credentials see no zone at all). Add the zone to this account or choose another provider for shop.example.com.',
    ],
    [
      ['example.com private'],
      'routedns "prod": no zone holds _acme-challenge.shop.example.com (1 zone seen: example.com (private)). Add the zone to this account or choose another provider for shop.example.com.',
    ],
    [
      ['example.com Z1', 'example.com Z2'],
      'routedns "prod": 2 public zones are called example.com (ids Z1, Z2). Name the one that is delegated to in the provider block, or remove the others.',
    ],
  ])('with the zones %j', async (seen, message) => {
    const { finder, bound } = setUp({ listZones: async () => zones(...seen) });
    await expect(finder.find(bound, target('shop.example.com'), signal)).rejects.toMatchObject({
      kind: 'zone-not-found',
      message,
    });
  });
});

describe('a provider that finds zones', () => {
  test('is asked each time', async () => {
    let calls = 0;
    const { finder, bound } = setUp({
      findZone: async ({ name }) => {
        calls++;
        return name.endsWith('example.com') ? zones('example.com')[0] : undefined;
      },
    });
    expect((await finder.find(bound, target('example.com'), signal)).id).toBe('example.com');
    expect((await finder.find(bound, target('example.com'), signal)).id).toBe('example.com');
    expect(calls).toBe(2);
    const led = { ...target('example.org'), name: toDnsName('x.example.net') };
    await expect(finder.find(bound, led, signal)).rejects.toMatchObject({
      kind: 'zone-not-found',
      message:
        'routedns "prod": no zone holds x.example.net (where _acme-challenge.example.org leads). Create the zone there or choose another provider for example.org.',
    });
  });

  test('one of the two has to be there', async () => {
    const { finder, bound } = setUp({});
    await expect(finder.find(bound, target('example.com'), signal)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
