import { strict as assert } from 'node:assert';
import type { ChangeOutcome } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Lab } from './lab.ts';
import { isBad, kindOf, shown } from './outcomes.ts';
import type { Step } from './step.ts';

export const applySteps: readonly Step[] = [
  {
    id: 'A1',
    title: 'values that are not named stay, and so does the TTL of their RRset',
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const { model } = lab.plugin.capabilities;
      const foreign = model === 'slots' ? [lab.value()] : ['v=spf1 -all', 'with "quotes" and \\ in it', octets];
      for (const value of foreign) await lab.fixture.plant(name, value, 4711);
      const [apex, wildcard] = [lab.value(), lab.value()];
      expect(await instance.apply(zone, lab.changes(['present', name, apex])), ['changed']);
      await sees(lab, name, [...foreign, apex], 'after the first value');
      if (model === 'slots') {
        expect(await instance.apply(zone, lab.changes(['absent', name, apex])), ['unchanged']);
        await sees(lab, name, [...foreign, apex], 'after an absent that sends nothing');
        return;
      }
      expect(await instance.apply(zone, lab.changes(['present', name, wildcard], ['absent', name, apex])), [
        'changed',
        'changed',
      ]);
      await sees(lab, name, [...foreign, wildcard], 'after one value took the place of another');
      expect(await instance.apply(zone, lab.changes(['absent', name, wildcard])), ['changed']);
      const { ttl } = await sees(lab, name, foreign, 'after the last value of ours');
      if (ttl !== undefined && model !== 'record') assert.equal(ttl, 4711, 'TTL of the foreign RRset');
    },
  },
  {
    id: 'A2',
    title: 'a repeated call is unchanged, and a lost answer is made good by one',
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const slots = lab.plugin.capabilities.model === 'slots';
      const value = lab.value();
      const repeated = async (state: 'present' | 'absent', then: string[], values: string[]): Promise<void> => {
        for (const expected of then) expect(await instance.apply(zone, lab.changes([state, name, value])), [expected]);
        await sees(lab, name, values, `after ${state}`);
      };
      await repeated('present', ['changed', 'unchanged'], [value]);
      await repeated('absent', slots ? ['unchanged', 'unchanged'] : ['changed', 'unchanged'], slots ? [value] : []);
      lab.settle(name, value);
      const lost = lab.value();
      lab.traffic.mode = 'lose-answers';
      const outcomes = await instance.tryApply(zone, lab.changes(['present', name, lost]));
      assert.equal(outcomes[0]?.status, 'unknown', `after a lost answer: ${shown(outcomes)}`);
      lab.traffic.mode = 'pass';
      const again = await instance.apply(zone, lab.changes(['present', name, lost]));
      assert.ok(!again.some(isBad), `repeated after a lost answer: ${shown(again)}`);
      await sees(lab, name, slots ? [value, lost] : [lost], 'after the repetition');
    },
  },
  {
    id: 'A3',
    title: 'outcomes come in the order of the changes, one each',
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const [old, fresh, missing] = [lab.value(), lab.value(), lab.value()];
      await instance.apply(zone, lab.changes(['present', name, old]));
      const outcomes = await instance.apply(zone, lab.changes(['present', name, fresh], ['present', name, old]));
      expect(outcomes, ['changed', 'unchanged']);
      if (lab.plugin.capabilities.model === 'slots') return;
      const more = lab.changes(['absent', name, missing], ['absent', name, fresh], ['present', name, old]);
      expect(await instance.apply(zone, more), ['unchanged', 'changed', 'unchanged']);
      await sees(lab, name, [old], 'after both calls');
    },
  },
  {
    id: 'A4',
    title: 'calls at the same time do not disturb each other',
    setAside: ({ model, compareAndSet, writeScope }) =>
      compareAndSet || model === 'slots' || writeScope === 'none' || writeScope === 'name'
        ? undefined
        : `the host sends one call at a time to the ${writeScope}, and two processes are told apart by nothing`,
    async run(lab) {
      // Two processes share no queue: with compare-and-set even one name is safe, else each call has a name of its own.
      const shared = lab.plugin.capabilities.compareAndSet ? await lab.prepare() : undefined;
      const writes = await Promise.all(
        Array.from({ length: 4 }, async () => ({ ...(shared ?? (await lab.prepare())), value: lab.value() })),
      );
      const outcomes = await Promise.all(
        writes.map(({ name, zone, value }) =>
          throughConflicts(() => lab.start().apply(zone, lab.changes(['present', name, value]))),
        ),
      );
      assert.ok(
        outcomes.flat().every((outcome) => !isBad(outcome)),
        shown(outcomes.flat()),
      );
      if (shared)
        await sees(
          lab,
          shared.name,
          writes.map(({ value }) => value),
          'after four writers at once',
        );
      else for (const { name, value } of writes) await sees(lab, name, [value], 'after writers at four names');

      const one = lab.start();
      const calls = await Promise.all(
        Array.from({ length: 4 }, async () => ({ ...(await lab.prepare()), value: lab.value() })),
      );
      const became = await Promise.all(
        calls.map(({ name, zone, value }) =>
          throughConflicts(() => one.apply(zone, lab.changes(['present', name, value]))),
        ),
      );
      for (const { name, value } of calls) await sees(lab, name, [value], 'after four calls at once of one instance');
      assert.ok(!became.flat().some(isBad), shown(became.flat()));
    },
  },
  {
    id: 'A5',
    title: 'one call writes as often as declared at most, also when it is refused again and again',
    async run(lab) {
      const { traffic } = lab;
      const { name, zone, instance } = await lab.prepare();
      const { model, maxValuesPerName, writeAttempts = 2 } = lab.plugin.capabilities;
      const values = Array.from({ length: Math.min(3, maxValuesPerName) }, () => lab.value());
      const most = writeAttempts * (model === 'slots' || model === 'record' ? values.length : 1);
      await instance.apply(zone, lab.changes(...values.map((value) => ['present', name, value] as const)));
      assert.ok(traffic.writes <= most, `${traffic.writes} writes for ${values.length} values at one name`);

      traffic.mode = 'lose-answers';
      traffic.writes = 0;
      const other = await lab.prepare();
      await other.instance.tryApply(other.zone, lab.changes(['present', other.name, lab.value()]));
      assert.ok(traffic.writes <= writeAttempts, `${traffic.writes} writes of one value whose answers were lost`);

      if (model === 'slots') return;
      traffic.mode = 'pass';
      const busy = await lab.prepare();
      traffic.writes = 0;
      traffic.beforeWrite = () => lab.fixture.plant(busy.name, `foreign ${traffic.writes}`, 4711);
      const outcomes = await busy.instance.tryApply(busy.zone, lab.changes(['present', busy.name, lab.value()]));
      assert.ok(traffic.writes <= writeAttempts, `${traffic.writes} writes of one value beside a busy writer`);
      const [kind] = outcomes.map(kindOf);
      assert.ok(kind === 'changed' || kind === 'failed/conflict', `beside a busy writer: ${shown(outcomes)}`);
    },
  },
  {
    id: 'A6',
    title: 'what was written before a restart can be removed after it',
    setAside: ({ model }) => (model === 'slots' ? 'nothing can be removed from slots' : undefined),
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const value = lab.value();
      await instance.apply(zone, lab.changes(['present', name, value]));
      await instance.provider.close?.();
      expect(await lab.start().apply(zone, lab.changes(['absent', name, value])), ['changed']);
      await sees(lab, name, [], 'after the restarted process removed it');
    },
  },
  {
    id: 'A7',
    title: 'what is reported as written is there, and a yes without effect is failed',
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const value = lab.value();
      expect(await instance.apply(zone, lab.changes(['present', name, value])), ['changed']);
      await sees(lab, name, [value], 'after changed');
      if (!lab.has('A7', 'pretendWrites')) return;
      const other = await lab.prepare();
      const changes = lab.changes(['present', other.name, lab.value()]);
      lab.fixture.pretendWrites?.(true);
      const outcomes = await other.instance
        .apply(other.zone, changes)
        .finally(() => lab.fixture.pretendWrites?.(false));
      const statuses = outcomes.map(({ status }) => status);
      assert.deepEqual(
        statuses,
        ['failed'],
        `a write that the service answers as done and does not do: ${shown(outcomes)}. Claim only what the answer proves; ` +
          "where no answer can prove it, say so under 'A7 pretendWrites' of setAside",
      );
    },
  },
  {
    id: 'A8',
    title: 'in slots, absent sends nothing and a live value is not sent again',
    setAside: ({ model }) => (model === 'slots' ? undefined : `model ${model} has no slots`),
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const { traffic } = lab;
      const [first, second] = [lab.value(), lab.value()];
      await instance.apply(zone, lab.changes(['present', name, first]));
      traffic.mode = 'lose-answers';
      await instance.apply(zone, lab.changes(['present', name, second]));
      traffic.mode = 'pass';
      traffic.writes = 0;
      const both = lab.changes(['present', name, second], ['present', name, first]);
      expect(await lab.start().apply(zone, both), ['unchanged', 'unchanged']);
      assert.equal(traffic.writes, 0, 'writes of live values');
      traffic.requests = 0;
      expect(await lab.start().apply(zone, lab.changes(['absent', name, first])), ['unchanged']);
      assert.equal(traffic.requests, 0, 'requests of absent');
      await sees(lab, name, [first, second], 'after all');
    },
  },
  {
    id: 'A9',
    title: 'a value that another writer adds between our read and our write survives',
    setAside: ({ compareAndSet }) => (compareAndSet ? undefined : 'the service has no compare-and-set'),
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const foreign: string[] = [];
      // Before the first write of a call and before the one that corrects it.
      const meddle = (times: number): void => {
        lab.traffic.beforeWrite = async () => {
          if (times-- <= 0) return;
          foreign.push(`foreign ${foreign.length + 1}`);
          await lab.fixture.plant(name, foreign.at(-1) as string, 4711);
        };
      };
      const ours: string[] = [];
      for (const times of [1, 2, 1]) {
        const value = lab.value();
        meddle(times);
        expect(await throughConflicts(() => instance.tryApply(zone, lab.changes(['present', name, value]))), [
          'changed',
        ]);
        ours.push(value);
        await sees(lab, name, [...foreign, ...ours], 'after a foreign writer came in between');
      }
      for (const value of [...ours]) {
        meddle(1);
        expect(await throughConflicts(() => instance.tryApply(zone, lab.changes(['absent', name, value]))), [
          'changed',
        ]);
        lab.settle(name, value);
        ours.shift();
        await sees(lab, name, [...foreign, ...ours], 'after a removal with a foreign writer in between');
      }
    },
  },
];

// Beyond ASCII, and no UTF-8 as a whole.
const octets = 'caf\xc3\xa9 \x80\xff';

function expect(outcomes: readonly ChangeOutcome[], statuses: readonly string[]): void {
  assert.deepEqual(outcomes.map(kindOf), statuses, `outcomes: ${shown(outcomes)}`);
}

/** As the host does: a conflict is applied again at once, up to five times. */
async function throughConflicts(apply: () => Promise<readonly ChangeOutcome[]>): Promise<readonly ChangeOutcome[]> {
  for (let repeats = 5; ; repeats--) {
    const outcomes = await apply();
    if (repeats === 0 || !outcomes.map(kindOf).includes('failed/conflict')) return outcomes;
  }
}

/** Asks the independent observer. */
async function sees(
  lab: Lab,
  name: DnsName,
  values: readonly string[],
  when: string,
): Promise<{ readonly ttl?: number | undefined }> {
  const observed = await lab.fixture.observe(name);
  assert.deepEqual([...observed.values].sort(), [...values].sort(), `values at ${name} ${when}`);
  return observed;
}
