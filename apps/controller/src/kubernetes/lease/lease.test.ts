import { FakeClock } from '@zoneproof/core/testing';
import { LeaseLost } from './lease.ts';
import { type Candidate, candidate } from './testing/candidate.ts';
import { LeaseServer } from './testing/lease-server.ts';
import { StoppableTime } from './testing/stoppable-time.ts';

function world(): {
  clock: FakeClock;
  server: LeaseServer;
  start(identity: string): Candidate & { acquired: Promise<void> };
} {
  const clock = new FakeClock();
  const server = new LeaseServer(clock);
  return {
    clock,
    server,
    start: (identity) => {
      const started = candidate(server, identity, { clock, monotonic: clock, timers: clock });
      return { ...started, acquired: started.leadership.acquired(new AbortController().signal) };
    },
  };
}

test('the first candidate creates the Lease, renews it every third, and writes what kubectl shows', async () => {
  const { clock, server, start } = world();
  const { acquired, leadership } = start('a');
  await acquired;
  expect(server.lease?.spec).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2001-09-09T01:46:40.000000Z',
    renewTime: '2001-09-09T01:46:40.000000Z',
    leaseTransitions: 0,
  });
  await clock.advance(60_000);
  expect(server.log).toEqual(['GET', 'POST a', ...Array(12).fill('PUT a')]);
  expect(server.lease?.spec).toMatchObject({
    acquireTime: '2001-09-09T01:46:40.000000Z',
    renewTime: '2001-09-09T01:47:40.000000Z',
  });
  leadership.assertLeading();
});

test('when the Lease is given back, the other leads within a second', async () => {
  const { clock, server, start } = world();
  const [a, b] = [start('a'), start('b')];
  await a.acquired;
  await clock.advance(7_777);
  expect(b.leadership.leading).toBe(false);
  expect(() => b.leadership.assertLeading()).toThrow('Lease zoneproof/zoneproof is not held by this process');
  await a.leadership.release();
  expect(a.leadership.signal.reason).toEqual(new LeaseLost('Lease zoneproof/zoneproof is given back'));
  expect(() => a.leadership.assertLeading()).toThrow(LeaseLost);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await clock.advance(1_000);
  expect(b.leadership.leading).toBe(true);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  expect(b.news).toEqual(['holder a']);
  await b.leadership.release();
  expect(clock.pending).toBe(0);
});

test('an API server that is away is told once, and the Lease is lost before another may take it', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.faults.push(...Array<'fail'>(100).fill('fail'));
  await clock.advance(11_900);
  a.leadership.assertLeading();
  await clock.advance(200);
  expect(a.news).toEqual(['the API server is overloaded']);
  expect(a.leadership.signal.reason.message).toBe(
    'Lease zoneproof/zoneproof is lost: it was last renewed 12.0 s ago by the monotonic clock',
  );
  const before = server.log.length;
  await clock.advance(60_000);
  await a.leadership.release();
  expect(server.log.slice(before)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a renewal whose answer was lost is no loss', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.faults.push('lose');
  await clock.advance(20_000);
  a.leadership.assertLeading();
  expect(server.log.slice(2)).toEqual(
    ['PUT a', 'PUT a', 'GET', 'PUT a', 'PUT a', 'PUT a'].slice(0, server.log.length - 2),
  );
});

test('giving back waits for a renewal under way, so that it is not undone', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.latencyMs = 100;
  await clock.advance(5_050);
  await clock.until(a.leadership.release());
  expect(server.holder).toBe('');
});

test('giving back after a lost answer', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.faults.push('lose');
  await clock.advance(5_001);
  await a.leadership.release();
  expect(server.holder).toBe('');
});

test('a holder that somebody else put in is respected at the next renewal', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.write({ holderIdentity: 'operator', leaseDurationSeconds: 15 });
  await clock.advance(5_000);
  expect(() => a.leadership.assertLeading()).toThrow('operator is its holder now');
  expect(server.holder).toBe('operator');
});

test('a stopped candidate gives up', async () => {
  const { clock, server, start } = world();
  await start('a').acquired;
  const stop = new AbortController();
  const b = candidate(server, 'b', { clock, monotonic: clock, timers: clock });
  const waiting = b.leadership.acquired(stop.signal);
  await clock.advance(3_000);
  stop.abort(new Error('SIGTERM'));
  await expect(waiting).rejects.toThrow('SIGTERM');
  await b.leadership.release();
  expect(server.holder).toBe('a');
});

test('what a process does that was stopped for longer than it may lead, is refused before any timer of it ran', async () => {
  const { server, clock } = world();
  const stopped = new StoppableTime(clock, 1, 0, 0);
  const a = candidate(server, 'a', stopped.time);
  await a.leadership.acquired(new AbortController().signal);
  stopped.stop();
  await clock.advance(12_000);
  expect(() => a.leadership.assertLeading()).toThrow(LeaseLost);
  stopped.continue();
  await clock.advance(60_000);
  expect(server.log).toEqual(['GET', 'POST a']);
});
