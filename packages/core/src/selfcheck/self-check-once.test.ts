import { systemClock } from '../time/index.ts';
import { selfCheck } from './self-check-once.ts';
import { createWorld, put, value, type World } from './testing/world.ts';
import type { RecordLine } from './testing/zone-data.ts';

const name = '_acme-challenge.www.example.com';
const text: RecordLine = [name, 'TXT', value];

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const options = () => ({
  resolvers: () => [{ address: '192.0.2.53', port: 53 }],
  transport: world.dns.transport,
  clock: systemClock,
  confirmAfterMs: 10,
});

test('without waiting, one round says what each server has', async () => {
  const { ns1 } = await world.serveExample();
  put(ns1, text);
  const { visible, location, evidence } = await selfCheck({ name, values: [value] }, options());
  expect(visible).toBe(false);
  expect(location).toMatchObject({ zone: 'example.com', target: name });
  expect(evidence.servers.map(({ finding }) => finding)).toEqual(['has', 'lacks', 'lacks']);
});

test('it waits for the last server, tells what is missing meanwhile, and confirms', async () => {
  const { ns1, ns2, ns2v6 } = await world.serveExample();
  put(ns1, text);
  put(ns2v6, text);
  const told: string[] = [];
  const { visible, evidence } = await selfCheck(
    {
      name,
      values: [value],
      waitMs: 10_000,
      onEvidence: ({ summary }) => {
        told.push(summary);
        put(ns2, text);
      },
    },
    options(),
  );
  expect(visible).toBe(true);
  expect(told).toEqual([expect.stringMatching(/^1 of 3 authoritative servers .* lacks the value/)]);
  expect(evidence.summary).toBe(`3 of 3 authoritative servers of example.com have the value at ${name}`);
  // One of them may be the look for a CNAME.
  expect(ns1.queries.filter(({ type }) => type === 'TXT').length).toBeGreaterThanOrEqual(2);
});

test('when the time is over, what is missing is the answer', async () => {
  await world.serveExample();
  const { visible, evidence } = await selfCheck({ name, values: [value], waitMs: 150 }, options());
  expect(visible).toBe(false);
  expect(evidence.summary).toMatch(/^3 of 3 authoritative servers .* lack the value/);
});

test('its signal ends it at once', async () => {
  await world.serveExample();
  const stop = new AbortController();
  const onEvidence = () => stop.abort(new Error('the user has seen enough'));
  const check = selfCheck({ name, values: [value], waitMs: 60_000, onEvidence }, { ...options(), signal: stop.signal });
  await expect(check).rejects.toThrow('the user has seen enough');
});

test('a name that nobody holds is a LocateError, and what is no name a DnsNameError', async () => {
  await world.serveExample();
  const look = (wrong: string) => selfCheck({ name: wrong, values: [value] }, options());
  await expect(look('www.nowhere.test')).rejects.toMatchObject({ name: 'LocateError' });
  await expect(look('www..example.com')).rejects.toMatchObject({ name: 'DnsNameError' });
});

test('resolvers are not asked before their time, be the wait shorter', async () => {
  await world.serveExample();
  const request = { name, values: [value], waitMs: 50 };
  const { visible, evidence } = await selfCheck(request, { ...options(), mode: 'listed-only' });
  expect(visible).toBe(false);
  expect(evidence).toMatchObject({ verdict: 'unreachable', by: 'resolver', servers: [] });
  expect(evidence.summary).toMatch(
    /^nobody was asked for .* \(the mode is listed-only\), and that not before 60 s have passed/,
  );
  // That the resolver was not asked for the name is looked at after each test.
});

test('no values and no name are mistakes of the program, not something that can be seen', async () => {
  await world.serveExample();
  await expect(selfCheck({ name, values: [] }, options())).rejects.toThrow(RangeError);
  await expect(selfCheck({ name: '', values: [value] }, options())).rejects.toMatchObject({ name: 'DnsNameError' });
});
