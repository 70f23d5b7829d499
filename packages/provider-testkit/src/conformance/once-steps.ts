import { strict as assert } from 'node:assert';
import { isProviderError, type ProviderError, type ProviderErrorKind } from '@zoneproof/core';
import type { Lab } from './lab.ts';
import { isBad, shown } from './outcomes.ts';
import type { Step } from './step.ts';
import { retryAfterSeconds, type TrafficMode } from './traffic.ts';

interface Refusal {
  readonly title: string;
  readonly mode: TrafficMode;
  readonly kind: ProviderErrorKind;
  /** What a write has to be that met it. */
  readonly outcome: readonly ('failed' | 'unknown')[];
}

const refusals: readonly Refusal[] = [
  { title: 'a 503', mode: 'answer-503', kind: 'unavailable', outcome: ['failed', 'unknown'] },
  { title: 'a 429', mode: 'answer-429', kind: 'rate-limited', outcome: ['failed'] },
  { title: 'a reset', mode: 'reset', kind: 'unavailable', outcome: ['unknown'] },
];

export const onceSteps: readonly Step[] = [
  {
    id: 'E6',
    title: 'a request that was refused or lost is not sent again: one 503, one 429, one reset, one request',
    async run(lab) {
      for (const refusal of refusals) {
        await refusedWrite(lab, refusal);
        await refusedAll(lab, refusal);
        await refusedZone(lab, refusal);
      }
    },
  },
];

/** Reads pass, and the write is refused. */
async function refusedWrite(lab: Lab, { title, mode, kind, outcome }: Refusal): Promise<void> {
  const { name, zone, instance } = await lab.prepare();
  const value = lab.value();
  const outcomes = await under(lab, mode, true, () => instance.tryApply(zone, lab.changes(['present', name, value])));
  const met = disturbed(lab);
  lab.settle(name, value);
  if (met.length === 0 && mode === 'answer-429') return;
  assert.equal(met.length, 1, `writes sent after ${title}: ${met.join(', ')}`);
  const [only] = outcomes;
  assert.ok(only && isBad(only), `a write that met ${title}: ${shown(outcomes)}`);
  assert.ok(outcome.includes(only.status), `a write that met ${title} is ${outcome.join(' or ')}: ${shown(outcomes)}`);
  rightKind(only.error, kind, title);
}

/** Everything is refused, reads too. */
async function refusedAll(lab: Lab, { title, mode, kind }: Refusal): Promise<void> {
  const { name, zone, instance } = await lab.prepare();
  const value = lab.value();
  const outcomes = await under(lab, mode, false, () => instance.tryApply(zone, lab.changes(['present', name, value])));
  lab.settle(name, value);
  if (nothingTwice(lab, title) === 0) return;
  const [only] = outcomes;
  assert.ok(only && isBad(only), `apply after ${title}: ${shown(outcomes)}`);
  rightKind(only.error, kind, title);
}

async function refusedZone(lab: Lab, { title, mode, kind }: Refusal): Promise<void> {
  const target = await lab.fixture.newTarget();
  const instance = lab.start();
  const error: unknown = await under(lab, mode, false, () =>
    instance.zoneOf(target).then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
  );
  if (nothingTwice(lab, title) === 0) return;
  assert.ok(isProviderError(error), `the zone after ${title}: ${error === undefined ? 'found' : String(error)}`);
  rightKind(error, kind, title);
}

async function under<T>(lab: Lab, mode: TrafficMode, onlyWrites: boolean, work: () => Promise<T>): Promise<T> {
  const { traffic } = lab;
  traffic.seen.length = 0;
  Object.assign(traffic, { mode, onlyWrites });
  return work().finally(() => Object.assign(traffic, { mode: 'pass', onlyWrites: false }));
}

function disturbed({ traffic }: Lab): readonly string[] {
  return traffic.seen.filter((request) => request.disturbed).map(({ what }) => what);
}

/** The number of requests that met the refusal. */
function nothingTwice(lab: Lab, title: string): number {
  const met = disturbed(lab);
  const again = met.find((what, at) => met.indexOf(what) < at);
  assert.equal(again, undefined, `sent again after ${title}: ${again}`);
  return met.length;
}

function rightKind(error: ProviderError, kind: ProviderErrorKind, title: string): void {
  assert.equal(error.kind, kind, `the kind after ${title}: ${error.message}`);
  if (kind === 'rate-limited')
    assert.equal(
      error.details.retryAfterMs,
      retryAfterSeconds * 1000,
      `retryAfterMs after a 429 with Retry-After: ${retryAfterSeconds}`,
    );
}
