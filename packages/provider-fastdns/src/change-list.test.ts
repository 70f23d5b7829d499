import { toDnsName } from '@zoneproof/dns';
import { Emulated, zone } from './testing/emulated.ts';
import { secretsOf } from './testing/emulator-fixture.ts';

const edge = new Emulated();

describe('foreign values', () => {
  test('odd rdata is written back byte for byte', async () => {
    const rdata = ['unquoted', '"two" "strings"', '"esc\\097ped \\"quotes\\""'];
    for (const one of rdata) edge.emulator.plantRdata(edge.name, one, 60);
    await edge.lab.start().apply(zone, edge.present('ours'));
    expect(edge.emulator.rdata(edge.name)).toEqual([...rdata, '"ours"']);
    await edge.lab.start().apply(zone, edge.absent('ours'));
    expect(edge.emulator.rdata(edge.name)).toEqual(rdata);
    expect(edge.emulator.published(edge.name).ttl).toBe(60);
  });

  test.each(['post-changelists', 'post-changelists-zone-recordsets-add-change', 'post-changelists-zone-submit'])(
    'one that is added just before %s survives: conflict, then done',
    async (action) => {
      edge.emulator.plant(edge.name, 'first', 600);
      edge.emulator.fail({ kind: 'before', on: { action }, run: () => edge.emulator.plant(edge.name, 'second', 600) });
      const changes = edge.present('ours');
      expect((await edge.apply(changes))[0]).toMatch(/^failed conflict: /);
      expect(edge.emulator.staged('example.test')).toBeUndefined();
      expect(await edge.apply(changes)).toEqual(['changed']);
      expect(edge.valuesAt(edge.name)).toEqual(['first', 'ours', 'second']);
    },
  );

  test('a set that is gone before it is edited is a conflict, not a wrong request', async () => {
    edge.emulator.plant(edge.name, 'ours', 600);
    const run = () => edge.emulator.uproot(edge.name);
    edge.emulator.fail({ kind: 'before', on: { action: 'post-changelists' }, run });
    expect((await edge.apply(edge.absent('ours')))[0]).toMatch(/^failed conflict: /);
    expect(await edge.apply(edge.absent('ours'))).toEqual(['unchanged']);
  });

  test('a set that appears between the look and the creation is left alone', async () => {
    const [one, two] = [edge.name, (await edge.fixture.newTarget()).name];
    edge.emulator.plant(one, 'foreign', 600);
    let writes = 0;
    edge.emulator.fail({
      kind: 'before',
      on: { action: 'post-zones-zone-recordsets' },
      times: 2,
      run: () => (++writes === 2 ? edge.emulator.plant(two, 'late', 600) : undefined),
    });
    const changes = edge.lab.changes(['present', one, 'a'], ['present', two, 'b']);
    const outcomes = await edge.apply(changes);
    expect(outcomes[0]).toBe('changed');
    expect(outcomes[1]).toMatch(/^failed conflict: .* was not created/);
    expect(edge.valuesAt(two)).toEqual(['late']);
  });
});

