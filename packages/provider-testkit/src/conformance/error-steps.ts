import { strict as assert } from 'node:assert';
import { type ChangeOutcome, isProviderError, refuseAllEgress } from '@zoneproof/core';
import { placeOf } from './failure.ts';
import type { Secrets } from './fixture.ts';
import type { Lab } from './lab.ts';
import { isBad, kindOf } from './outcomes.ts';
import { printed, secretForms } from './printed.ts';
import { sentPastEgress } from './sockets.ts';
import type { Step } from './step.ts';
import type { TrafficMode } from './traffic.ts';

export const errorSteps: readonly Step[] = [
  {
    id: 'E1',
    title: 'everything thrown, and the error of every outcome, is a ProviderError',
    async run(lab) {
      for (const trouble of troubles(lab)) {
        const { thrown, outcomes } = await live(lab, trouble);
        for (const error of thrown) assert.ok(isProviderError(error), `${trouble.title}: threw ${described(error)}`);
        assert.ok(thrown.length > 0 || outcomes.some(isBad), `${trouble.title}: nothing failed`);
        for (const outcome of outcomes.filter(isBad))
          assert.ok(isProviderError(outcome.error), `${trouble.title}: an outcome with ${described(outcome.error)}`);
      }
    },
  },
  {
    id: 'E2',
    title: 'no error, warning, outcome or finding holds a secret',
    async run(lab) {
      for (const trouble of troubles(lab)) await live(lab, trouble);
      await live(lab, { title: 'a good day' });
      assertNoSecretSaid(lab);
    },
  },
  {
    id: 'E3',
    title: 'an abort before sending is failed, one after sending unknown, and both settle at once',
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const before = await instance.tryApply(zone, lab.changes(['present', name, lab.value()]), AbortSignal.abort());
      assert.deepEqual(before.map(kindOf), ['failed/aborted'], 'aborted before sending');
      assert.equal(lab.traffic.writes, 0, 'writes of a call that was aborted before');
      lab.traffic.mode = 'hang-writes';
      const stop = new AbortController();
      const hangs = lab.traffic.hangs();
      const pending = instance.tryApply(zone, lab.changes(['present', name, lab.value()]), stop.signal);
      await Promise.race([hangs, pending]);
      stop.abort();
      const after = await within(1000, pending, 'apply goes on after its signal fired');
      assert.deepEqual(after.map(kindOf), ['unknown/aborted'], 'aborted after sending');
    },
  },
  {
    id: 'E4',
    title: 'all traffic goes through the egress; with one that refuses all, nothing is claimed',
    async run(lab) {
      const { name, zone } = await lab.prepare();
      const target = await lab.fixture.newTarget();
      const pastRefusal = await sentPastEgress(async () => {
        const instance = lab.start({ egress: refuseAllEgress() });
        await instance.zoneOf(target).catch(() => undefined);
        const outcomes = await instance.tryApply(zone, lab.changes(['present', name, lab.value()]));
        assert.ok(outcomes.every(isBad), `without a way out: ${outcomes.map(kindOf)}`);
        await instance.check();
      });
      assert.deepEqual(pastRefusal, [], 'sent past an egress that refuses all');
      const instance = lab.start();
      const past = await sentPastEgress(async () => {
        await instance.zoneOf(target).catch(() => undefined);
        await instance.tryApply(zone, lab.changes(['present', name, lab.value()])).catch(() => undefined);
        await instance.check().catch(() => undefined);
      });
      assert.deepEqual(past, [], 'sent past the egress');
    },
  },
  {
    id: 'E5',
    title: 'a permit is taken before each request',
    async run(lab) {
      const { name, zone, instance } = await lab.prepare();
      const value = lab.value();
      await instance.apply(zone, lab.changes(['present', name, value]));
      await instance.apply(zone, lab.changes(['absent', name, value]));
      await instance.check();
      assert.ok(lab.traffic.requests > 0, 'no request went through the egress');
      const { requests, unpermitted } = lab.traffic;
      assert.ok(
        unpermitted === 0,
        `requests without a permit: ${unpermitted} of ${requests}. createApiRequests takes one for each; ` +
          'who sends in another way awaits call.permit() before',
      );
    },
  },
];

