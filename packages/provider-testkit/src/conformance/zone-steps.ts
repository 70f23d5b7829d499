import { strict as assert } from 'node:assert';
import { isProviderError } from '@zoneproof/core';
import type { Step } from './step.ts';

export const zoneSteps: readonly Step[] = [
  {
    id: 'Z1',
    title: 'the zone is the deepest one that holds the name, on a label boundary, or none',
    async run(lab) {
      assert.ok(
        lab.fixture.zones.some(({ zone }) => zone === undefined),
        'the fixture names no target without a zone',
      );
      assert.ok(
        lab.fixture.zones.some(({ zone }) => zone !== undefined),
        'the fixture names no target with a zone',
      );
      for (const { target, zone } of lab.fixture.zones)
        assert.equal((await lab.start().zoneOf(target))?.name, zone, `zone of ${target.name}`);
    },
  },
  {
    id: 'Z2',
    title: 'when a person has to act first, the error says with which record',
    async run(lab) {
      const { personFirst } = lab.fixture;
      assert.ok(personFirst, 'the fixture has no personFirst; set Z2 aside if nothing is ever asked of a person');
      const error: unknown = await lab
        .start()
        .zoneOf(personFirst.target)
        .then(
          (zone) => assert.fail(`found zone ${zone?.name} instead`),
          (thrown: unknown) => thrown,
        );
      assert.ok(isProviderError(error), `threw ${String(error)}`);
      assert.equal(error.kind, 'action-required');
      assert.deepEqual(error.details.action, personFirst.action);
      const { name, target } = personFirst.action;
      assert.ok(
        error.message.includes(`${name} CNAME ${target}.`),
        `the record is not in the message: ${error.message}`,
      );
    },
  },
];

export const checkSteps: readonly Step[] = [
  {
    id: 'C1',
    title: 'check proves what it can without writing, and never throws',
    async run(lab) {
      const good = await lab.start().check();
      assert.deepEqual(
        good.filter(({ result }) => result === 'failed'),
        [],
        'findings on a good day',
      );
      assert.ok(good.length > 0, 'no finding at all');
      assert.equal(lab.traffic.writes, 0, 'writes of check');
      lab.traffic.mode = 'refuse';
      const refused = await lab.start().check();
      assert.ok(
        refused.some(({ result }) => result === 'failed'),
        'nothing failed although no connection came about',
      );
      lab.traffic.mode = 'pass';
      if (Object.keys(lab.fixture.secrets).length === 0) return;
      const missing = await lab.start({ secrets: {} }).check();
      assert.ok(
        missing.some(({ result }) => result === 'failed'),
        'nothing failed although the Secrets are missing',
      );
    },
  },
];
