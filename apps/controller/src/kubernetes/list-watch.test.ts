import { FakeClock } from '@zoneproof/core/testing';
import { KubeApiError } from './api-error.ts';
import { cacheSink } from './cache-sink.ts';
import { ListWatch } from './list-watch.ts';
import { ObjectCache } from './object-cache.ts';
import { noAnswer, ScriptedApi, tooOld } from './testing/scripted-api.ts';

let clock: FakeClock;
let api: ScriptedApi;
let cache: ObjectCache;
let told: string[];
let said: string[];
let end: AbortController;
let watch: ListWatch;
let following: Promise<void> | undefined;

beforeEach(() => {
  clock = new FakeClock();
  api = new ScriptedApi();
  cache = new ObjectCache();
  end = new AbortController();
  following = undefined;
  told = [];
  said = [];
  watch = new ListWatch({
    api,
    path: '/apis/zoneproof.dev/v1alpha1/certificates',
    sink: cacheSink(cache, 'Certificate', undefined),
    clock,
    timers: clock,
    random: (length) => new Uint8Array(length),
    signal: end.signal,
    tell: (message) => said.push(message),
  });
  cache.onChange(({ name }) => told.push(name));
});
afterEach(async () => {
  end.abort();
  await following;
  expect(clock.pending).toBe(0);
});

const certificate = (name: string, version: number, secretName = name) => ({
  metadata: { namespace: 'default', name, uid: `uid-${name}`, resourceVersion: String(version), generation: version },
  spec: { secretName, dnsNames: ['example.com'], issuerRef: { name: 'ca' } },
});
const list = (version: number, items: readonly object[], next?: string) => ({
  metadata: { resourceVersion: String(version), ...(next === undefined ? {} : { continue: next }) },
  items,
});
const event = (type: string, object: object) => ({ type, object });
const bookmark = (version: number) => event('BOOKMARK', { metadata: { resourceVersion: String(version) } });
const names = () => cache.list('Certificate').map(({ metadata }) => metadata.name);
const start = async () => {
  await clock.until(watch.start());
  following = watch.follow();
  await clock.advance(0);
};
const lastWatch = () => api.watches.at(-1) as NonNullable<(typeof api.watches)[number]>;
const from = () => lastWatch().asked.query.resourceVersion;

test('a collection is read in pages, and followed from the version of the list, with bookmarks', async () => {
  api.answers.push(list(10, [certificate('a', 1)], 'more'), list(10, [certificate('b', 2)]));
  await start();
  expect(api.requests.map(({ query }) => query)).toEqual([{ limit: '500' }, { limit: '500', continue: 'more' }]);
  expect(names()).toEqual(['a', 'b']);
  expect(watch.hasSynced).toBe(true);
  expect(lastWatch().asked.query).toMatchObject({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '10' });
});

test('a watch that ends goes on after the last event or bookmark', async () => {
  api.answers.push(list(10, []));
  await start();
  lastWatch().send(event('ADDED', certificate('a', 11)), bookmark(40));
  await clock.advance(300_000);
  lastWatch().send('end');
  await clock.advance(0);
  expect([api.watches.length, from(), names()]).toEqual([2, '40', ['a']]);
  lastWatch().send(event('DELETED', certificate('a', 41)), noAnswer());
  await clock.advance(0);
  expect([api.watches.length, from(), names()]).toEqual([3, '41', []]);
  expect(api.requests).toHaveLength(1);
});

test.each([
  ['as an event of the watch', event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })],
  ['as the answer to the watch', tooOld()],
])('"too old", %s, leads to a new list: only what changed is told', async (_title, ending) => {
  api.answers.push(
    list(
      10,
      ['same', 'changed', 'gone'].map((name) => certificate(name, 5)),
    ),
  );
  await start();
  const [same] = cache.list('Certificate');
  told = [];
  api.answers.push(list(50, [certificate('same', 5), certificate('changed', 40, 'other'), certificate('new', 45)]));
  lastWatch().send(ending);
  await clock.advance(0);
  expect([...told].sort()).toEqual(['changed', 'gone', 'new']);
  expect(names().sort()).toEqual(['changed', 'new', 'same']);
  expect(cache.list('Certificate')[0]).toBe(same);
  expect(from()).toBe('50');
});

test('a list whose first page was forgotten before its last is read again in one piece', async () => {
  api.answers.push(list(10, [certificate('a', 1)], 'more'), tooOld(), list(20, [certificate('b', 15)]));
  await start();
  expect(api.requests.at(-1)?.query).toEqual({});
  expect(names()).toEqual(['b']);
});

test('what was written while a list was under way is not lost to it', async () => {
  api.answers.push(list(10, [certificate('old', 5)]));
  await start();
  cache.accept({ ...(cache.list('Certificate')[0] as object), metadata: meta('ours', 60) } as never);
  cache.remove({ kind: 'Certificate', namespace: 'default', name: 'old' }, 'uid-old', 'finally');
  told = [];
  api.answers.push(list(55, [certificate('old', 5)]));
  lastWatch().send(tooOld());
  await clock.advance(0);
  expect([names(), told]).toEqual([['ours'], []]);
});

test('a server that is away is asked again, ever more slowly; both its going and its coming are told once', async () => {
  api.answers.push(list(10, []));
  await start();
  const begun: number[] = [];
  for (let tries = 0; tries < 12; tries++) {
    begun.push(clock.now());
    const before = api.watches.length;
    lastWatch().send(noAnswer());
    for (let waited = 0; api.watches.length === before && waited < 400; waited++) await clock.advance(100);
  }
  const pauses = begun.slice(1).map((at, index) => at - (begun[index] as number));
  expect(pauses[0]).toBeLessThanOrEqual(100);
  expect(pauses.slice(-2).every((ms) => ms >= 30_000 && ms < 40_000)).toBe(true);
  expect(said).toEqual([
    expect.stringMatching(/certificates cannot be followed; what is known may be old\. no answer/),
  ]);
  lastWatch().send(bookmark(11));
  await clock.advance(0);
  expect(said[1]).toMatch(/is followed again/);
});

test('what a server refuses for good ends the start; what may pass does not', async () => {
  const busy = new KubeApiError({ status: 503, reason: 'ServiceUnavailable', message: 'busy' });
  const forbidden = new KubeApiError({ status: 403, reason: 'Forbidden', message: 'no rights' });
  api.answers.push(busy, noAnswer(), forbidden);
  await expect(clock.until(watch.start())).rejects.toThrow('no rights');
});

function meta(name: string, version: number): object {
  const { metadata } = certificate(name, version);
  return { ...metadata, createdAt: 0 };
}
