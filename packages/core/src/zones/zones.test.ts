import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { type DnsProvider, ProviderError, type Zone } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { pause } from '../time/index.ts';
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

  test('the same block in two namespaces has Secrets of its own in each, and so a list of its own', async () => {
    let calls = 0;
    const { finder, bound } = setUp({
      listZones: async () => {
        calls++;
        return zones('example.com');
      },
    });
    const issuers = ['Issuer/default/ca', 'Issuer/default/other', 'Issuer/shop/ca'];
    for (const issuer of issuers)
      await finder.find({ ...bound, block: { ...bound.block, issuer } }, target('example.com'), signal);
    expect(calls).toBe(2);
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
      'routedns "prod": 2 public zones are called example.com (ids Z1, Z2). Remove all but the one whose name servers the delegation names.',
    ],
  ])('with the zones %j', async (seen, message) => {
    const { finder, bound } = setUp({ listZones: async () => zones(...seen) });
    await expect(finder.find(bound, target('shop.example.com'), signal)).rejects.toMatchObject({
      kind: 'zone-not-found',
      message,
    });
  });
});

test('two zones of one name: the message says which field of the block settles it', async () => {
  const { finder, bound } = setUp({ listZones: async () => zones('example.com Z1', 'example.com Z2') });
  await expect(finder.find({ ...bound, zoneField: 'hostedZoneID' }, target('example.com'), signal)).rejects.toThrow(
    '(ids Z1, Z2). Set hostedZoneID to the id of the one whose name servers the delegation names, or remove the others.',
  );
});

test('a list of hundreds of pages has its time', async () => {
  const page = 1_000;
  const { clock, finder, bound } = setUp({
    listZones: async (call) => {
      for (let i = 0; i < 100; i++) await pause(clock, page, call.signal);
      if (call.signal.aborted) throw new ProviderError({ kind: 'aborted', message: 'stopped' });
      return zones('example.com');
    },
  });
  expect((await clock.until(finder.find(bound, target('example.com'), signal))).id).toBe('example.com');
});

describe('a provider that finds zones', () => {
  const within = (name: string, zone: string) => ({ ...target(name), zone: toDnsName(zone) });

  test('is asked once for all names of the zone that answers for them in the DNS', async () => {
    const asked: string[] = [];
    const { clock, finder, bound } = setUp({
      findZone: async ({ name }) => {
        asked.push(name);
        await pause(clock, 10, signal);
        return zones(name.endsWith('example.org') ? 'example.org' : 'example.com Z9')[0];
      },
    });
    const names = Array.from({ length: 1_000 }, (_, i) => within(`n${i}.example.com`, 'example.com'));
    const more = [within('www.example.org', 'example.org'), within('app.example.org', 'example.org')];
    const found = await clock.until(Promise.all([...names, ...more].map((one) => finder.find(bound, one, signal))));
    expect(new Set(found.slice(0, 1_000).map(({ id }) => id))).toEqual(new Set(['Z9']));
    expect(asked).toEqual(['_acme-challenge.n0.example.com', '_acme-challenge.www.example.org']);
    await clock.advance(300_000);
    await clock.until(finder.find(bound, names[1]!, signal));
    expect(asked).toHaveLength(3);
    finder.forget(bound);
    await clock.until(finder.find(bound, names[2]!, signal));
    expect(asked).toHaveLength(4);
    const other = { ...bound, block: { ...bound.block, config: { zone: 'another' } } };
    await clock.until(finder.find(other, names[2]!, signal));
    expect(asked).toHaveLength(5);
  });

  test('is asked for each name where the zone it found is another: there may be a deeper one', async () => {
    const asked: string[] = [];
    const { finder, bound } = setUp({
      findZone: async ({ name }) => {
        asked.push(name);
        return zones(name.includes('.eu.') ? 'eu.example.com' : 'example.com')[0];
      },
    });
    const found = [];
    for (const name of ['www.example.com', 'www.eu.example.com', 'www.example.com', 'www.us.example.com'])
      found.push((await finder.find(bound, within(name, 'us.example.com'), signal)).id);
    expect(found).toEqual(['example.com', 'eu.example.com', 'example.com', 'example.com']);
    expect(asked).toHaveLength(3); // the same name twice is one question
  });

  test('what is wrong with one name is not said of another', async () => {
    const { finder, bound } = setUp({
      findZone: async ({ domain }) => {
        if (domain === 'a.example.com') throw new ProviderError({ kind: 'action-required', message: 'create a CNAME' });
        return zones('example.com')[0];
      },
    });
    const both = ['a', 'b'].map((name) => finder.find(bound, within(`${name}.example.com`, 'example.com'), signal));
    expect(await Promise.allSettled(both)).toMatchObject([
      { status: 'rejected', reason: { kind: 'action-required' } },
      { status: 'fulfilled', value: { id: 'example.com' } },
    ]);
  });

  test('wrong credentials are told to all who ask meanwhile, and not kept', async () => {
    let calls = 0;
    const { finder, bound } = setUp({
      findZone: async () => {
        if (++calls === 1) throw new ProviderError({ kind: 'auth', message: 'wrong key' });
        return zones('example.com')[0];
      },
    });
    const both = ['a', 'b'].map((name) => finder.find(bound, within(`${name}.example.com`, 'example.com'), signal));
    for (const one of await Promise.allSettled(both)) expect(one).toMatchObject({ reason: { kind: 'auth' } });
    expect(calls).toBe(1);
    expect((await finder.find(bound, within('a.example.com', 'example.com'), signal)).id).toBe('example.com');
  });

  test('is asked each time where nobody has looked which zone answers', async () => {
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
