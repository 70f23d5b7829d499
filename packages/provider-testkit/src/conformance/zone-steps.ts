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
  {
    id: 'Z3',
    title: 'zones on every page of the list are seen',
    async run(lab) {
      const list = async (): Promise<{ readonly names: readonly string[]; readonly requests: number }> => {
        const instance = lab.start();
        const { provider } = instance;
        assert.ok(provider.listZones, 'the provider has no listZones; set Z3 aside if it finds zones in another way');
        const before = lab.traffic.requests;
        const zones = await provider.listZones(instance.call());
        return { names: zones.map(({ id, name }) => `${name} ${id}`), requests: lab.traffic.requests - before };
      };
      const few = await list();
      assert.ok(lab.fixture.manyZones, 'the fixture has no manyZones; set Z3 aside if the list has one page at most');
      const undo = await lab.fixture.manyZones();
      try {
        const many = await list();
        assert.ok(many.requests > few.requests, `${many.requests} requests for a list of several pages`);
        assert.ok(many.names.length > few.names.length, `${many.names.length} zones on several pages`);
        assert.equal(new Set(many.names).size, many.names.length, 'zones that are listed twice');
        const lost = few.names.filter((name) => !many.names.includes(name));
        assert.deepEqual(lost, [], 'zones that are lost when the list has several pages');
        for (const { target, zone } of lab.fixture.zones)
          assert.equal((await lab.start().zoneOf(target))?.name, zone, `zone of ${target.name} on several pages`);
      } finally {
        undo();
      }
    },
  },
];

export const checkSteps: readonly Step[] = [
  {
    id: 'C1',
    title: 'check proves what it can without writing, and never throws',
    async run(lab) {
      const good = await lab.start().check();
      const [fault] = good.filter(({ result }) => result === 'failed');
      assert.ok(fault === undefined, `check finds a fault on a good day: ${fault?.detail}`);
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
