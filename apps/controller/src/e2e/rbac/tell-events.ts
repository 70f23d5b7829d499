import { systemClock, systemRandom, systemTimers } from '@zoneproof/core';
import { createEventRecorder } from '../../kubernetes/events/index.ts';
import { create, type World, withStore } from './world.ts';

/** Tells the same of a Certificate so many times; the second one changes the Event of the first. */
export async function tellEvents(world: World, times: 1 | 2): Promise<void> {
  const { namespace, name } = await create(world, 'Certificate');
  await withStore(world, async (store) => {
    const problems: string[] = [];
    let written = (): void => {};
    const first = new Promise<void>((resolve) => {
      written = resolve;
    });
    const recorder = createEventRecorder({
      api: { request: (request) => world.me.request(request).finally(written) },
      find: (kind, where, who) => store.get(kind, where, who),
      reporter: { controller: 'zoneproof.dev/zoneproof', instance: 'test' },
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      beforeSend: () => {},
      onProblem: (message) => problems.push(message),
    });
    const report = { level: 'warn', kind: 'Certificate', namespace, name, reason: 'CAUnavailable' } as const;
    recorder.tell({ ...report, message: 'For a test.' });
    await first;
    if (times === 2) recorder.tell({ ...report, message: 'For a test.' });
    await recorder.close(10_000);
    if (problems.length > 0) throw new Error(problems.join('; '));
  });
}