describe('change lists of others', () => {
  const theirs = { op: 'ADD', name: 'x.example.test', type: 'A', ttl: 300, rdata: ['192.0.2.1'] } as const;

  /** As a person in Control Center, or another tool, does it with the same user. */
  async function stageForeign(): Promise<void> {
    const other = edge.lab.start({ secrets: secretsOf(edge.emulator.addClient('zoneproof')) });
    const at = toDnsName('_acme-challenge.foreign.example.test');
    edge.emulator.plant(at, 'theirs', 600);
    const stop = edge.emulator.fail({ kind: 'reset', on: { action: 'post-changelists-zone-submit' } });
    await other.tryApply(zone, edge.absent('theirs', at));
    stop();
    expect(edge.emulator.staged('example.test')).toHaveLength(1);
  }

  test('staged changes are never thrown away, and the error says what to do', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    await stageForeign();
    const changes = edge.absent('a');
    expect((await edge.apply(changes))[0]).toMatch(
      /^failed conflict: .*another process or person.*changing zone example\.test, last 0 s ago.*API client for zoneproof alone/,
    );
    ageLists(600);
    expect((await edge.apply(changes))[0]).toMatch(
      /^failed unavailable: .*other changes \(_acme-challenge\.foreign\.example\.test TXT\)\. Submit or discard it in Akamai Control Center/,
    );
    expect(edge.emulator.staged('example.test')).toHaveLength(1);
    expect(edge.emulator.seen.some(({ target: path }) => path.includes('overwrite=any'))).toBe(false);
  });

  test('a new version of the zone makes them stale, and then they are replaced', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    await stageForeign();
    edge.emulator.plant(edge.name, 'b', 600);
    ageLists(61);
    expect(await edge.apply(edge.absent('a'))).toEqual(['changed']);
    expect(edge.valuesAt(edge.name)).toEqual(['b']);
  });

  test('one whose creation was not answered may be that of another process, and is let alone for a minute', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    const instance = edge.lab.start();
    edge.emulator.fail({ kind: 'lose-answer', on: { action: 'post-changelists' } });
    expect((await edge.apply(edge.absent('a'), instance))[0]).toMatch(/^unknown unavailable/);
    expect((await edge.apply(edge.absent('a'), instance))[0]).toMatch(/^failed conflict: .*another process or person/);
    ageLists(61);
    expect(await edge.apply(edge.absent('a'), instance)).toEqual(['changed']);
  });

  test.each(['post-changelists-zone-recordsets-add-change', 'post-changelists-zone-submit'])(
    'a call whose answer to %s was lost is made good by the next one of the same process',
    async (action) => {
      edge.emulator.plant(edge.name, 'a', 600);
      const instance = edge.lab.start();
      edge.emulator.fail({ kind: 'lose-answer', on: { action } });
      const changes = edge.absent('a');
      expect((await edge.apply(changes, instance))[0]).toMatch(/unavailable/);
      expect((await edge.apply(changes, instance))[0]).toMatch(/^(un)?changed$/);
      expect(edge.valuesAt(edge.name)).toEqual([]);
      expect(edge.emulator.staged('example.test')).toBeUndefined();
    },
  );

  test('what a crash left is taken over by the next process after a minute', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    edge.emulator.fail({ kind: 'reset', on: { action: 'post-changelists-zone-submit' } });
    const changes = edge.absent('a');
    await edge.lab.start().tryApply(zone, changes);
    expect((await edge.apply(changes))[0]).toMatch(/^failed conflict/);
    ageLists(61);
    expect(await edge.apply(changes)).toEqual(['changed']);
  });

  test.each(['get-changelists-zone-diff', 'post-changelists-zone-recordsets-add-change'])(
    'one that takes the place of ours just before %s is neither submitted nor thrown away',
    async (action) => {
      edge.emulator.plant(edge.name, 'a', 600);
      let times = 0;
      const run = () => {
        if (++times > 1) return;
        edge.emulator.takeList('example.test', [theirs]);
        // And is stale by now.
        if (action !== 'get-changelists-zone-diff') edge.emulator.plant(edge.name, 'b', 600);
      };
      edge.emulator.fail({ kind: 'before', on: { action }, times: 2, run });
      expect((await edge.apply(edge.absent('a')))[0]).toMatch(/^failed conflict: /);
      expect(edge.emulator.staged('example.test')).toEqual([theirs]);
      expect(edge.valuesAt(edge.name)).toContain('a');
    },
  );

  test('that of a process that has taken over is not taken for ours, nor is one at work for one that a crash left', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    const changes = edge.absent('a');
    const instance = edge.lab.start();
    // Ours is removed after a conflict, and the answer to that is lost.
    edge.emulator.fail({
      kind: 'before',
      on: { action: 'post-changelists-zone-submit' },
      run: () => void edge.emulator.fail({ kind: 'lose-answer', on: { action: 'delete-changelists-zone' } }),
    });
    edge.emulator.busy('example.test');
    expect((await edge.apply(changes, instance))[0]).toMatch(/^failed conflict/);
    edge.emulator.takeList('example.test', []);
    expect((await edge.apply(changes, instance))[0]).toMatch(/^failed conflict: .*another process or person/);
    edge.emulator.stage('example.test', { op: 'DELETE', name: edge.name, type: 'TXT' });
    expect((await edge.apply(changes, instance))[0]).toMatch(/^failed conflict: .*another process or person/);
    // A call may wait this long for its next permit.
    ageLists(29);
    expect((await edge.apply(changes, instance))[0]).toMatch(/^failed conflict: .*another process or person/);
    ageLists(60);
    expect(await edge.apply(changes, instance)).toEqual(['changed']);
  });

  test('of which the answer does not tell what it holds is left alone', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    edge.emulator.takeList('example.test', [theirs]);
    ageLists(600);
    edge.emulator.fail({
      kind: 'change-answer',
      on: { action: 'get-changelists-zone-diff' },
      change: (answer) => ({ ...answer, body: { metadata: {} } }),
    });
    expect((await edge.apply(edge.absent('a')))[0]).toMatch(/^failed unavailable/);
    expect(edge.emulator.staged('example.test')).toEqual([theirs]);
  });

  test('what another tool adds to the list in use is not submitted', async () => {
    edge.emulator.plant(edge.name, 'a', 600);
    edge.emulator.fail({
      kind: 'before',
      on: { action: 'get-changelists-zone-diff' },
      run: () => edge.emulator.stage('example.test', theirs),
    });
    expect((await edge.apply(edge.absent('a')))[0]).toMatch(/^failed conflict: .*was not submitted/);
    expect(edge.valuesAt(edge.name)).toEqual(['a']);
    expect(edge.emulator.staged('example.test')).toHaveLength(2);
  });

  function ageLists(seconds: number): void {
    edge.emulator.ageLists(seconds * 1000);
  }
});
