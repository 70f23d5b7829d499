import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MeasuredWork } from '../metrics/metrics.ts';
import { createContext } from './context.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { inDirectory, runMain } from './testing/run-main.ts';

const start = Date.UTC(2026, 10, 21);

test('ready once everything is read, be it as one that stands by; alive until work is stuck for ten minutes', async () => {
  let now = start;
  const monitoring = await startMonitoring('127.0.0.1:0', createContext({ env: {}, clock: { now: () => now } }));
  try {
    expect(await ask(monitoring, '/readyz')).toEqual([503, 'starting: what is declared has not been read yet\n']);
    expect(await ask(monitoring, '/healthz')).toEqual([200, 'ok\n']);
    monitoring.ready();
    expect(await ask(monitoring, '/readyz')).toEqual([200, 'ok\n']);

    const queue = { ready: 3, running: 1, noneEndedSince: start };
    const store = { list: () => [], watch: () => () => undefined } as unknown as MeasuredWork['store'];
    const unfollow = monitoring.follow({ store, controller: { queue, accounts: () => [] } });
    now += 599_999;
    expect(await ask(monitoring, '/healthz')).toEqual([200, 'ok\n']);
    now += 1;
    expect(await ask(monitoring, '/healthz')).toEqual([
      503,
      'there is work, and none of it has ended since 2026-11-21T00:00:00.000Z\n',
    ]);
    unfollow();
    expect(await ask(monitoring, '/healthz')).toEqual([200, 'ok\n']);
  } finally {
    await monitoring.close();
  }
});

test('an address in use ends run before anything is begun, in one plain sentence; one that is none is wrong usage', () =>
  inDirectory(async (directory) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      expect(await runMain(['run', directory, '--metrics-listen', `127.0.0.1:${port}`])).toEqual({
        code: 1,
        out: '',
        err: `zoneproof: --metrics-listen: cannot listen at 127.0.0.1:${port}: another process listens there; stop it, or choose another port.\n`,
      });
    } finally {
      other.close();
    }
    expect(await runMain(['run', directory, '--metrics-listen', '9402'])).toMatchObject({
      code: 2,
      err: 'zoneproof: --metrics-listen: "9402" is no address to listen at: give HOST:PORT, [IPv6]:PORT, or :PORT for every address\n',
    });
  }));

async function ask({ told }: Monitoring, path: string): Promise<readonly [number, string]> {
  const answer = await fetch(`http://${/at (\S+)\.$/.exec(told)?.[1]}${path}`);
  return [answer.status, await answer.text()];
}
