import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockStateDir, requestControl } from './control-socket.ts';

let stateDir: string;
let server: Server | undefined;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'zoneproof-control-'));
});
afterEach(async () => {
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
  await rm(stateDir, { recursive: true, force: true });
});

const renewal = { do: 'renew', namespace: 'default', name: 'www' } as const;

test('a request reaches the process that holds the directory, and nobody when none does', async () => {
  expect(await requestControl(stateDir, renewal)).toBe('not-running');
  const lock = await lockStateDir(stateDir);
  const asked: unknown[] = [];
  lock.handle(async (request) => {
    asked.push(request);
    return { ok: true };
  });
  expect(await requestControl(stateDir, renewal)).toEqual({ ok: true });
  expect(asked).toEqual([renewal]);
  await lock.close();
  expect(await requestControl(stateDir, renewal)).toBe('not-running');
});

test('a process that ends before it answers is no process', async () => {
  server = createServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((listening) => server?.listen(join(stateDir, 'zoneproof.sock'), listening));
  expect(await requestControl(stateDir, renewal)).toBe('not-running');
});
