import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from '@zoneproof/core';
import type { Lab } from './lab.ts';
import { shown } from './outcomes.ts';
import type { Step } from './step.ts';

const mostLooks = 100;

export const syncSteps: readonly Step[] = [
  {
    id: 'S1',
    title: 'a receipt turns from pending to synced, and is unknown where looking is forbidden',
    setAside: ({ sync }) => (sync ? undefined : 'the service does not tell when a change has reached its servers'),
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const value = lab.value();
      const outcomes = await instance.apply(zone, lab.changes(['present', name, value]));
      const [outcome] = outcomes;
      assert.equal(outcome?.status, 'changed', shown(outcomes));
      const { receipt } = outcome as { readonly receipt?: Receipt };
      assert.ok(receipt, 'changed, and no receipt');
      assert.deepEqual(JSON.parse(JSON.stringify(receipt)), receipt, 'the receipt as JSON');
      await untilSynced(lab, receipt);
      const { values } = await lab.fixture.observe(name);
      assert.ok(values.includes(value), `synced, and not to be seen at ${name}`);
      if (!lab.has('S1', 'forbidSync')) return;
      const undo = lab.fixture.forbidSync?.();
      const forbidden = await lab.start().syncState(receipt).finally(undo);
      assert.equal(forbidden.state, 'unknown', 'the state where looking is forbidden');
      assert.match((forbidden as { readonly reason?: string }).reason ?? '', /\w.*\w/, 'the reason');
    },
  },
];

/** Each look asks the service, here from a process that knows nothing but the receipt. */
async function untilSynced(lab: Lab, receipt: Receipt): Promise<void> {
  const { traffic } = lab;
  for (let looks = 0; looks < mostLooks; looks++) {
    const before = traffic.requests;
    const { state, ...rest } = await lab.start().syncState(receipt);
    assert.ok(traffic.requests > before, `${state}, and no request was sent to see it`);
    if (state === 'synced') return;
    assert.equal(state, 'pending', `the state: ${JSON.stringify(rest)}`);
    await delay(20);
  }
  assert.fail(`pending after ${mostLooks} looks`);
}