/** Looks for the Secrets, and for `more` of them, in everything the provider said. */
export function assertNoSecretSaid(lab: Lab, more: Secrets = {}): void {
  const forms = secretTexts(lab, more).flatMap(secretForms);
  for (const one of lab.said) {
    const text = printed(one);
    const form = forms.find((one) => text.includes(one));
    assert.ok(form === undefined, `a secret shows in ${nameOf(one)}: ${around(text, form ?? '', forms)}`);
  }
}

/** Where a secret was found, without it. */
function around(text: string, form: string, forms: readonly string[]): string {
  const masked = forms.reduce((rest, one) => rest.replaceAll(one, '(the secret)'), text);
  const at = masked.indexOf('(the secret)');
  return form === '' ? '' : `... ${masked.slice(Math.max(0, at - 80), at + 60).replace(/\s+/g, ' ')} ...`;
}

/** Every text that may be printed nowhere. */
export function secretTexts({ fixture }: Lab, more: Secrets = {}): readonly string[] {
  const entries = [fixture.secrets, fixture.wrongSecrets ?? {}, more].flatMap((secrets) =>
    Object.values(secrets).flatMap((entry) => Object.values(entry)),
  );
  return [...new Set([...entries, ...(fixture.canaries ?? [])])].filter((text) => text.length >= 8);
}

interface Trouble {
  readonly title: string;
  readonly mode?: TrafficMode;
  readonly secrets?: Secrets;
}

function troubles({ fixture }: Lab): readonly Trouble[] {
  const days: Trouble[] = [
    { title: 'connection refused', mode: 'refuse' },
    { title: 'answers lost', mode: 'lose-answers' },
  ];
  if (Object.keys(fixture.secrets).length === 0) return days;
  days.push({ title: 'Secrets missing', secrets: {} });
  days.push({ title: 'Secrets garbled', secrets: mapEntries(fixture.secrets, (text) => `{${text.slice(1)}\u00e4`) });
  if (fixture.wrongSecrets) days.push({ title: 'Secrets wrong', secrets: fixture.wrongSecrets });
  return days;
}

/** Zone, write, remove and check under one of them: what was thrown and what became of the changes. */
async function live(
  lab: Lab,
  { mode = 'pass', secrets }: Trouble,
): Promise<{ readonly thrown: readonly unknown[]; readonly outcomes: readonly ChangeOutcome[] }> {
  const { name, zone, target } = await lab.prepare();
  const instance = lab.start(secrets ? { secrets } : {});
  lab.traffic.mode = mode;
  const thrown: unknown[] = [];
  const outcomes: ChangeOutcome[] = [];
  const value = lab.value();
  const attempts: (() => Promise<unknown>)[] = [
    () => instance.zoneOf(target),
    async () => outcomes.push(...(await instance.apply(zone, lab.changes(['present', name, value])))),
    async () => outcomes.push(...(await instance.apply(zone, lab.changes(['absent', name, value])))),
    () => instance.check(),
  ];
  for (const attempt of attempts) await attempt().catch((error: unknown) => thrown.push(error));
  lab.traffic.mode = 'pass';
  return { thrown, outcomes };
}

/** With the place in the provider's code that it comes from: it is not meant to get here. */
function described(value: unknown): string {
  const place = value instanceof Error ? ` (${placeOf(value)})` : '';
  return `${nameOf(value)}${place}; it has to be a ProviderError`;
}

function nameOf(value: unknown): string {
  return value instanceof Error ? value.name : typeof value;
}

function mapEntries(secrets: Secrets, change: (text: string) => string): Secrets {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, entry]) => [
      name,
      Object.fromEntries(Object.entries(entry).map(([key, text]) => [key, change(text)])),
    ]),
  );
}

async function within<T>(ms: number, promise: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${otherwise} (${ms} ms)` })), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
