import { strict as assert } from 'node:assert';
import {
  type Capabilities,
  isProviderError,
  type ProviderError,
  type RecordTarget,
  type TxtChange,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { assertNoSecretSaid } from './error-steps.ts';
import { type BadDay, badDayNames } from './fixture.ts';
import type { Instance, Lab } from './lab.ts';
import { isBad, kindOf, shown } from './outcomes.ts';
import type { Step } from './step.ts';

export const badDaySteps: readonly Step[] = [
  {
    id: 'E8',
    title: 'the day ends in the right kind or is not noticed, and then all is well again',
    parts: badDayNames,
    setAside: ({ compareAndSet }, day) =>
      day === 'foreign-writer-in-between' && !compareAndSet ? 'the service has no compare-and-set' : undefined,
    async run(lab, part) {
      const days = (lab.fixture.badDays ?? []).filter(({ name }) => name === part);
      assert.ok(
        days.length > 0,
        `the fixture arranges no day '${part}'; add it to badDays, or say under 'E8 ${part}' of setAside why this service cannot have it`,
      );
      for (const day of days) {
        const target = await lab.fixture.newTarget();
        const { name } = target;
        const [foreign, value] = [lab.value(), lab.value()];
        await lab.fixture.plant(name, foreign, 4711);
        const arranged = await day.arrange();
        const { config, secrets } = arranged;
        const instance = lab.start({ ...(config && { config }), ...(secrets && { secrets }) });
        try {
          const error = await write(lab, instance, day, arranged.target ?? target, value);
          judge(lab, day, error);
        } finally {
          await arranged.undo?.();
        }
        assertNoSecretSaid(lab, arranged.secrets);
        await afterTheDay(lab, config || secrets ? lab.start() : instance, target, value, foreign);
      }
    },
  },
];

/** How one write ends, from the zone on: undefined when it is done. */
async function write(
  lab: Lab,
  instance: Instance,
  day: BadDay,
  target: RecordTarget,
  value: string,
): Promise<ProviderError | undefined> {
  try {
    const zone = await instance.hostZone(target);
    if (day.name === 'thousand-changes') return await thousand(lab, instance, target);
    if (day.name === 'half-of-batch-refused') return await half(lab, instance, target, value);
    for (let repeats = 5; ; repeats--) {
      const outcomes = await instance.tryApply(zone, lab.changes(['present', target.name, value]));
      const [outcome] = outcomes;
      assert.ok(outcome, 'apply gave no outcome');
      if (!isBad(outcome)) return undefined;
      // As the host does: a conflict is applied again at once.
      if (repeats > 0 && kindOf(outcome) === 'failed/conflict') continue;
      if (day.name === 'answer-lost') assert.equal(outcome.status, 'unknown', `a lost answer: ${shown(outcomes)}`);
      return outcome.error;
    }
  } catch (error) {
    if (isProviderError(error)) return error;
    throw error;
  }
}

function judge(lab: Lab, day: BadDay, error: ProviderError | undefined): void {
  assert.equal(
    error?.kind ?? 'done',
    day.ends,
    `the day has to end in ${day.ends}: ${error?.message ?? 'nobody noticed it'}`,
  );
  if (error === undefined) return;
  assert.ok(!/[\r\n]/.test(error.message), `a message of more than one line: ${error.message}`);
  assert.ok(error.message.includes(lab.plugin.key), `the message does not name the provider: ${error.message}`);
  if (day.says) assert.ok(day.says.test(error.message), `the message does not say ${day.says}: ${error.message}`);
}

/** 1,000 values at once, two a name as for apex and wildcard, in batches as large as declared; and their removal. */
async function thousand(lab: Lab, instance: Instance, first: RecordTarget): Promise<ProviderError | undefined> {
  const { batch } = lab.plugin.capabilities;
  const names: DnsName[] = [first.name];
  while (names.length < 500) names.push((await lab.fixture.newTarget()).name);
  const wanted = names.flatMap((name) => [lab.value(), lab.value()].map((value) => [name, value] as const));
  const zone = await instance.hostZone(first);
  for (const state of ['present', 'absent'] as const) {
    const changes = lab.changes(...wanted.map(([name, value]) => [state, name, value] as const));
    for (const part of batchesOf(changes, batch)) {
      const outcomes = await instance.tryApply(zone, part);
      const bad = outcomes.find(isBad);
      if (bad) return bad.error;
      assert.equal(outcomes.length, part.length, 'outcomes of a batch');
    }
    for (const name of [names[0], names[250], names[499]] as DnsName[]) {
      const { values } = await lab.fixture.observe(name);
      const there = wanted.filter(([at, value]) => at === name && values.includes(value));
      assert.equal(there.length, state === 'present' ? 2 : 0, `values of ours at ${name} after 1,000 ${state}`);
    }
  }
  for (const [name, value] of wanted) lab.settle(name, value);
  return undefined;
}

function batchesOf(changes: readonly TxtChange[], batch: Capabilities['batch']): readonly (readonly TxtChange[])[] {
  const { maxChanges, maxValueBytes = Number.POSITIVE_INFINITY } = batch;
  const size = Math.min(maxChanges, Math.floor(maxValueBytes / (changes[0]?.value.length ?? 1)));
  return Array.from({ length: Math.ceil(changes.length / size) }, (_, at) => changes.slice(at * size, (at + 1) * size));
}

/** A batch of two, of which the service refuses the one at the day's name: the other one is done, now or by itself. */
async function half(
  lab: Lab,
  instance: Instance,
  target: RecordTarget,
  refused: string,
): Promise<ProviderError | undefined> {
  const spare = (await lab.fixture.newTarget()).name;
  const zone = await instance.hostZone(target);
  const good = lab.value();
  const changes = lab.changes(['present', target.name, refused], ['present', spare, good]);
  const [one, other] = await instance.tryApply(zone, changes);
  assert.ok(one && other, 'apply gave fewer outcomes than changes');
  lab.settle(target.name, refused);
  if (isBad(other)) {
    const alone = await instance.tryApply(zone, lab.changes(['present', spare, good]));
    assert.ok(!alone.some(isBad), `the other half of the batch by itself: ${shown(alone)}`);
  }
  const { values } = await lab.fixture.observe(spare);
  assert.ok(values.includes(good), `the other half of the batch is not at ${spare}`);
  return isBad(one) ? one.error : undefined;
}

/** The foreign value is intact; present and absent work, and leave it alone. */
async function afterTheDay(
  lab: Lab,
  instance: Instance,
  target: RecordTarget,
  value: string,
  foreign: string,
): Promise<void> {
  const { name } = target;
  const isSlots = lab.plugin.capabilities.model === 'slots';
  const { values } = await lab.fixture.observe(name);
  assert.ok(
    values.includes(foreign),
    `the foreign value at ${name} is gone; there is ${values.join(', ') || 'nothing'}`,
  );
  const others = values.filter((one) => one !== value);
  const zone = await instance.hostZone(target).catch((error: ProviderError) => stopped(error));
  const present = await instance.tryApply(zone, lab.changes(['present', name, value]));
  for (const bad of present.filter(isBad)) stopped(bad.error);
  const absent = await instance.tryApply(zone, lab.changes(['absent', name, value]));
  assert.deepEqual(absent.map(kindOf), [isSlots ? 'unchanged' : 'changed'], `absent after the day: ${shown(absent)}`);
  const after = await lab.fixture.observe(name);
  const expected = isSlots ? [...others, value] : others;
  assert.deepEqual([...after.values].sort(), expected.sort(), `values at ${name} after the day`);
}

function stopped(error: Error): never {
  assert.fail(`after the day, nothing works any more: ${error.message}`);
}
