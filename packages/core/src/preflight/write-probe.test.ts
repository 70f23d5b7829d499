import { toDnsName } from '@zoneproof/dns';
import { ProviderError } from '../contract/index.ts';
import type { Evidence, Location, ServerEvidence } from '../selfcheck/types.ts';
import { FakeClock } from '../time/fake-clock.ts';
import type { BoundProvider, RecordWriter, WriteOutcome, WriteRequest } from '../writer/index.ts';
import { judgeProbe, probe } from './write-probe.ts';

const name = toDnsName('_acme-challenge.example.com');
const zone = toDnsName('example.com');
const servers = ['ns1', 'ns2'].map((host, at) => ({
  name: toDnsName(`${host}.example.com`),
  address: `192.0.2.${at}`,
}));
const location: Location = { name, chain: [name], target: name, zone, servers };
const route = (model: 'rrset' | 'slots') => ({
  provider: { displayName: 'p', capabilities: { model } } as unknown as BoundProvider,
  zone: { id: 'z', name: zone },
});

/** A service whose servers get a change so many milliseconds after it was made; `Infinity`: never, -1: mute. */
function service(
  clock: FakeClock,
  delaysMs: readonly number[],
  outcomes: Partial<Record<'present' | 'absent', WriteOutcome>> = {},
) {
  const writes: WriteRequest['state'][] = [];
  let changedAt = 0;
  let isThere = false;
  const writer: Pick<RecordWriter, 'write'> = {
    async write({ state }) {
      writes.push(state);
      changedAt = clock.now();
      isThere = state === 'present';
      return [outcomes[state] ?? { status: 'done', changed: true }];
    },
  };
  /** Milliseconds since the last change. */
  const looks: { readonly at: number; readonly state: WriteRequest['state'] }[] = [];
  const look = async ({ servers: asked, listed }: Location): Promise<Evidence> => {
    looks.push({ at: clock.now() - changedAt, state: isThere ? 'present' : 'absent' });
    const rows = asked.map((server): ServerEvidence => {
      const delay = delaysMs[servers.indexOf(server)] ?? 0;
      const arrived = clock.now() - changedAt >= delay;
      const finding = delay < 0 ? 'unreachable' : arrived === isThere ? 'has' : 'lacks';
      return { server: server.name, address: server.address, transport: 'udp', finding };
    });
    // A mute server takes all its tries.
    if (rows.some(({ finding }) => finding === 'unreachable'))
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 6_000));
    if (listed === undefined) return { servers: rows } as unknown as Evidence;
    const arrived = clock.now() - changedAt >= (delaysMs[0] ?? 0);
    const finding = arrived === isThere ? 'has' : 'lacks';
    const row: ServerEvidence = { server: '192.0.2.53:53', address: '192.0.2.53', transport: 'udp', finding };
    return { servers: [row] } as unknown as Evidence;
  };
  return { looks, writes, writer: writer as RecordWriter, selfCheck: { look } };
}

const never = new AbortController().signal;
const refusal = new ProviderError({ kind: 'auth', message: 'p refused the key. Correct it.' });

test.each<[string, readonly number[], Parameters<typeof service>[2], 'rrset' | 'slots', string, RegExp]>([
  [
    'two servers of different speed',
    [0, 4_500],
    {},
    'rrset',
    'ok',
    /was at 2 servers after 5\.0 s; removed again, and gone everywhere after 5\.0 s$/,
  ],
  [
    'one server never gets it',
    [0, Number.POSITIVE_INFINITY],
    {},
    'rrset',
    'failed',
    /^the probe value did not reach ns2\.example\.com 192\.0\.2\.1 within 30 s; see whether/,
  ],
  ['one server is mute', [0, -1], {}, 'rrset', 'ok', /was at 1 server after 0 ms/],
  ['all are mute', [-1, -1], {}, 'rrset', 'unknown', /no server could be asked/],
  ['a service that deletes nothing', [0, 0], {}, 'slots', 'ok', /it stays until a newer one replaces it$/],
  [
    'refused',
    [0, 0],
    { present: { status: 'failed', error: refusal } },
    'rrset',
    'failed',
    /^p refused the key\. Correct it\.$/,
  ],
  [
    'not removed',
    [0, 0],
    { absent: { status: 'failed', error: refusal } },
    'rrset',
    'warning',
    /its removal is not confirmed \(p refused.*\): _acme-challenge\.example\.com TXT "\S+" may have to be removed by hand$/,
  ],
])('%s', async (_title, delaysMs, outcomes, model, result, detail) => {
  const clock = new FakeClock();
  const { writer, selfCheck, writes } = service(clock, delaysMs, outcomes);
  const inputs = { selfCheck, clock, timers: clock, random: (length: number) => new Uint8Array(length) };
  const seen = await clock.until(
    probe(location, route(model), { writer, owner: 'o', patienceMs: 30_000 }, inputs, never),
  );
  expect(judgeProbe(seen, 30_000)).toMatchObject({ result, detail: expect.stringMatching(detail) });
  expect(writes).toEqual(['present', 'absent']);
});

test('stopped while it waits for a server, it removes the value before it rejects', async () => {
  const clock = new FakeClock();
  const { writer, selfCheck, writes } = service(clock, [0, 60_000]);
  const stop = new AbortController();
  const inputs = { selfCheck, clock, timers: clock, random: (length: number) => new Uint8Array(length) };
  const probing = probe(location, route('rrset'), { writer, owner: 'o' }, inputs, stop.signal);
  probing.catch(() => undefined);
  await clock.advance(3_000);
  stop.abort(new Error('Ctrl-C'));
  await expect(clock.until(probing)).rejects.toThrow('Ctrl-C');
  expect(writes).toEqual(['present', 'absent']);
  expect(clock.pending).toBe(0);
});

test('a silent server does not blur the times of the others', async () => {
  const clock = new FakeClock();
  const { writer, selfCheck } = service(clock, [2_500, -1]);
  const inputs = { selfCheck, clock, timers: clock, random: (length: number) => new Uint8Array(length) };
  const seen = await clock.until(probe(location, route('rrset'), { writer, owner: 'o' }, inputs, never));
  expect(seen.servers).toMatchObject([
    { server: 'ns1.example.com', visibleMs: 3_000, goneMs: 3_000 },
    { server: 'ns2.example.com', isMute: true },
  ]);
});

test('a resolver is asked after the wait, seldom, and never for what was removed', async () => {
  const clock = new FakeClock();
  const { writer, selfCheck, looks } = service(clock, [45_000]);
  const inputs = { selfCheck, clock, timers: clock, random: (length: number) => new Uint8Array(length) };
  const listed = { servers: [{ address: '192.0.2.53', port: 53 }], waitMs: 30_000, reason: 'the mode is listed-only' };
  const byResolver = { ...location, servers: [], listed };
  const seen = await clock.until(probe(byResolver, route('rrset'), { writer, owner: 'o' }, inputs, never));
  expect(looks).toEqual([30_000, 40_000, 60_000].map((at) => ({ at, state: 'present' })));
  expect(judgeProbe(seen)).toMatchObject({
    result: 'ok',
    detail: expect.stringMatching(/was at 1 server after 60\.0 s; removed again, and resolvers are not asked for/),
  });
});
