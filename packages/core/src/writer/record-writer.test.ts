import { toDnsName } from '@zoneproof/dns';
import { isProviderError, type ProviderErrorKind } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import {
  createRecordWriter,
  type LedgerEntry,
  MemoryLedger,
  type RecordWriterOptions,
  type WriteOutcome,
  type WriteRequest,
  type WriterEvent,
} from './index.ts';
import { FakeService, type FakeServiceOptions, type Fault, zone } from './testing/fake-service.ts';

const apex = '_acme-challenge.example.com';
const www = '_acme-challenge.www.example.com';

function setUp(capabilities: FakeServiceOptions['capabilities'] = {}, options: Partial<RecordWriterOptions> = {}) {
  const clock = new FakeClock();
  const ledger = new WatchedLedger();
  const service = new FakeService({ clock, ledger, capabilities });
  const events: WriterEvent[] = [];
  const writer = createRecordWriter({
    ledger,
    clock,
    timers: clock,
    random: (length) => new Uint8Array(length).fill(128),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const bound = service.bind();
  const ask = (
    owner: string,
    state: 'present' | 'absent',
    records: readonly (readonly [name: string, value: string])[],
    more: Partial<WriteRequest> = {},
  ) =>
    writer.write({
      owner,
      provider: bound,
      zone,
      state,
      records: records.map(([name, value]) => ({ name: toDnsName(name), value })),
      signal: new AbortController().signal,
      ...more,
    });
  return { clock, ledger, service, writer, bound, ask, events };
}

/** Counts calls and refuses what a test wants refused. */
class WatchedLedger extends MemoryLedger {
  recordCalls = 0;
  settleCalls = 0;
  refuse: (entries: readonly LedgerEntry[]) => boolean = () => false;
  refuseSettle = false;

  override async record(entries: readonly LedgerEntry[]): Promise<void> {
    this.recordCalls++;
    if (this.refuse(entries)) throw new Error('the disk is full');
    await super.record(entries);
  }

  override async settle(ids: readonly string[]): Promise<void> {
    this.settleCalls++;
    if (this.refuseSettle) throw new Error('the disk is full');
    await super.settle(ids);
  }
}

function status(outcomes: readonly WriteOutcome[]): readonly string[] {
  return outcomes.map((outcome) => {
    if (outcome.status === 'failed') return `failed ${outcome.error.kind}`;
    return outcome.status === 'done' ? `done ${outcome.changed ? 'changed' : 'unchanged'}` : outcome.status;
  });
}

function failed(outcome: WriteOutcome | undefined): Extract<WriteOutcome, { status: 'failed' }> {
  if (outcome?.status !== 'failed') throw new Error(`expected a failure, got ${outcome?.status}`);
  expect(isProviderError(outcome.error)).toBe(true);
  return outcome;
}

describe('gathering', () => {
  test('apex and wildcard of one request travel in one batch, recorded before', async () => {
    const { clock, service, ledger, ask } = setUp();
    service.plant(apex, 'foreign');
    const outcomes = await clock.until(
      ask('ns/o1', 'present', [
        [apex, 'a'],
        [apex, 'b'],
      ]),
    );
    expect(outcomes).toEqual([
      { status: 'done', changed: true, receipt: { kind: 'fake', token: 'a' } },
      { status: 'done', changed: true, receipt: { kind: 'fake', token: 'b' } },
    ]);
    expect(service.requests).toHaveLength(1);
    expect(service.at(apex)).toEqual(['a', 'b', 'foreign']);
    expect(ledger.recordCalls).toBe(1);
    expect(ledger.entries().map((entry) => [entry.owner, entry.value, entry.ttl])).toEqual([
      ['ns/o1', 'a', 60],
      ['ns/o1', 'b', 60],
    ]);
    expect(service.breaches).toEqual([]);
  });

  test('100 requests in one zone within a second: one record, one batch per 50', async () => {
    const { clock, service, ledger, ask } = setUp();
    const asked = Array.from({ length: 100 }, async (_, i) => {
      await clock.advance(0);
      return ask(`ns/o${i}`, 'present', [[`_acme-challenge.n${i}.example.com`, `v${i}`]]);
    });
    const outcomes = await clock.until(Promise.all(asked));
    expect(outcomes.flat().every((outcome) => outcome.status === 'done')).toBe(true);
    expect(service.requests.map((batch) => batch.length)).toEqual([50, 50]);
    expect(ledger.recordCalls).toBe(2);
    expect(service.breaches).toEqual([]);
  });

  test('leaves 100 ms after the last arrival, and 1 s after the first at the latest', async () => {
    const { clock, service, ask } = setUp();
    const start = clock.now();
    const first = ask('ns/o0', 'present', [[www, 'v0']]);
    await clock.advance(99);
    expect(service.requests).toHaveLength(0);
    await clock.advance(1);
    expect(service.requests).toHaveLength(1);
    await clock.until(first);

    const late: Promise<unknown>[] = [];
    const begin = clock.now();
    for (let i = 0; service.requests.length === 1 && i < 50; i++) {
      late.push(ask(`ns/o${i}`, 'present', [[`_acme-challenge.n${i}.example.com`, 'v']]));
      await clock.advance(60);
    }
    expect(clock.now() - begin).toBeGreaterThanOrEqual(1000);
    expect(clock.now() - begin).toBeLessThan(1100);
    expect(start).toBeLessThan(begin);
    await clock.until(Promise.all(late));
  });

  test('zones and accounts do not wait for each other', async () => {
    const { clock, service, ask } = setUp({ writeScope: 'account' });
    const other = { id: 'z2', name: toDnsName('example.net') };
    const both = Promise.all([
      ask('ns/o1', 'present', [[apex, 'a']]),
      ask('ns/o1', 'present', [['_acme-challenge.example.net', 'a']], { zone: other }),
      ask('ns/o1', 'present', [[apex, 'a']], { provider: service.bind('fake:b') }),
    ]);
    await clock.until(both);
    expect(service.requests).toHaveLength(3);
    expect(service.breaches).toEqual([]);
  });

  test('two blocks of one account are not sent with one block’s credentials', async () => {
    const { clock, service, ask } = setUp();
    const other = { ...service.bind(), block: { ...service.bind().block, issuer: 'Issuer/other/ca' } };
    await clock.until(
      Promise.all([ask('ns/o1', 'present', [[apex, 'a']]), ask('ns/o2', 'present', [[www, 'b']], { provider: other })]),
    );
    expect(service.requests.map((batch) => batch.map((change) => change.value))).toEqual([['a'], ['b']]);
  });

  test('a name outside the zone is refused before anything is recorded', async () => {
    const { ask, ledger } = setUp();
    const [outcome] = await ask('ns/o1', 'present', [['_acme-challenge.badexample.com', 'a']]);
    expect(failed(outcome).error.message).toBe(
      'fake "lab": _acme-challenge.badexample.com does not lie in zone example.com',
    );
    expect(ledger.entries()).toEqual([]);
  });

  test('a request without records is done', async () => {
    expect(await setUp().ask('ns/o1', 'present', [])).toEqual([]);
  });
});

describe('order at one value', () => {
  test.each(['zone', 'name', 'none'] as const)(
    'present then absent within one window ends absent (scope %s)',
    async (writeScope) => {
      const { clock, service, ledger, ask } = setUp({ writeScope });
      const both = Promise.all([ask('ns/o1', 'present', [[apex, 'a']]), ask('ns/o1', 'absent', [[apex, 'a']])]);
      expect((await clock.until(both)).map(status)).toEqual([['done changed'], ['done changed']]);
      expect(service.at(apex)).toEqual([]);
      expect(ledger.entries()).toEqual([]);
      expect(service.breaches).toEqual([]);
    },
  );

  test('absent then present ends present', async () => {
    const { clock, service, ledger, ask } = setUp({ writeScope: 'none' });
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    await clock.until(Promise.all([ask('ns/o1', 'absent', [[apex, 'a']]), ask('ns/o1', 'present', [[apex, 'a']])]));
    expect(service.at(apex)).toEqual(['a']);
    expect(ledger.entries()).toHaveLength(1);
  });

  test('of two owners of one value the last to leave removes it', async () => {
    const { clock, service, ledger, ask } = setUp();
    await clock.until(Promise.all([ask('ns/o1', 'present', [[apex, 'a']]), ask('ns/o2', 'present', [[apex, 'a']])]));
    expect(service.requests).toHaveLength(1);
    expect(ledger.entries()).toHaveLength(2);
    expect(status(await clock.until(ask('ns/o1', 'absent', [[apex, 'a']])))).toEqual(['done unchanged']);
    expect(service.requests).toHaveLength(1);
    expect(service.at(apex)).toEqual(['a']);
    expect(status(await clock.until(ask('ns/o2', 'absent', [[apex, 'a']])))).toEqual(['done changed']);
    expect(service.at(apex)).toEqual([]);
    expect(ledger.entries()).toEqual([]);
  });

  test('two owners that leave together remove it too', async () => {
    const { clock, service, ledger, ask } = setUp();
    await clock.until(Promise.all([ask('ns/o1', 'present', [[apex, 'a']]), ask('ns/o2', 'present', [[apex, 'a']])]));
    await clock.until(Promise.all([ask('ns/o1', 'absent', [[apex, 'a']]), ask('ns/o2', 'absent', [[apex, 'a']])]));
    expect(service.at(apex)).toEqual([]);
    expect(ledger.entries()).toEqual([]);
    expect(ledger.settleCalls).toBe(1);
  });
});

describe('what is held', () => {
  test('the other values of ours at the name, not those of the same batch', async () => {
    const { clock, service, ask } = setUp();
    service.plant(apex, 'foreign');
    await clock.until(
      ask('ns/o1', 'present', [
        [apex, 'a'],
        [apex, 'b'],
      ]),
    );
    await clock.until(
      ask('ns/o2', 'present', [
        [apex, 'c'],
        [www, 'd'],
      ]),
    );
    await clock.until(ask('ns/o1', 'absent', [[apex, 'a']]));
    expect(service.requests.map((batch) => batch.map((change) => [change.value, change.held]))).toEqual([
      [
        ['a', { values: [], ttl: undefined }],
        ['b', { values: [], ttl: undefined }],
      ],
      [
        ['c', { values: ['a', 'b'], ttl: 60 }],
        ['d', { values: [], ttl: undefined }],
      ],
      [['a', { values: ['b', 'c'], ttl: 60 }]],
    ]);
  });

  test('with the TTL it was written with, though the default is another by now', async () => {
    const { clock, service, bound, ask } = setUp();
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    const { capabilities } = bound;
    const today = { ...bound, capabilities: { ...capabilities, ttl: { ...capabilities.ttl, default: 300 } } };
    await clock.until(ask('ns/o1', 'absent', [[apex, 'a']], { provider: today }));
    await clock.until(ask('ns/o2', 'present', [[apex, 'b']], { provider: today }));
    expect(service.requests.flat().map(({ state, ttl }) => [state, ttl])).toEqual([
      ['present', 60],
      ['absent', 60],
      ['present', 300],
    ]);
  });

  test('after a bisection it includes what the first half wrote', async () => {
    const { clock, service, ask } = setUp();
    service.refused.set('bad', 'invalid');
    await clock.until(
      ask('ns/o1', 'present', [
        [apex, 'a'],
        [apex, 'bad'],
      ]),
    );
    expect(service.requests.at(-1)?.[0]).toMatchObject({ value: 'bad', held: { values: ['a'], ttl: 60 } });
  });
});

describe('failures', () => {
  test.each<[title: string, faults: Fault[], expected: string, requests: number]>([
    ['a conflict is repeated at once', [{ kind: 'conflict' }, { kind: 'conflict' }], 'done changed', 3],
    ['five repeats of a conflict are enough', Array(9).fill({ kind: 'conflict' }), 'failed conflict', 6],
    ['a lost answer is applied again', ['lost-answer'], 'done unchanged', 2],
    ['a lost request is applied again', ['lost-request'], 'done changed', 2],
    [
      'two repeats of an unknown outcome are enough',
      ['lost-request', 'lost-request', 'lost-request'],
      'failed unavailable',
      3,
    ],
    ['an unavailable service is not asked again at once', [{ kind: 'unavailable' }], 'failed unavailable', 1],
    ['wrong credentials neither', [{ kind: 'auth' }], 'failed auth', 1],
    ['a provider package that breaks is asked again', ['broken'], 'done changed', 2],
    ['a silent service costs one deadline and is asked again', ['silent'], 'done changed', 2],
    ['a provider that ignores its signal is left behind', ['deaf'], 'done changed', 2],
  ])('%s', async (_title, faults, expected, requests) => {
    const { clock, service, ledger, ask } = setUp();
    service.faults.push(...faults);
    const outcomes = await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    expect(status(outcomes)).toEqual([expected]);
    expect(service.requests).toHaveLength(requests);
    expect(ledger.entries()).toHaveLength(1);
  });

  test.each<[kind: ProviderErrorKind, retry: boolean]>([
    ['unavailable', true],
    ['rate-limited', true],
    ['conflict', true],
    ['auth', false],
    ['permission', false],
    ['zone-not-found', false],
    ['quota', false],
    ['invalid', false],
    ['action-required', false],
  ])('%s: a time to try again is given: %s', async (kind, retry) => {
    const { clock, service, ask } = setUp();
    service.faults.push(...Array(6).fill({ kind }));
    const outcome = failed((await clock.until(ask('ns/o1', 'present', [[apex, 'a']])))[0]);
    expect(outcome.error.kind).toBe(kind);
    expect(outcome.retryAt !== undefined).toBe(retry);
    if (outcome.retryAt !== undefined) expect(outcome.retryAt).toBeGreaterThan(clock.now());
  });

  test('the times grow with each failure of the account, up to five minutes, and begin anew after a success', async () => {
    const { clock, service, ask } = setUp();
    const waits: number[] = [];
    for (let i = 0; i < 12; i++) {
      service.faults.push({ kind: 'unavailable' });
      const outcome = failed((await clock.until(ask('ns/o1', 'present', [[apex, 'a']])))[0]);
      waits.push(outcome.retryAt! - clock.now());
    }
    expect(waits.slice(0, 4).every((wait, i) => i === 0 || wait > waits[i - 1]!)).toBe(true);
    expect(waits.at(-1)).toBeGreaterThan(150_000);
    expect(waits.at(-1)).toBeLessThanOrEqual(300_000);
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    service.faults.push({ kind: 'unavailable' });
    const outcome = failed((await clock.until(ask('ns/o1', 'present', [[apex, 'b']])))[0]);
    expect(outcome.retryAt! - clock.now()).toBeLessThanOrEqual(1_000);
  });

  test('a deadline is told as such', async () => {
    const { clock, service, ask } = setUp();
    service.faults.push('silent', 'silent', 'silent');
    const outcome = failed((await clock.until(ask('ns/o1', 'present', [[apex, 'a']])))[0]);
    expect(outcome.error.message).toContain('took longer than 30 s');
    expect(outcome.error.kind).toBe('unavailable');
    expect(outcome.retryAt).toBeGreaterThan(clock.now());
  });

  test('a long Retry-After pauses the account: told at once, and later requests are not sent', async () => {
    const { clock, service, ask } = setUp();
    service.faults.push({ kind: 'rate-limited', retryAfterMs: 60_000 });
    const first = failed((await clock.until(ask('ns/o1', 'present', [[apex, 'a']])))[0]);
    expect(first.retryAt! - clock.now()).toBeGreaterThanOrEqual(60_000);
    expect(first.retryAt! - clock.now()).toBeLessThanOrEqual(61_000);

    const before = clock.now();
    const second = failed((await clock.until(ask('ns/o2', 'present', [[www, 'b']])))[0]);
    expect(second.error.kind).toBe('rate-limited');
    expect(clock.now() - before).toBeLessThan(1_000);
    expect(second.retryAt).toBeGreaterThanOrEqual(first.retryAt! - 1_000);
    expect(service.requests).toHaveLength(1);

    await clock.advance(61_000);
    expect(status(await clock.until(ask('ns/o1', 'present', [[apex, 'a']])))).toEqual(['done changed']);
  });

  test('an atomic batch refused for one change is cut until the others are through', async () => {
    const { clock, service, ask, events } = setUp();
    service.refused.set('v13', 'invalid');
    const asked = Array.from({ length: 40 }, (_, i) =>
      ask(`ns/o${i}`, 'present', [[`_acme-challenge.n${i}.example.com`, `v${i}`]]),
    );
    const outcomes = await clock.until(Promise.all(asked));
    expect(outcomes.map(([outcome]) => outcome?.status === 'done')).toEqual(asked.map((_, i) => i !== 13));
    expect(service.requests.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(40)) + 1);
    expect(events.some((event) => event.type === 'repeated' && event.why === 'bisection')).toBe(true);
  });

  test('a refusal that meets every change does not cost two requests a change', async () => {
    const { clock, service, ask } = setUp();
    for (let i = 0; i < 50; i++) service.refused.set(`v${i}`, 'permission');
    const asked = Array.from({ length: 50 }, (_, i) =>
      ask(`ns/o${i}`, 'present', [[`_acme-challenge.n${i}.example.com`, `v${i}`]]),
    );
    const outcomes = (await clock.until(Promise.all(asked))).flat();
    expect(new Set(status(outcomes))).toEqual(new Set(['failed permission']));
    expect(service.requests.length).toBeLessThanOrEqual(20);
    // Those that were only refused together may be right: they get another time.
    const proven = outcomes.filter((outcome) => failed(outcome).retryAt === undefined);
    expect(proven.length).toBeGreaterThanOrEqual(1);
    expect(proven.length).toBeLessThan(50);
  });

  test('what the provider finds done already does not keep a refused batch from being cut', async () => {
    const { clock, service, ask, bound } = setUp();
    service.plant(apex, 'there');
    service.refused.set('bad', 'permission');
    // As provider-rfc2136 does: it reads first, and an update holds only what is not there yet.
    const apply: typeof bound.provider.apply = async (where, changes, call) => {
      const isThere = ({ name, value }: { name: string; value: string }) => service.at(name).includes(value);
      const rest = changes.filter((change) => !isThere(change));
      const outcomes = rest.length === 0 ? [] : [...(await bound.provider.apply(where, rest, call))];
      return changes.map((change) => (rest.includes(change) ? outcomes.shift()! : { status: 'unchanged' }));
    };
    const provider = { ...bound, provider: { ...bound.provider, apply } };
    const request = ask(
      'ns/o1',
      'present',
      [
        [apex, 'there'],
        [apex, 'good'],
        [apex, 'bad'],
      ],
      { provider },
    );
    expect(status(await clock.until(request))).toEqual(['done unchanged', 'done changed', 'failed permission']);
  });

  test('a batch that is not atomic is not cut', async () => {
    const { clock, service, ask } = setUp({ batch: { maxChanges: 50, atomic: false } });
    service.refused.set('bad', 'invalid');
    const outcomes = await clock.until(
      ask('ns/o1', 'present', [
        [apex, 'a'],
        [apex, 'bad'],
      ]),
    );
    expect(status(outcomes)).toEqual(['done changed', 'failed invalid']);
    expect(service.requests).toHaveLength(1);
  });
});

describe('the ledger', () => {
  test('an intent that cannot be stored is not sent', async () => {
    const { clock, service, ledger, ask } = setUp();
    ledger.refuse = () => true;
    const outcome = failed((await clock.until(ask('ns/o1', 'present', [[apex, 'a']])))[0]);
    expect(outcome.error.message).toContain('the intent could not be stored (the disk is full)');
    expect(outcome.retryAt).toBeGreaterThan(clock.now());
    expect(service.requests).toHaveLength(0);
  });

  test('an owner whose intent cannot be stored does not hold up the others of the batch', async () => {
    const { clock, service, ledger, ask } = setUp();
    ledger.refuse = (entries) => entries.some((entry) => entry.owner === 'ns/deleted');
    const both = Promise.all([ask('ns/deleted', 'present', [[apex, 'a']]), ask('ns/o2', 'present', [[apex, 'b']])]);
    expect((await clock.until(both)).map(status)).toEqual([['failed unavailable'], ['done changed']]);
    expect(service.at(apex)).toEqual(['b']);
    expect(service.breaches).toEqual([]);
  });

  test('a removal that could not be crossed out is not called done', async () => {
    const { clock, ledger, ask } = setUp();
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    ledger.refuseSettle = true;
    expect(status(await clock.until(ask('ns/o1', 'absent', [[apex, 'a']])))).toEqual(['failed unavailable']);
    ledger.refuseSettle = false;
    expect(status(await clock.until(ask('ns/o1', 'absent', [[apex, 'a']])))).toEqual(['done unchanged']);
    expect(ledger.entries()).toEqual([]);
  });

  test('is not crossed out when the removal failed', async () => {
    const { clock, service, ledger, ask } = setUp();
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    service.faults.push({ kind: 'unavailable' });
    expect(status(await clock.until(ask('ns/o1', 'absent', [[apex, 'a']])))).toEqual(['failed unavailable']);
    expect(ledger.entries()).toHaveLength(1);
  });

  test('a value that is asked for again is not recorded again, unless its block has changed', async () => {
    const { clock, service, ledger, ask } = setUp();
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']]));
    expect(ledger.recordCalls).toBe(1);
    const since = ledger.entries()[0]?.since;
    const bound = service.bind();
    const changed = { ...bound, block: { ...bound.block, config: { secret: { name: 'new', key: 'k' } } } };
    await clock.until(ask('ns/o1', 'present', [[apex, 'a']], { provider: changed }));
    expect(ledger.entries()).toEqual([expect.objectContaining({ provider: changed.block, since })]);
  });

  test('a value of an earlier process that is in the ledger can be removed', async () => {
    const first = setUp();
    await first.clock.until(first.ask('ns/o1', 'present', [[apex, 'a']]));
    const second = setUp({}, { ledger: first.ledger });
    second.service.plant(apex, 'a', 'foreign');
    await second.clock.until(second.ask('ns/o1', 'absent', [[apex, 'a']]));
    expect(second.service.at(apex)).toEqual(['foreign']);
    expect(first.ledger.entries()).toEqual([]);
  });
});

describe('stopping', () => {
  test('a request that is stopped before its batch leaves is not sent', async () => {
    const { clock, service, ledger, ask } = setUp();
    const stop = new AbortController();
    const request = ask('ns/o1', 'present', [[apex, 'a']], { signal: stop.signal });
    stop.abort();
    expect(status(await request)).toEqual(['failed aborted']);
    await clock.advance(1_000);
    expect(service.requests).toHaveLength(0);
    expect(ledger.entries()).toEqual([]);
  });

  test('one that is stopped on the way gets its outcome at once; the batch goes on for the others', async () => {
    const { clock, service, ask } = setUp();
    const stop = new AbortController();
    const gone = ask('ns/o1', 'present', [[apex, 'a']], { signal: stop.signal });
    const stays = ask('ns/o2', 'present', [[apex, 'b']]);
    await clock.advance(105);
    expect(service.requests).toHaveLength(1);
    stop.abort();
    expect(status(await gone)).toEqual(['failed aborted']);
    expect(status(await clock.until(stays))).toEqual(['done changed']);
  });

  test('when all are stopped the call is aborted', async () => {
    const { clock, service, ledger, ask } = setUp();
    const stop = new AbortController();
    service.faults.push('silent');
    const gone = ask('ns/o1', 'present', [[apex, 'a']], { signal: stop.signal });
    await clock.advance(105);
    stop.abort();
    expect(status(await gone)).toEqual(['failed aborted']);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    expect(ledger.entries()).toHaveLength(1);
  });

  test('close lets go of everything', async () => {
    const { clock, service, writer, ask } = setUp();
    service.faults.push('silent');
    const sent = ask('ns/o1', 'present', [[apex, 'a']]);
    await clock.advance(105);
    const queued = ask('ns/o2', 'present', [[apex, 'b']]);
    await writer.close();
    expect([status(await sent), status(await queued)]).toEqual([['failed aborted'], ['failed aborted']]);
    expect(status(await ask('ns/o3', 'present', [[apex, 'c']]))).toEqual(['failed aborted']);
    expect(clock.pending).toBe(0);
  });
});
