import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeDiskError } from './disk-error.ts';
import { StateDirError } from './state-format.ts';

/** What another command may ask of the process that holds a state directory. */
export type ControlRequest =
  | { readonly do: 'who' }
  | { readonly do: 'renew'; readonly namespace: string; readonly name: string };

export type ControlAnswer =
  | { readonly ok: true; readonly pid?: number }
  | { readonly ok: false; readonly message: string };

/**
 * A listening Unix socket in the state directory: the lock that keeps a second process out, and the way in for
 * `status` and `renew`. The kernel drops it with the process, so kill -9 leaves nothing to clear by hand.
 */
export interface ControlSocket {
  /** Until a handler is set, requests other than `who` are refused. */
  handle(handler: (request: ControlRequest) => Promise<ControlAnswer>): void;
  close(): Promise<void>;
}

const requestTimeoutMs = 5_000;
const maxRequestOctets = 4_096;
/** No process is there, or it ended before it answered. */
const noListener: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** @throws StateDirError when another process holds the directory */
export async function lockStateDir(stateDir: string): Promise<ControlSocket> {
  const path = socketPath(stateDir);
  for (let attempt = 0; ; attempt++) {
    try {
      return await listen(path);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EADDRINUSE')
        throw new StateDirError(`${stateDir} cannot be locked: ${describeDiskError(error) ?? code}.`, error);
    }
    const holder = await requestOn(path, { do: 'who' });
    if (holder !== 'not-running')
      throw new StateDirError(
        `${stateDir} is in use by the zoneproof process ${holder.ok ? holder.pid : 'that is running'}. Stop it, or give another --state directory.`,
      );
    if (attempt === 3) throw new StateDirError(`${stateDir} cannot be locked: ${path} is in the way. Remove it.`);
    await takeAway(path);
  }
}

/** Asks the process that holds `stateDir`. */
export async function requestControl(
  stateDir: string,
  request: ControlRequest,
): Promise<ControlAnswer | 'not-running'> {
  return requestOn(socketPath(stateDir), request);
}

/** Two processes may find the same dead socket: renamed first, it is looked at again before it is removed. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await requestOn(aside, { do: 'who' })) === 'not-running') await rm(aside, { force: true });
  else await rename(aside, path);
}

function socketPath(stateDir: string): string {
  const path = join(resolve(stateDir), 'zoneproof.sock');
  // The kernel takes 107 octets of path: a deeper directory has its socket in the temporary directory.
  if (Buffer.byteLength(path) <= 100) return path;
  return join(tmpdir(), `zoneproof-${createHash('sha256').update(path).digest('hex').slice(0, 24)}.sock`);
}

function listen(path: string): Promise<ControlSocket> {
  let handler: ((request: ControlRequest) => Promise<ControlAnswer>) | undefined;
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.setTimeout(requestTimeoutMs, () => socket.destroy());
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
    readLine(socket, async (line) => {
      const answer = await answerTo(line, handler);
      socket.end(`${JSON.stringify(answer)}\n`);
    });
  });
  return new Promise((resolvePromise, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.unref();
      resolvePromise({
        handle: (next) => {
          handler = next;
        },
        close: () =>
          new Promise((done) => {
            for (const socket of open) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}

async function answerTo(
  line: string,
  handler: ((request: ControlRequest) => Promise<ControlAnswer>) | undefined,
): Promise<ControlAnswer> {
  try {
    const request = JSON.parse(line) as ControlRequest;
    if (request.do === 'who') return { ok: true, pid: process.pid };
    if (handler === undefined) return { ok: false, message: 'The process is still starting; try again.' };
    return await handler(request);
  } catch {
    return { ok: false, message: 'The request could not be read.' };
  }
}

function requestOn(path: string, request: ControlRequest): Promise<ControlAnswer | 'not-running'> {
  return new Promise((resolvePromise, reject) => {
    const socket = connect(path);
    socket.setTimeout(requestTimeoutMs, () => {
      socket.destroy();
      resolvePromise({ ok: false, message: `The process that holds ${path} does not answer.` });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      socket.destroy();
      if (noListener.has(error.code ?? '')) resolvePromise('not-running');
      else reject(error);
    });
    socket.on('close', () => resolvePromise('not-running'));
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`));
    readLine(socket, (line) => {
      socket.destroy();
      resolvePromise(JSON.parse(line) as ControlAnswer);
    });
  });
}

function readLine(socket: Socket, done: (line: string) => void): void {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\n');
    if (end >= 0) {
      socket.removeAllListeners('data');
      done(text.slice(0, end));
    } else if (text.length > maxRequestOctets) socket.destroy();
  });
}
