import { type CachedObject, ObjectCache } from './object-cache.ts';
import { isNewer } from './versions.ts';

let cache: ObjectCache;
let told: string[];
let persons: string[];

beforeEach(() => {
  cache = new ObjectCache();
  told = [];
  persons = [];
  cache.onChange(({ name }) => told.push(name));
  cache.onPersonsChange(({ name }) => persons.push(name));
});

const key = (name: string, kind: 'Certificate' | 'Order' = 'Certificate') => ({ kind, namespace: 'ns', name }) as const;
const object = (
  name: string,
  version: string,
  { uid = `uid-${name}`, generation = 1, status = {}, kind = 'Certificate' } = {},
) =>
  ({
    kind,
    metadata: { namespace: 'ns', name, uid, resourceVersion: version, generation, createdAt: 0 },
    spec: { secretName: 's', dnsNames: ['example.com'], issuerRef: { name: 'ca' } },
    status,
  }) as unknown as CachedObject;

test.each([
  ['10', '9', true],
  ['9', '10', false],
  ['9', '9', false],
  ['18446744073709551617', '18446744073709551616', true],
  ['opaque-b', 'opaque-a', true],
  ['opaque-a', 'opaque-a', false],
])('version %s is newer than %s: %s', (a, b, expected) => expect(isNewer(a, b)).toBe(expected));

test('an older event does not bring the past back, whatever order they come in', () => {
  cache.accept(object('a', '10', { status: { issuance: 2 } }));
  cache.accept(object('a', '9', { status: { issuance: 1 } }));
  cache.accept(object('a', '10', { status: { issuance: 2 } }));
  expect(cache.get(key('a'))?.status).toEqual({ issuance: 2 });
  expect(told).toEqual(['a']);
});

test('what we deleted does not come back by a late event; what bears its name later does', () => {
  cache.accept(object('a', '10'));
  cache.remove(key('a'), 'uid-a', 'finally');
  cache.accept(object('a', '11'));
  expect(cache.get(key('a'))).toBeUndefined();
  cache.accept(object('a', '14', { uid: 'second' }));
  cache.remove(key('a'), 'uid-a', 'told');
  cache.accept(object('a', '13', { uid: 'uid-a' }));
  expect(cache.get(key('a'))?.metadata.uid).toBe('second');
});

test('a version in which nothing that is read is different is no news', () => {
  cache.accept(object('a', '10', { status: { issuance: 1 } }));
  cache.accept(object('a', '11', { status: { issuance: 1 } }));
  expect(cache.get(key('a'))?.metadata.resourceVersion).toBe('11');
  expect(told).toEqual(['a']);
});

test("a person's change is another spec, a new object and one that went; not a status, not an Order", () => {
  cache.accept(object('a', '10'));
  cache.accept(object('a', '11', { status: { issuance: 1 } }));
  cache.accept(object('a', '12', { generation: 2, status: { issuance: 2 } }));
  cache.accept(object('a-1', '13', { kind: 'Order' }));
  cache.remove(key('a'), 'uid-a', 'told');
  expect(persons).toEqual(['a', 'a', 'a']);
  expect(told).toEqual(['a', 'a', 'a', 'a-1', 'a']);
});

test('that a person did it is told before what was done', () => {
  const order: string[] = [];
  cache.onChange(() => order.push('change'));
  cache.onPersonsChange(() => order.push('person'));
  cache.accept(object('a', '10'));
  cache.remove(key('a'), 'uid-a', 'told');
  expect(order).toEqual(['person', 'change', 'person', 'change']);
});

test('objects that are much alike hold their common parts once', () => {
  cache.accept(object('a', '10'));
  cache.accept(object('b', '11'));
  const [a, b] = cache.list('Certificate');
  expect(b?.spec).toBe(a?.spec);
  cache.accept(object('a', '12', { status: { issuance: 1 } }));
  expect(cache.get(key('a'))?.spec).toBe(a?.spec);
  expect(a?.metadata.resourceVersion).toBe('10');
});

test('a change that is not written yet is shown, over each newer state, and goes when it is written', () => {
  cache.accept(object('a', '10', { status: { issuance: 1 } }));
  cache.overlay(key('a'), (stored) => ({ ...stored, status: { ...stored.status, order: 'a-1' } }) as CachedObject);
  cache.accept(object('a', '11', { status: { issuance: 2 } }));
  expect(cache.get(key('a'))?.status).toEqual({ issuance: 2, order: 'a-1' });
  expect(cache.list('Certificate')[0]).toBe(cache.get(key('a')));
  expect(cache.stored(key('a'))?.status).toEqual({ issuance: 2 });
  told = [];
  cache.accept(object('a', '12', { status: { issuance: 2, order: 'a-1' } as never }));
  cache.overlay(key('a'), undefined);
  expect(told).toEqual([]);
  expect(cache.get(key('a'))?.status).toEqual({ issuance: 2, order: 'a-1' });
});
