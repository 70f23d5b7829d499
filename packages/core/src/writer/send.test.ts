import { toDnsName } from '@zoneproof/dns';
import { ProviderError, type ProviderErrorKind } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { createRecordWriter, MemoryLedger, type WriterEvent } from './index.ts';
import { FakeService, zone } from './testing/fake-service.ts';

/** One write by a provider that throws; how often it was called, and the statuses it was told by. */
async function writeThrown(kind: ProviderErrorKind, sent: boolean | undefined) {
  const clock = new FakeClock();
  const ledger = new MemoryLedger();
  const events: WriterEvent[] = [];
  const bound = new FakeService({ clock, ledger }).bind();
  let calls = 0;
  const writer = createRecordWriter({
    ledger,
    clock,
    timers: clock,
    random: (length) => new Uint8Array(length),
    onEvent: (event) => events.push(event),
  });
  const [outcome] = await clock.until(
    writer.write({
      owner: 'ns/o1',
      provider: {
        ...bound,
        provider: {
          ...bound.provider,
          apply() {
            calls++;
            const error = { kind, message: 'no answer', ...(sent !== undefined && { sent }) };
            return Promise.reject(new ProviderError(error));
          },
        },
      },
      zone,
      state: 'present',
      records: [{ name: toDnsName('_acme-challenge.example.com'), value: 'a' }],
      signal: new AbortController().signal,
    }),
  );
  await clock.until(writer.close());
  const statuses = events.flatMap((event) => (event.type === 'applied' ? [event.outcomes] : []));
  return { calls, statuses, outcome };
}

test('what is thrown after it was sent is unknown, and so is applied again', async () => {
  const { calls, statuses, outcome } = await writeThrown('unavailable', true);
  expect(statuses[0]).toEqual({ changed: 0, unchanged: 0, failed: 0, unknown: 1 });
  expect(calls).toBe(3);
  expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'unavailable' } });
});

test.each([false, undefined])(
  'what is thrown unsent (%s) has failed, and is not applied again at once',
  async (sent) => {
    const { calls, statuses, outcome } = await writeThrown('unavailable', sent);
    expect(statuses).toEqual([{ changed: 0, unchanged: 0, failed: 1, unknown: 0 }]);
    expect(calls).toBe(1);
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'unavailable' } });
  },
);

test('a conflict that is thrown is applied again, up to five times', async () => {
  const { calls } = await writeThrown('conflict', false);
  expect(calls).toBe(6);
});
